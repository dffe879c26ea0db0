package relay

import (
	"maps"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// Path is where a client of Pi's proxy expects the handler, below the server's URL.
const Path = "/api/stream"

// request is the body of a request.
type request struct {
	Model   *ai.Model    `json:"model"`
	Context conversation `json:"context"`
	Options options      `json:"options"`
}

// conversation is an [ai.Context] on the wire.
type conversation struct {
	SystemPrompt string        `json:"systemPrompt,omitzero"`
	Messages     messages      `json:"messages"`
	Tools        []ai.ToolDecl `json:"tools,omitzero"`
}

// messages are of any role; those that are not known keep their JSON.
type messages []ai.Message

// UnmarshalJSONFrom reads an array of messages.
func (m *messages) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var raws []jsontext.Value
	if err := json.UnmarshalDecode(d, &raws); err != nil {
		return err
	}
	*m = make(messages, len(raws))
	for i, raw := range raws {
		var err error
		if (*m)[i], err = ai.DecodeMessage(raw); err != nil {
			return err
		}
	}
	return nil
}

// options are what a client may set of [ai.Options] (Pi 0.85, and toolChoice).
type options struct {
	Temperature     *float64                  `json:"temperature,omitzero"`
	SamplingParams  map[string]jsontext.Value `json:"samplingParams,omitzero"`
	MaxTokens       int                       `json:"maxTokens,omitzero"`
	Reasoning       ai.ThinkingLevel          `json:"reasoning,omitzero"`
	ToolChoice      string                    `json:"toolChoice,omitzero"`
	CacheRetention  string                    `json:"cacheRetention,omitzero"`
	SessionID       string                    `json:"sessionId,omitzero"`
	Headers         map[string]*string        `json:"headers,omitzero"` // null removes one
	Metadata        map[string]jsontext.Value `json:"metadata,omitzero"`
	ThinkingBudgets map[ai.ThinkingLevel]int  `json:"thinkingBudgets,omitzero"`
	// MaxRetryDelayMs is in milliseconds; 0 means no limit.
	MaxRetryDelayMs *int64 `json:"maxRetryDelayMs,omitzero"`
}

// newRequest leaves out what is no business of the server's, above all credentials.
func newRequest(req *ai.Request) *request {
	model := *req.Model
	model.Headers = nil
	o := &req.Options
	out := &request{
		Model:   &model,
		Context: conversation{req.Context.SystemPrompt, req.Context.Messages, req.Context.Tools},
		Options: options{
			Temperature:     o.Temperature,
			SamplingParams:  o.SamplingParams,
			MaxTokens:       o.MaxTokens,
			ToolChoice:      o.ToolChoice,
			CacheRetention:  o.CacheRetention,
			SessionID:       o.SessionID,
			ThinkingBudgets: o.ThinkingBudgets,
			Headers:         wireHeaders(o.Headers),
			Metadata:        wireMetadata(o.Metadata),
		},
	}
	if o.Thinking != ai.ThinkingOff {
		out.Options.Reasoning = o.Thinking
	}
	if d := o.MaxRetryDelay; d != 0 {
		ms := max(d.Milliseconds(), 0)
		out.Options.MaxRetryDelayMs = &ms
	}
	return out
}

func wireHeaders(headers map[string]string) map[string]*string {
	var out map[string]*string
	for name, value := range headers {
		if isCredential(name) {
			continue
		}
		if out == nil {
			out = make(map[string]*string)
		}
		if out[name] = nil; value != "" {
			out[name] = &value
		}
	}
	return out
}

func wireMetadata(metadata map[string]string) map[string]jsontext.Value {
	if metadata == nil {
		return nil
	}
	out := make(map[string]jsontext.Value, len(metadata))
	for key, value := range metadata {
		out[key], _ = jsontext.AppendQuote(nil, value) // its only error is about invalid UTF-8, which it replaces
	}
	return out
}

// lay puts the client's settings over the server's. A limit of the server's stays a
// limit, and its headers win.
func (o *options) lay(server ai.Options) ai.Options {
	out := server
	override(&out.Temperature, o.Temperature)
	override(&out.Thinking, o.Reasoning)
	override(&out.ToolChoice, o.ToolChoice)
	override(&out.CacheRetention, o.CacheRetention)
	override(&out.SessionID, o.SessionID)
	if o.MaxTokens > 0 && (server.MaxTokens == 0 || o.MaxTokens < server.MaxTokens) {
		out.MaxTokens = o.MaxTokens
	}
	if ms := o.MaxRetryDelayMs; ms != nil && server.MaxRetryDelay == 0 {
		out.MaxRetryDelay = min(time.Duration(*ms), maxDelayMs) * time.Millisecond
		if *ms <= 0 {
			out.MaxRetryDelay = -1
		}
	}
	if o.ThinkingBudgets != nil && server.ThinkingBudgets == nil {
		out.ThinkingBudgets = o.ThinkingBudgets
	}
	out.SamplingParams = layMap(o.sampling(), server.SamplingParams)
	out.Headers = layMap(o.headers(server.Headers), server.Headers)
	out.Metadata = layMap(o.metadata(), server.Metadata)
	return out
}

// maxDelayMs keeps a delay from overflowing: a day.
const maxDelayMs = 24 * 60 * 60 * 1000

func override[T comparable](to *T, with T) {
	var zero T
	if with != zero {
		*to = with
	}
}

// layMap returns both maps in one; top wins.
func layMap[V any](bottom, top map[string]V) map[string]V {
	if len(bottom) == 0 {
		return top
	}
	out := maps.Clone(bottom)
	maps.Copy(out, top)
	return out
}

// headers returns the client's headers without credentials and those that the server
// sets itself, whatever their case.
func (o *options) headers(server map[string]string) map[string]string {
	out := make(map[string]string, len(o.Headers))
	for name, value := range o.Headers {
		if isCredential(name) || hasHeader(server, name) {
			continue
		}
		if out[name] = ""; value != nil {
			out[name] = *value
		}
	}
	return out
}

// sampling returns the client's parameters without those that would choose another model
// or end the streaming.
func (o *options) sampling() map[string]jsontext.Value {
	out := maps.Clone(o.SamplingParams)
	for _, name := range []string{"model", "models", "stream"} {
		delete(out, name)
	}
	return out
}

func hasHeader(headers map[string]string, name string) bool {
	for have := range headers {
		if strings.EqualFold(have, name) {
			return true
		}
	}
	return false
}

// metadata keeps the texts; other values have no place in [ai.Options].
func (o *options) metadata() map[string]string {
	out := make(map[string]string, len(o.Metadata))
	for key, raw := range o.Metadata {
		var text string
		if raw.Kind() == '"' && json.Unmarshal(raw, &text, wire.Lax) == nil {
			out[key] = text
		}
	}
	return out
}

// isCredential reports whether a header may carry a credential, or steer the connection
// that does.
func isCredential(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "host", "connection", "content-length", "transfer-encoding", "x-forwarded-host", "forwarded":
		return true
	}
	for _, part := range []string{"auth", "key", "token", "secret", "cookie", "credential", "password", "signature"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
