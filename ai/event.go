package ai

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// StreamEvent is one step of an answer that arrives: [*Start], [*TextStart],
// [*TextDelta], [*TextEnd], [*ThinkingStart], [*ThinkingDelta], [*ThinkingEnd],
// [*ToolCallStart], [*ToolCallDelta], [*ToolCallEnd], and the terminal [*Done] or [*Error].
//
//sumtype:decl
type StreamEvent interface {
	// Type is the event's discriminant on the wire.
	Type() string
	// AppendJSON appends the event's JSON form, in which the cumulative message is left
	// out, so that a stream of n deltas has O(n) bytes.
	AppendJSON(dst []byte) []byte
	streamEvent()
}

// The discriminants of stream events.
const (
	EventStart         = "start"
	EventTextStart     = "text_start"
	EventTextDelta     = "text_delta"
	EventTextEnd       = "text_end"
	EventThinkingStart = "thinking_start"
	EventThinkingDelta = "thinking_delta"
	EventThinkingEnd   = "thinking_end"
	EventToolCallStart = "toolcall_start"
	EventToolCallDelta = "toolcall_delta"
	EventToolCallEnd   = "toolcall_end"
	EventDone          = "done"
	EventError         = "error"
)

// Events of an answer. ContentIndex is the block's place in the message's content;
// blocks may interleave. Partial is the message so far, this event included.
type (
	// Start says that the answer has begun.
	Start struct {
		Partial Partial
	}
	// TextStart opens an empty text block.
	TextStart struct {
		ContentIndex int
		Partial      Partial
	}
	// TextDelta adds to a text block.
	TextDelta struct {
		ContentIndex int
		Delta        string
		Partial      Partial
	}
	// TextEnd closes a text block.
	TextEnd struct {
		ContentIndex int
		// Content is the block's whole text.
		Content string
		Partial Partial
	}
	// ThinkingStart opens an empty thinking block.
	ThinkingStart struct {
		ContentIndex int
		Partial      Partial
	}
	// ThinkingDelta adds to a thinking block.
	ThinkingDelta struct {
		ContentIndex int
		Delta        string
		Partial      Partial
	}
	// ThinkingEnd closes a thinking block.
	ThinkingEnd struct {
		ContentIndex int
		// Content is the block's whole text.
		Content string
		Partial Partial
	}
	// ToolCallStart opens a tool call.
	ToolCallStart struct {
		ContentIndex int
		ID           string
		ToolName     string
		Partial      Partial
	}
	// ToolCallDelta adds to the JSON text of a call's arguments. What has arrived may be
	// shown ([Partial.Arguments]) but must not be run.
	ToolCallDelta struct {
		ContentIndex int
		Delta        string
		Partial      Partial
	}
	// ToolCallEnd closes a tool call.
	ToolCallEnd struct {
		ContentIndex int
		ToolCall     *ToolCall
		Partial      Partial
	}
	// Done ends an answer that succeeded: Message.StopReason is stop, length, toolUse or
	// deferred.
	Done struct {
		Message *AssistantMessage
	}
	// Error ends an answer that failed: Message.StopReason is error or aborted, and
	// Message holds what had arrived.
	Error struct {
		Message *AssistantMessage
	}
)

// Type returns "start".
func (*Start) Type() string { return EventStart }

// Type returns "text_start".
func (*TextStart) Type() string { return EventTextStart }

// Type returns "text_delta".
func (*TextDelta) Type() string { return EventTextDelta }

// Type returns "text_end".
func (*TextEnd) Type() string { return EventTextEnd }

// Type returns "thinking_start".
func (*ThinkingStart) Type() string { return EventThinkingStart }

// Type returns "thinking_delta".
func (*ThinkingDelta) Type() string { return EventThinkingDelta }

// Type returns "thinking_end".
func (*ThinkingEnd) Type() string { return EventThinkingEnd }

// Type returns "toolcall_start".
func (*ToolCallStart) Type() string { return EventToolCallStart }

// Type returns "toolcall_delta".
func (*ToolCallDelta) Type() string { return EventToolCallDelta }

// Type returns "toolcall_end".
func (*ToolCallEnd) Type() string { return EventToolCallEnd }

// Type returns "done".
func (*Done) Type() string { return EventDone }

// Type returns "error".
func (*Error) Type() string { return EventError }

func (*Start) streamEvent()         {}
func (*TextStart) streamEvent()     {}
func (*TextDelta) streamEvent()     {}
func (*TextEnd) streamEvent()       {}
func (*ThinkingStart) streamEvent() {}
func (*ThinkingDelta) streamEvent() {}
func (*ThinkingEnd) streamEvent()   {}
func (*ToolCallStart) streamEvent() {}
func (*ToolCallDelta) streamEvent() {}
func (*ToolCallEnd) streamEvent()   {}
func (*Done) streamEvent()          {}
func (*Error) streamEvent()         {}

// PartialOf returns the message so far that ev carries; false for terminal events.
func PartialOf(ev StreamEvent) (Partial, bool) {
	switch ev := ev.(type) {
	case *Start:
		return ev.Partial, true
	case *TextStart:
		return ev.Partial, true
	case *TextDelta:
		return ev.Partial, true
	case *TextEnd:
		return ev.Partial, true
	case *ThinkingStart:
		return ev.Partial, true
	case *ThinkingDelta:
		return ev.Partial, true
	case *ThinkingEnd:
		return ev.Partial, true
	case *ToolCallStart:
		return ev.Partial, true
	case *ToolCallDelta:
		return ev.Partial, true
	case *ToolCallEnd:
		return ev.Partial, true
	case *Done, *Error:
	}
	return Partial{}, false
}

// appendIndexed opens the JSON of an event that belongs to a block; the caller closes it.
func appendIndexed(dst []byte, typ string, index int) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, `","contentIndex":`...)
	return strconv.AppendInt(dst, int64(index), 10)
}

func appendDelta(dst []byte, typ string, index int, key, text string) []byte {
	dst = appendIndexed(dst, typ, index)
	dst = append(dst, `,"`...)
	dst = append(dst, key...)
	dst = append(dst, `":`...)
	dst = appendString(dst, text)
	return append(dst, '}')
}

// appendValue appends what cannot fail to encode: messages and blocks.
func appendValue(dst []byte, v any) []byte {
	out, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, out...)
}

// AppendJSON implements [StreamEvent].
func (*Start) AppendJSON(dst []byte) []byte { return append(dst, `{"type":"start"}`...) }

// AppendJSON implements [StreamEvent].
func (e *TextStart) AppendJSON(dst []byte) []byte {
	return append(appendIndexed(dst, EventTextStart, e.ContentIndex), '}')
}

// AppendJSON implements [StreamEvent].
func (e *TextDelta) AppendJSON(dst []byte) []byte {
	return appendDelta(dst, EventTextDelta, e.ContentIndex, "delta", e.Delta)
}

// AppendJSON implements [StreamEvent].
func (e *TextEnd) AppendJSON(dst []byte) []byte {
	return appendDelta(dst, EventTextEnd, e.ContentIndex, "content", e.Content)
}

// AppendJSON implements [StreamEvent].
func (e *ThinkingStart) AppendJSON(dst []byte) []byte {
	return append(appendIndexed(dst, EventThinkingStart, e.ContentIndex), '}')
}

// AppendJSON implements [StreamEvent].
func (e *ThinkingDelta) AppendJSON(dst []byte) []byte {
	return appendDelta(dst, EventThinkingDelta, e.ContentIndex, "delta", e.Delta)
}

// AppendJSON implements [StreamEvent].
func (e *ThinkingEnd) AppendJSON(dst []byte) []byte {
	return appendDelta(dst, EventThinkingEnd, e.ContentIndex, "content", e.Content)
}

// AppendJSON implements [StreamEvent]. The call's id and tool are on the wire from the
// first event on.
func (e *ToolCallStart) AppendJSON(dst []byte) []byte {
	dst = appendIndexed(dst, EventToolCallStart, e.ContentIndex)
	dst = append(dst, `,"id":`...)
	dst = appendString(dst, e.ID)
	dst = append(dst, `,"toolName":`...)
	dst = appendString(dst, e.ToolName)
	return append(dst, '}')
}

// AppendJSON implements [StreamEvent].
func (e *ToolCallDelta) AppendJSON(dst []byte) []byte {
	return appendDelta(dst, EventToolCallDelta, e.ContentIndex, "delta", e.Delta)
}

// AppendJSON implements [StreamEvent].
func (e *ToolCallEnd) AppendJSON(dst []byte) []byte {
	dst = appendIndexed(dst, EventToolCallEnd, e.ContentIndex)
	dst = append(dst, `,"toolCall":`...)
	dst = appendValue(dst, e.ToolCall)
	return append(dst, '}')
}

// AppendJSON implements [StreamEvent].
func (e *Done) AppendJSON(dst []byte) []byte {
	return appendTerminal(dst, EventDone, e.Message.StopReason, "message", e.Message)
}

// AppendJSON implements [StreamEvent].
func (e *Error) AppendJSON(dst []byte) []byte {
	return appendTerminal(dst, EventError, e.Message.StopReason, "error", e.Message)
}

func appendTerminal(dst []byte, typ string, reason StopReason, key string, m *AssistantMessage) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, `","reason":`...)
	dst = appendString(dst, string(reason))
	dst = append(dst, `,"`...)
	dst = append(dst, key...)
	dst = append(dst, `":`...)
	dst = appendValue(dst, m)
	return append(dst, '}')
}
