package proto

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Event is one event as it is on the wire: a pointer to one of the structs that [Events] lists,
// or an [*Unknown].
//
//sumtype:decl
type Event interface {
	// Type is the event's discriminant.
	Type() string
	// Raw is the line that the event was read from; nil if it was made otherwise.
	Raw() jsontext.Value
	setRaw(raw jsontext.Value)
}

// line is the part that all events share.
type line struct{ raw jsontext.Value }

// Raw returns the line that the event was read from, with all of its members.
func (l *line) Raw() jsontext.Value { return l.raw }

func (l *line) setRaw(raw jsontext.Value) { l.raw = raw }

// Unknown is an event of a kind that this package does not know. Its Raw has all of it.
type Unknown struct {
	line

	kind string
}

// Type returns the discriminant as it was read.
func (u *Unknown) Type() string { return u.kind }

// EventKind is a row of the table of events.
type EventKind struct {
	Type string
	New  func() Event
}

// DecodeEvent reads one line. A kind that is not in [Events] is an [*Unknown]. An error means that
// the line is no JSON object with a type, or that a member is of the wrong kind; in the latter case
// an [*Unknown] comes with it. The event keeps the line, which must not be changed afterwards.
func DecodeEvent(raw jsontext.Value) (Event, error) {
	var head struct {
		Type *string `json:"type"`
	}
	if err := Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	if head.Type == nil {
		return nil, errors.New("read an event: it has no type")
	}
	unknown := &Unknown{line{raw}, *head.Type}
	construct, known := constructors[*head.Type]
	if !known {
		return unknown, nil
	}
	ev := construct()
	if err := Unmarshal(raw, ev); err != nil {
		return unknown, fmt.Errorf("read the event %s: %w", *head.Type, err)
	}
	ev.setRaw(raw)
	return ev, nil
}

type (
	// AgentStart is the first event of a run.
	AgentStart struct {
		line `json:"-"`
	}
	// AgentEnd is the last event of a run.
	AgentEnd struct {
		line `json:"-"`

		// Messages are those that the run added.
		Messages []Message `json:"messages"`
		// WillRetry says that another run follows to repeat the failed request.
		WillRetry bool `json:"willRetry"`
	}
	// TurnStart comes before each request to the model.
	TurnStart struct {
		line `json:"-"`
	}
	// TurnEnd comes after an answer and the results of its tool calls.
	TurnEnd struct {
		line `json:"-"`

		Message     Message   `json:"message"`
		ToolResults []Message `json:"toolResults"`
	}
	// MessageStart says that a message begins. An answer is empty here.
	MessageStart struct {
		line `json:"-"`

		Message Message `json:"message"`
	}
	// MessageUpdate is one step of an answer that streams.
	MessageUpdate struct {
		line `json:"-"`

		Usage ai.Usage `json:"usage"`
		Step  Step     `json:"assistantMessageEvent"`
	}
	// Step is what an answer has grown by. Its Type is one of the nine stream events of
	// package ai between start and end; members that a type does not have are zero.
	Step struct {
		Type         string `json:"type"`
		ContentIndex int    `json:"contentIndex"`
		// Delta is the text of text_delta, thinking_delta and toolcall_delta.
		Delta string `json:"delta,omitzero"`
		// Content is the whole text of text_end and thinking_end.
		Content string `json:"content,omitzero"`
		// ID and ToolName are those of toolcall_start.
		ID       string `json:"id,omitzero"`
		ToolName string `json:"toolName,omitzero"`
		// ToolCall is the whole call of toolcall_end.
		ToolCall *ai.ToolCall `json:"toolCall,omitzero"`
	}
	// MessageEnd says that a message is complete.
	MessageEnd struct {
		line `json:"-"`

		Message Message `json:"message"`
	}
	// ToolExecutionStart comes before a call runs. Args are as the model wrote them.
	ToolExecutionStart struct {
		line `json:"-"`

		ToolCallID string         `json:"toolCallId"`
		ToolName   string         `json:"toolName"`
		Args       jsontext.Value `json:"args"`
	}
	// ToolExecutionUpdate is a tool's progress.
	ToolExecutionUpdate struct {
		line `json:"-"`

		ToolCallID    string         `json:"toolCallId"`
		ToolName      string         `json:"toolName"`
		Args          jsontext.Value `json:"args"`
		PartialResult *ToolResult    `json:"partialResult"`
	}
	// ToolExecutionEnd says what a call has come to.
	ToolExecutionEnd struct {
		line `json:"-"`

		ToolCallID string      `json:"toolCallId"`
		ToolName   string      `json:"toolName"`
		Result     *ToolResult `json:"result"`
		IsError    bool        `json:"isError"`
		// DurationMs is how long the tool ran, in milliseconds; nil if it did not.
		DurationMs *int64 `json:"durationMs,omitzero"`
	}
	// ToolResult is what a tool returns.
	ToolResult struct {
		Content        ai.Content     `json:"content"`
		Details        jsontext.Value `json:"details,omitzero"`
		Structured     jsontext.Value `json:"structuredContent,omitzero"`
		Usage          *ai.Usage      `json:"usage,omitzero"`
		AddedToolNames []string       `json:"addedToolNames,omitzero"`
		Terminate      *bool          `json:"terminate,omitzero"`
		Unknown        jsontext.Value `json:",embed"`
	}
)

// Type returns "agent_start".
func (*AgentStart) Type() string { return "agent_start" }

// Type returns "agent_end".
func (*AgentEnd) Type() string { return "agent_end" }

// Type returns "turn_start".
func (*TurnStart) Type() string { return "turn_start" }

// Type returns "turn_end".
func (*TurnEnd) Type() string { return "turn_end" }

// Type returns "message_start".
func (*MessageStart) Type() string { return "message_start" }

// Type returns "message_update".
func (*MessageUpdate) Type() string { return "message_update" }

// Type returns "message_end".
func (*MessageEnd) Type() string { return "message_end" }

// Type returns "tool_execution_start".
func (*ToolExecutionStart) Type() string { return "tool_execution_start" }

// Type returns "tool_execution_update".
func (*ToolExecutionUpdate) Type() string { return "tool_execution_update" }

// Type returns "tool_execution_end".
func (*ToolExecutionEnd) Type() string { return "tool_execution_end" }
