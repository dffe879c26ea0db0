package agent

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Event is one step of a run: [*AgentStart], [*AgentEnd], [*TurnStart], [*TurnEnd],
// [*MessageStart], [*MessageUpdate], [*MessageEnd], [*ToolExecutionStart],
// [*ToolExecutionUpdate], [*ToolExecutionEnd].
//
//sumtype:decl
type Event interface {
	// Type is the event's discriminant on the wire.
	Type() string
	// AppendJSON appends the event's JSON form (Pi 0.85), which is one line, whatever white
	// space the JSON of models and tools has. Streamed messages are written as deltas, so
	// that a stream of n deltas has O(n) bytes.
	AppendJSON(dst []byte) []byte
	event()
}

// Sealed makes the struct that embeds it an [Event]. Package session/event uses it for the
// events that a session adds; the loop emits only those of this package.
type Sealed struct{}

func (Sealed) event() {} //nolint:unused // it seals what embeds it

// The discriminants of events.
const (
	EventAgentStart          = "agent_start"
	EventAgentEnd            = "agent_end"
	EventTurnStart           = "turn_start"
	EventTurnEnd             = "turn_end"
	EventMessageStart        = "message_start"
	EventMessageUpdate       = "message_update"
	EventMessageEnd          = "message_end"
	EventToolExecutionStart  = "tool_execution_start"
	EventToolExecutionUpdate = "tool_execution_update"
	EventToolExecutionEnd    = "tool_execution_end"
)

type (
	// AgentStart is the first event of a run.
	AgentStart struct{}
	// AgentEnd is the last event of a run.
	AgentEnd struct {
		// Messages are those that the run added, in order.
		Messages []Message
	}
	// TurnStart comes before each request.
	TurnStart struct{}
	// TurnEnd comes after an answer and the results of its tool calls.
	TurnEnd struct {
		Message     *ai.AssistantMessage
		ToolResults []*ai.ToolResultMessage
	}
	// MessageStart says that a message begins. An answer is empty here.
	MessageStart struct {
		Message Message
	}
	// MessageUpdate is one step of an answer that streams.
	MessageUpdate struct {
		// Stream is the model layer's event, one of the nine between start and end.
		Stream ai.StreamEvent
	}
	// MessageEnd says that a message is complete and part of the transcript.
	MessageEnd struct {
		Message Message
		slot    *messageSlot
	}
	// ToolExecutionStart comes before a call is prepared, in the order of the calls.
	ToolExecutionStart struct {
		ToolCallID string
		ToolName   string
		// Args are the arguments as the model wrote them.
		Args jsontext.Value
	}
	// ToolExecutionUpdate is a tool's progress.
	ToolExecutionUpdate struct {
		ToolCallID    string
		ToolName      string
		Args          jsontext.Value
		PartialResult *ToolResult
	}
	// ToolExecutionEnd comes when a call is final, in the order of finishing.
	ToolExecutionEnd struct {
		ToolCallID string
		ToolName   string
		Result     *ToolResult
		IsError    bool
		// DurationMs is how long the tool ran; nil if it did not.
		DurationMs *int64
	}
)

// Type returns "agent_start".
func (*AgentStart) Type() string { return EventAgentStart }

// Type returns "agent_end".
func (*AgentEnd) Type() string { return EventAgentEnd }

// Type returns "turn_start".
func (*TurnStart) Type() string { return EventTurnStart }

// Type returns "turn_end".
func (*TurnEnd) Type() string { return EventTurnEnd }

// Type returns "message_start".
func (*MessageStart) Type() string { return EventMessageStart }

// Type returns "message_update".
func (*MessageUpdate) Type() string { return EventMessageUpdate }

// Type returns "message_end".
func (*MessageEnd) Type() string { return EventMessageEnd }

// Type returns "tool_execution_start".
func (*ToolExecutionStart) Type() string { return EventToolExecutionStart }

// Type returns "tool_execution_update".
func (*ToolExecutionUpdate) Type() string { return EventToolExecutionUpdate }

// Type returns "tool_execution_end".
func (*ToolExecutionEnd) Type() string { return EventToolExecutionEnd }

func (*AgentStart) event()          {}
func (*AgentEnd) event()            {}
func (*TurnStart) event()           {}
func (*TurnEnd) event()             {}
func (*MessageStart) event()        {}
func (*MessageUpdate) event()       {}
func (*MessageEnd) event()          {}
func (*ToolExecutionStart) event()  {}
func (*ToolExecutionUpdate) event() {}
func (*ToolExecutionEnd) event()    {}

// Message returns the answer so far. It is built when asked for; see
// [ai.Partial.Message].
func (e *MessageUpdate) Message() *ai.AssistantMessage {
	p, _ := ai.PartialOf(e.Stream)
	return p.Message()
}

// Replace puts another message of the same role in this one's place: in the transcript,
// in the rest of this delivery, and in everything later. It may be called by a listener
// while the event is delivered, and panics for a message of another role.
func (e *MessageEnd) Replace(m Message) {
	if m.Role() != e.Message.Role() {
		panic("agent: MessageEnd.Replace: a " + e.Message.Role() + " message cannot become a " + m.Role() + " message")
	}
	if e.slot != nil {
		e.slot.replace(m)
	}
}

// AppendJSON implements [Event].
func (*AgentStart) AppendJSON(dst []byte) []byte { return append(dst, `{"type":"agent_start"}`...) }

// AppendJSON implements [Event].
func (e *AgentEnd) AppendJSON(dst []byte) []byte {
	return append(e.appendOpen(dst), '}')
}

// AppendRetry appends the JSON form that a session sends: with willRetry, which says that
// another run follows to repeat the failed request.
func (e *AgentEnd) AppendRetry(dst []byte, willRetry bool) []byte {
	dst = append(e.appendOpen(dst), `,"willRetry":`...)
	return append(strconv.AppendBool(dst, willRetry), '}')
}

func (e *AgentEnd) appendOpen(dst []byte) []byte {
	dst = append(dst, `{"type":"agent_end","messages":[`...)
	for i, m := range e.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(dst, m)
	}
	return append(dst, ']')
}

// AppendJSON implements [Event].
func (*TurnStart) AppendJSON(dst []byte) []byte { return append(dst, `{"type":"turn_start"}`...) }

// AppendJSON implements [Event].
func (e *TurnEnd) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"turn_end","message":`...)
	dst = appendValue(dst, e.Message)
	dst = append(dst, `,"toolResults":[`...)
	for i, m := range e.ToolResults {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(dst, m)
	}
	return append(dst, `]}`...)
}

// AppendJSON implements [Event].
func (e *MessageStart) AppendJSON(dst []byte) []byte {
	return appendMessageEvent(dst, EventMessageStart, e.Message)
}

// AppendJSON implements [Event]. Of the message so far only the usage is written, as Pi 0.85
// does; a tool call's id and name are in its stream event.
func (e *MessageUpdate) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"message_update","usage":`...)
	p, _ := ai.PartialOf(e.Stream)
	dst = p.Usage().AppendJSON(dst)
	dst = append(dst, `,"assistantMessageEvent":`...)
	dst = e.Stream.AppendJSON(dst)
	return append(dst, '}')
}

// AppendJSON implements [Event].
func (e *MessageEnd) AppendJSON(dst []byte) []byte {
	return appendMessageEvent(dst, EventMessageEnd, e.Message)
}

// AppendJSON implements [Event].
func (e *ToolExecutionStart) AppendJSON(dst []byte) []byte {
	dst = appendCall(dst, EventToolExecutionStart, e.ToolCallID, e.ToolName)
	dst = append(dst, `,"args":`...)
	return append(appendRaw(dst, e.Args), '}')
}

// AppendJSON implements [Event].
func (e *ToolExecutionUpdate) AppendJSON(dst []byte) []byte {
	dst = appendCall(dst, EventToolExecutionUpdate, e.ToolCallID, e.ToolName)
	dst = append(dst, `,"args":`...)
	dst = appendRaw(dst, e.Args)
	dst = append(dst, `,"partialResult":`...)
	return append(appendValue(dst, e.PartialResult), '}')
}

// AppendJSON implements [Event].
func (e *ToolExecutionEnd) AppendJSON(dst []byte) []byte {
	dst = appendCall(dst, EventToolExecutionEnd, e.ToolCallID, e.ToolName)
	dst = append(dst, `,"result":`...)
	dst = appendValue(dst, e.Result)
	dst = append(dst, `,"isError":`...)
	dst = strconv.AppendBool(dst, e.IsError)
	if e.DurationMs != nil {
		dst = append(dst, `,"durationMs":`...)
		dst = strconv.AppendInt(dst, *e.DurationMs, 10)
	}
	return append(dst, '}')
}

func appendMessageEvent(dst []byte, typ string, m Message) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, `","message":`...)
	return append(appendValue(dst, m), '}')
}

func appendCall(dst []byte, typ, id, name string) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, `","toolCallId":`...)
	dst = appendString(dst, id)
	dst = append(dst, `,"toolName":`...)
	return appendString(dst, name)
}

func appendString(dst []byte, s string) []byte {
	out, _ := jsontext.AppendQuote(dst, s) // its only error is about invalid UTF-8, which it replaces
	return out
}

// appendRaw appends JSON as a model has written it without the white space between its
// tokens, since the form of an event is one line. Text that is no JSON becomes a string.
func appendRaw(dst []byte, raw jsontext.Value) []byte {
	if len(raw) == 0 {
		return append(dst, "{}"...)
	}
	out, err := jsontext.AppendFormat(dst, raw,
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return appendString(dst, string(raw))
	}
	return out
}

// appendValue appends v, or null if a message kind of the product's own cannot be
// written.
func appendValue(dst []byte, v any) []byte {
	out, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, out...)
}
