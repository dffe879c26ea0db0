package relay

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// blockEnd is text_end, thinking_end or toolcall_end.
type blockEnd struct {
	Type         string `json:"type"`
	ContentIndex int    `json:"contentIndex"`
	// Signature is the block's, where it has one.
	Signature string `json:"contentSignature,omitzero"`
	Redacted  bool   `json:"redacted,omitzero"`
	// Content is the text, if the deltas do not add up to it.
	Content *string `json:"content,omitzero"`
	// ToolCall is the call in its final form.
	ToolCall *ai.ToolCall `json:"toolCall,omitzero"`
	// Arguments is the text of the arguments, if the deltas do not add up to it.
	Arguments *string `json:"arguments,omitzero"`
}

// ending is done or error: what a message has beside its content.
type ending struct {
	Type                  string           `json:"type"`
	Reason                ai.StopReason    `json:"reason"`
	ErrorMessage          string           `json:"errorMessage,omitzero"`
	Usage                 ai.Usage         `json:"usage"`
	ProviderThinkingLevel string           `json:"providerThinkingLevel,omitzero"`
	ResponseID            string           `json:"responseId,omitzero"`
	ResponseModel         string           `json:"responseModel,omitzero"`
	RawStopReason         string           `json:"rawStopReason,omitzero"`
	ThinkingLevel         ai.ThinkingLevel `json:"thinkingLevel,omitzero"`
	EndTurn               *bool            `json:"endTurn,omitzero"`
	Diagnostics           []ai.Diagnostic  `json:"diagnostics,omitzero"`
	API                   string           `json:"api,omitzero"`
	Provider              string           `json:"provider,omitzero"`
	Model                 string           `json:"model,omitzero"`
	Extra                 jsontext.Value   `json:"extra,omitzero"`
	Failure               *failure         `json:"failure,omitzero"`
	// Content is the message's, if it is not what was streamed; Broken then lists the
	// calls in it that must not run.
	Content *ai.Content  `json:"content,omitzero"`
	Broken  []brokenCall `json:"brokenCalls,omitzero"`
}

// brokenCall is what the JSON form of a call does not hold.
type brokenCall struct {
	ContentIndex int    `json:"contentIndex"`
	Error        string `json:"error"`
	Arguments    string `json:"arguments"`
}

// failure is what of an [ai.StatusError] decides about a retry.
type failure struct {
	Status       int    `json:"status,omitzero"`
	Code         string `json:"code,omitzero"`
	Message      string `json:"message,omitzero"`
	RetryAfterMs int64  `json:"retryAfterMs,omitzero"`
	Retry        *bool  `json:"retry,omitzero"`
}

func endingOf(m *ai.AssistantMessage) *ending {
	e := &ending{
		Type:                  ai.EventDone,
		Reason:                m.StopReason,
		ErrorMessage:          m.ErrorMessage,
		Usage:                 m.Usage,
		ProviderThinkingLevel: m.ProviderThinkingLevel,
		ResponseID:            m.ResponseID,
		ResponseModel:         m.ResponseModel,
		RawStopReason:         m.RawStopReason,
		ThinkingLevel:         m.ThinkingLevel,
		EndTurn:               m.EndTurn,
		Diagnostics:           m.Diagnostics,
		API:                   m.API,
		Provider:              m.Provider,
		Model:                 m.Model,
		Extra:                 m.Unknown,
	}
	if m.Failed() {
		e.Type = ai.EventError
		e.Failure = failureOf(m.Err)
	}
	return e
}

func failureOf(err error) *failure {
	status, ok := errors.AsType[*ai.StatusError](err)
	if !ok {
		return nil
	}
	return &failure{
		Status:       status.Status,
		Code:         status.Code,
		Message:      status.Message,
		RetryAfterMs: status.RetryAfter.Milliseconds(),
		Retry:        status.Retry,
	}
}

// apply completes a message that was rebuilt from deltas. A relay that is not Rondo's
// leaves out who answered; that stays what was asked.
func (e *ending) apply(m *ai.AssistantMessage) {
	m.StopReason = e.Reason
	m.ErrorMessage = e.ErrorMessage
	m.Usage = e.Usage
	m.ProviderThinkingLevel = e.ProviderThinkingLevel
	m.ResponseID = e.ResponseID
	m.ResponseModel = e.ResponseModel
	m.RawStopReason = e.RawStopReason
	m.ThinkingLevel = e.ThinkingLevel
	m.EndTurn = e.EndTurn
	m.Diagnostics = e.Diagnostics
	m.Unknown = e.Extra
	override(&m.API, e.API)
	override(&m.Provider, e.Provider)
	override(&m.Model, e.Model)
	if e.Content != nil {
		m.Content = *e.Content
	}
	for _, broken := range e.Broken {
		if i := broken.ContentIndex; i >= 0 && i < len(m.Content) {
			if call, ok := m.Content[i].(*ai.ToolCall); ok {
				call.ArgumentsError, call.RawArguments = broken.Error, broken.Arguments
			}
		}
	}
	if m.Failed() {
		m.Err = e.err()
	}
}

// err returns the failure as one that [ai.Classify] judges as it would at the server.
func (e *ending) err() error {
	if e.Failure == nil {
		return errors.New(e.ErrorMessage)
	}
	return &relayedError{e.ErrorMessage, &ai.StatusError{
		Status:     e.Failure.Status,
		Code:       e.Failure.Code,
		Message:    e.Failure.Message,
		RetryAfter: time.Duration(e.Failure.RetryAfterMs) * time.Millisecond,
		Retry:      e.Failure.Retry,
	}}
}

// relayedError is a provider's failure with the server's wording.
type relayedError struct {
	text   string
	status *ai.StatusError
}

func (e *relayedError) Error() string { return e.text }

func (e *relayedError) Unwrap() error { return e.status }
