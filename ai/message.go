package ai

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The roles that a model knows.
const (
	RoleUser       = "user"
	RoleAssistant  = "assistant"
	RoleToolResult = "toolResult"
	RoleSystem     = "system"
)

// Message is one entry of a conversation that a model can see: [*UserMessage],
// [*AssistantMessage], [*ToolResultMessage], [*SystemMessage], or [*UnknownMessage] for a
// role that this package does not know.
//
// Messages are used through pointers and never changed once they have been handed on.
//
//sumtype:decl
type Message interface {
	// Role is the message's discriminant on the wire.
	Role() string
	message()
}

// UserMessage is what a user says.
type UserMessage struct {
	Content Content `json:"content"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64          `json:"timestamp"`
	Unknown   jsontext.Value `json:",embed"`
}

// StopReason says why an answer ended.
type StopReason string

// The stop reasons of Pi 0.85.
const (
	StopPending  StopReason = "pending"  // the answer is still arriving
	StopEnd      StopReason = "stop"     // the model was done
	StopLength   StopReason = "length"   // the output limit cut the answer
	StopToolUse  StopReason = "toolUse"  // the model waits for tool results
	StopError    StopReason = "error"    // the provider failed
	StopAborted  StopReason = "aborted"  // the request was cancelled
	StopDeferred StopReason = "deferred" // the answer comes later, in a batch window
)

// AssistantMessage is an answer of a model.
type AssistantMessage struct {
	Content Content `json:"content"`
	// API, Provider and Model name the wire, the service and the model that was asked.
	API      string `json:"api"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// ResponseModel is the model that answered, where that is another one.
	ResponseModel string `json:"responseModel,omitzero"`
	ResponseID    string `json:"responseId,omitzero"`
	// ProviderThinkingLevel is the level as it was sent to the provider.
	ProviderThinkingLevel string `json:"providerThinkingLevel,omitzero"`
	// ThinkingLevel is the level that was asked for, where transcripts record it (Pi 1.x).
	ThinkingLevel ThinkingLevel `json:"thinkingLevel,omitzero"`
	Diagnostics   []Diagnostic  `json:"diagnostics,omitzero"`
	Usage         Usage         `json:"usage"`
	StopReason    StopReason    `json:"stopReason"`
	// ErrorMessage tells a person why the answer failed.
	ErrorMessage string `json:"errorMessage,omitzero"`
	// RawStopReason is the provider's own word for the stop reason.
	RawStopReason string `json:"rawStopReason,omitzero"`
	// EndTurn is the provider's hint that nothing more is to come.
	EndTurn *bool `json:"endTurn,omitzero"`
	// Timestamp is when the request was sent, in milliseconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// DurationMs is how long the answer took, in milliseconds.
	DurationMs int64          `json:"durationMs,omitzero"`
	Unknown    jsontext.Value `json:",embed"`

	// Err is the error behind ErrorMessage, for errors.Is and errors.As. It is not part
	// of the JSON form.
	Err error `json:"-"`
}

// Failed reports whether the answer ended with an error or was aborted.
func (m *AssistantMessage) Failed() bool {
	return m.StopReason == StopError || m.StopReason == StopAborted
}

// Diagnostic is a note about how an answer was made, such as a block that was dropped.
type Diagnostic struct {
	Type      string         `json:"type"`
	Timestamp int64          `json:"timestamp"`
	Error     jsontext.Value `json:"error,omitzero"`
	Details   jsontext.Value `json:"details,omitzero"`
}

// ToolResultMessage is the outcome of one tool call.
type ToolResultMessage struct {
	ToolCallID string  `json:"toolCallId"`
	ToolName   string  `json:"toolName"`
	Content    Content `json:"content"`
	// Details is for user interfaces; a model never sees it.
	Details jsontext.Value `json:"details,omitzero"`
	// Structured is the result as data, beside its text (Pi 1.x).
	Structured jsontext.Value `json:"structuredContent,omitzero"`
	// Usage is what the tool itself spent on models.
	Usage *Usage `json:"usage,omitzero"`
	// AddedToolNames are tools that became active with this call.
	AddedToolNames []string `json:"addedToolNames,omitzero"`
	IsError        bool     `json:"isError"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// DurationMs is how long the tool ran, in milliseconds; nil if it did not run.
	DurationMs *int64         `json:"durationMs,omitzero"`
	Unknown    jsontext.Value `json:",embed"`
}

// SystemMessage instructs the model and says which tools it has (Pi 1.x). The first
// message of a transcript declares; later ones change what was declared before.
type SystemMessage struct {
	Content string `json:"content"`
	// Sections patches named parts of the prompt; null removes one.
	Sections     map[string]*string `json:"sections,omitzero"`
	ToolsAdded   []ToolDecl         `json:"toolsAdded,omitzero"`
	ToolsRemoved []string           `json:"toolsRemoved,omitzero"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64          `json:"timestamp"`
	Unknown   jsontext.Value `json:",embed"`
}

// UnknownMessage is a message of a role that this package does not know.
type UnknownMessage struct {
	role string
	// Raw is the message's JSON, byte for byte.
	Raw jsontext.Value
}

// Role returns "user".
func (*UserMessage) Role() string { return RoleUser }

// Role returns "assistant".
func (*AssistantMessage) Role() string { return RoleAssistant }

// Role returns "toolResult".
func (*ToolResultMessage) Role() string { return RoleToolResult }

// Role returns "system".
func (*SystemMessage) Role() string { return RoleSystem }

// Role returns the role found in the JSON, which may be empty.
func (m *UnknownMessage) Role() string { return m.role }

func (*UserMessage) message()       {}
func (*AssistantMessage) message()  {}
func (*ToolResultMessage) message() {}
func (*SystemMessage) message()     {}
func (*UnknownMessage) message()    {}

type roled[T any] struct {
	Role string `json:"role"`
	Body *T     `json:",embed"`
}

// The plain types have the fields of the messages but not their methods.
type (
	plainUser       UserMessage
	plainAssistant  AssistantMessage
	plainToolResult ToolResultMessage
	plainSystem     SystemMessage
)

// MarshalJSONTo writes the message with its role.
func (m *UserMessage) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, roled[plainUser]{RoleUser, (*plainUser)(m)})
}

// MarshalJSONTo writes the message with its role.
func (m *AssistantMessage) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, roled[plainAssistant]{RoleAssistant, (*plainAssistant)(m)})
}

// MarshalJSONTo writes the message with its role.
func (m *ToolResultMessage) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, roled[plainToolResult]{RoleToolResult, (*plainToolResult)(m)})
}

// MarshalJSONTo writes the message with its role.
func (m *SystemMessage) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, roled[plainSystem]{RoleSystem, (*plainSystem)(m)})
}

// MarshalJSONTo writes the message as it was read.
func (m *UnknownMessage) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(m.Raw) }

// DecodeMessage reads one message. A role that this package does not know gives an
// [*UnknownMessage]; an error means that raw is no object or that a known field has the
// wrong type.
func DecodeMessage(raw jsontext.Value) (Message, error) {
	role := leading(raw, `{"role":"`)
	switch role {
	case RoleUser, RoleAssistant, RoleToolResult, RoleSystem:
	default:
		var head struct {
			Role string `json:"role"`
		}
		if err := json.Unmarshal(raw, &head); err != nil {
			return nil, fmt.Errorf("read message: %w", err)
		}
		role = head.Role
	}
	var m Message
	var err error
	switch role {
	case RoleUser:
		v := new(UserMessage)
		m, err = v, json.Unmarshal(raw, &roled[plainUser]{Body: (*plainUser)(v)})
	case RoleAssistant:
		v := new(AssistantMessage)
		m, err = v, json.Unmarshal(raw, &roled[plainAssistant]{Body: (*plainAssistant)(v)})
	case RoleToolResult:
		v := new(ToolResultMessage)
		m, err = v, json.Unmarshal(raw, &roled[plainToolResult]{Body: (*plainToolResult)(v)})
	case RoleSystem:
		v := new(SystemMessage)
		m, err = v, json.Unmarshal(raw, &roled[plainSystem]{Body: (*plainSystem)(v)})
	default:
		return &UnknownMessage{role: role, Raw: bytes.Clone(raw)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read message of role %q: %w", role, err)
	}
	return m, nil
}
