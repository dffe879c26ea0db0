package serve

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
)

// view is what the events of a session have led to: what a client that has had all of them
// shows. It is changed under the mutex of its live session, in the same step in which an event
// gets its id, so that a snapshot of it and the events after that id fit together.
type view struct {
	messages []agent.Message // the conversation; only ever appended to, or replaced as a whole
	answer   *answer         // the one that streams; nil if none does
	calls    []*call         // tool calls that run, in the order of their start
	busy     bool            // between agent_start and agent_settled
	queue    *event.QueueUpdate
	retry    *event.AutoRetryStart  // nil unless one is being waited for
	compact  *event.CompactionStart // nil unless one is under way
}

// answer is a message that has begun, and the newest of its updates, which knows all of it.
type answer struct {
	start  agent.Message
	update *agent.MessageUpdate // nil before the first
}

// call is a tool call that runs, with its newest progress.
type call struct {
	start  *agent.ToolExecutionStart
	update *agent.ToolExecutionUpdate // nil before the first
}

// apply takes an event in. transcript is asked for the conversation where an event has changed
// all of it.
func (v *view) apply(ev event.Event, transcript func() []agent.Message) {
	switch ev := ev.(type) {
	case *agent.AgentStart:
		v.busy = true
		v.messages = slices.Clip(slices.Clone(transcript())) // it may have been changed while nothing ran
	case *agent.MessageStart:
		if _, ok := ev.Message.(*ai.AssistantMessage); ok {
			v.answer = &answer{start: ev.Message}
		}
	case *agent.MessageUpdate:
		if v.answer != nil {
			v.answer = &answer{v.answer.start, ev} // a snapshot may hold the one before
		}
	case *agent.MessageEnd:
		if _, ok := ev.Message.(*ai.AssistantMessage); ok {
			v.answer = nil
		}
		v.messages = append(v.messages, ev.Message)
	case *agent.ToolExecutionStart:
		v.calls = append(slices.Clip(v.calls), &call{start: ev})
	case *agent.ToolExecutionUpdate:
		v.calls = slices.Clone(v.calls)
		for i, c := range v.calls {
			if c.start.ToolCallID == ev.ToolCallID {
				v.calls[i] = &call{c.start, ev}
			}
		}
	case *agent.ToolExecutionEnd:
		v.calls = slices.DeleteFunc(slices.Clone(v.calls), func(c *call) bool { return c.start.ToolCallID == ev.ToolCallID })
	case *event.AgentEnd:
		v.answer, v.calls = nil, nil
	case *event.AgentSettled:
		v.busy, v.answer, v.calls, v.retry = false, nil, nil, nil
	case *event.QueueUpdate:
		v.queue = ev
	case *event.AutoRetryStart:
		v.retry = ev
	case *event.AutoRetryEnd:
		v.retry = nil
	case *event.CompactionStart:
		v.compact = ev
	case *event.CompactionEnd:
		v.compact = nil
		if ev.Result != nil {
			v.messages = slices.Clip(slices.Clone(transcript()))
		}
	default: // the other events change nothing here
	}
}

// Limits of the messages in a snapshot. Older ones are asked for.
const (
	snapshotMessages = 300
	snapshotBytes    = 2 << 20
)

// appendJSON appends the fields of a snapshot, without the braces. v is a copy.
func (v *view) appendJSON(dst []byte) []byte {
	encoded, skipped := newest(v.messages)
	dst = append(dst, `"messages":[`...)
	for i, m := range encoded {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m...)
	}
	dst = append(dst, `],"skippedMessages":`...)
	dst = appendValue(dst, skipped)
	dst = append(dst, `,"busy":`...)
	dst = appendValue(dst, v.busy)
	if v.answer != nil {
		dst = v.answer.appendJSON(append(dst, `,"answer":`...))
	}
	dst = append(dst, `,"toolCalls":[`...)
	for i, c := range v.calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.update != nil {
			dst = c.update.AppendJSON(dst)
		} else {
			dst = c.start.AppendJSON(dst)
		}
	}
	dst = append(dst, `],"queue":`...)
	queue := v.queue
	if queue == nil {
		queue = &event.QueueUpdate{Steering: []string{}, FollowUp: []string{}}
	}
	dst = appendValue(dst, queue)
	if v.retry != nil {
		dst = v.retry.AppendJSON(append(dst, `,"retry":`...))
	}
	if v.compact != nil {
		dst = v.compact.AppendJSON(append(dst, `,"compaction":`...))
	}
	return dst
}

// newest encodes the newest messages, as many as a snapshot has, in their order.
func newest(messages []agent.Message) (encoded [][]byte, skipped int) {
	size := 0
	for skipped = len(messages); skipped > 0; skipped-- {
		m := appendValue(nil, messages[skipped-1])
		if size += len(m); len(encoded) == snapshotMessages || size > snapshotBytes && len(encoded) > 0 {
			break
		}
		encoded = append(encoded, m)
	}
	slices.Reverse(encoded)
	return encoded, skipped
}

// appendJSON writes the message so far, and the texts of calls whose arguments have not come
// to their end, which the deltas that follow go on with.
func (a *answer) appendJSON(dst []byte) []byte {
	if a.update == nil {
		dst = append(dst, `{"message":`...)
		dst = appendValue(dst, a.start)
		return append(dst, `,"arguments":{}}`...)
	}
	partial, _ := ai.PartialOf(a.update.Stream)
	m := partial.Message()
	texts := map[string]string{}
	for i, block := range m.Content {
		if _, ok := block.(*ai.ToolCall); ok {
			texts[itoa(i)] = partial.ArgumentsText(i)
		}
	}
	dst = append(dst, `{"message":`...)
	dst = appendValue(dst, m)
	dst = append(dst, `,"arguments":`...)
	return append(appendValue(dst, texts), '}')
}

// appendValue appends v as JSON, or null if it cannot be written.
func appendValue(dst []byte, v any) []byte {
	out, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, out...)
}
