// Package aitest checks that a provider keeps the contract of package ai.
package aitest

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

// snapshots is how many messages so far CheckStream keeps and compares in the end.
const snapshots = 256

// CheckStream reads a stream to its end, reports every rule of the contract that it
// breaks, and returns its events. The rules:
//
//   - Start comes first and once; only Error may come without it.
//   - A block begins empty, at the index after the last one; its pieces come while it is
//     open and belong to its kind; it ends once, with the sum of its pieces.
//   - There is exactly one terminal event, and nothing follows it. Done leaves no block
//     open, and its message's stop reason is one of success; that of Error is error or
//     aborted, with a message for a person.
//   - The final message holds the blocks that were streamed, and Result returns it.
//   - The messages so far are right at their event and are not changed later.
func CheckStream(t testing.TB, stream *ai.Stream) []ai.StreamEvent {
	t.Helper()
	c := checker{t: t}
	for ev, err := range stream.Events() {
		if err != nil {
			t.Errorf("event %d: the stream gave a Go error: %v", len(c.events), err)
			return c.events
		}
		c.event(ev)
	}
	c.end(stream.Result())
	return c.events
}

// checker follows one stream.
type checker struct {
	t       testing.TB
	events  []ai.StreamEvent
	started bool
	final   *ai.AssistantMessage
	blocks  []*block
	kept    []kept
}

// block is what has been seen of one content block.
type block struct {
	kind   string
	text   []byte
	closed bool
	call   *ai.ToolCall
}

// kept is a message so far, as it was at its event.
type kept struct {
	at      int
	partial ai.Partial
	json    string
}

func (c *checker) errorf(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("event %d: "+format, append([]any{len(c.events) - 1}, args...)...)
}

func (c *checker) event(ev ai.StreamEvent) {
	c.t.Helper()
	c.events = append(c.events, ev)
	if c.final != nil {
		c.errorf("%s after the terminal event", ev.Type())
		return
	}
	switch ev := ev.(type) {
	case *ai.Start:
		if c.started {
			c.errorf("a second start")
		}
		c.started = true
	case *ai.Error:
		c.terminal(ev.Message, true)
		return
	default:
		if !c.started {
			c.errorf("%s before start", ev.Type())
		}
		c.step(ev)
	}
	c.snapshot(ev)
}

// step follows an event between start and the end.
func (c *checker) step(ev ai.StreamEvent) {
	c.t.Helper()
	switch ev := ev.(type) {
	case *ai.TextStart:
		c.open(ev.ContentIndex, ai.TypeText)
	case *ai.ThinkingStart:
		c.open(ev.ContentIndex, ai.TypeThinking)
	case *ai.ToolCallStart:
		c.open(ev.ContentIndex, ai.TypeToolCall)
	case *ai.TextDelta:
		c.delta(ev.ContentIndex, ai.TypeText, ev.Delta)
	case *ai.ThinkingDelta:
		c.delta(ev.ContentIndex, ai.TypeThinking, ev.Delta)
	case *ai.ToolCallDelta:
		c.delta(ev.ContentIndex, ai.TypeToolCall, ev.Delta)
	case *ai.TextEnd:
		c.close(ev.ContentIndex, ai.TypeText, ev.Content)
	case *ai.ThinkingEnd:
		c.close(ev.ContentIndex, ai.TypeThinking, ev.Content)
	case *ai.ToolCallEnd:
		if b := c.find(ev.ContentIndex, ai.TypeToolCall); b != nil {
			b.closed, b.call = true, ev.ToolCall
		}
		c.checkCall(ev.ToolCall)
	case *ai.Done:
		c.terminal(ev.Message, false)
	default: // event has seen to start and error
	}
}

func (c *checker) open(index int, kind string) {
	c.t.Helper()
	if index != len(c.blocks) {
		c.errorf("a block begins at index %d, want %d", index, len(c.blocks))
	}
	c.blocks = append(c.blocks, &block{kind: kind})
}

// find returns the open block of this kind.
func (c *checker) find(index int, kind string) *block {
	c.t.Helper()
	if index < 0 || index >= len(c.blocks) {
		c.errorf("no block %d has begun", index)
		return nil
	}
	b := c.blocks[index]
	if b.kind != kind || b.closed {
		c.errorf("block %d (%s, closed %t) gets an event for %s", index, b.kind, b.closed, kind)
		return nil
	}
	return b
}

func (c *checker) delta(index int, kind, delta string) {
	c.t.Helper()
	if b := c.find(index, kind); b != nil {
		b.text = append(b.text, delta...)
	}
}

func (c *checker) close(index int, kind, content string) {
	c.t.Helper()
	b := c.find(index, kind)
	if b == nil {
		return
	}
	if string(b.text) != content {
		c.errorf("block %d ends with %q, its pieces are %q", index, content, b.text)
	}
	b.closed = true
}

func (c *checker) checkCall(call *ai.ToolCall) {
	c.t.Helper()
	switch {
	case call == nil:
		c.errorf("a call ends without its call")
	case call.Arguments.Kind() != '{' || !call.Arguments.IsValid():
		c.errorf("the arguments of call %q are no JSON object: %s", call.ID, call.Arguments)
	}
}

func (c *checker) terminal(m *ai.AssistantMessage, failed bool) {
	c.t.Helper()
	if m == nil {
		c.errorf("the terminal event has no message")
		m = &ai.AssistantMessage{}
	}
	c.final = m
	if m.Failed() != failed || m.StopReason == ai.StopPending || m.StopReason == "" {
		c.errorf("stop reason %q in a terminal event of the other kind", m.StopReason)
	}
	if failed && m.ErrorMessage == "" {
		c.errorf("the error says nothing")
	}
	for i, b := range c.blocks {
		if !failed && !b.closed {
			c.errorf("block %d is still open at done", i)
		}
	}
	c.checkContent(m)
}

// checkContent compares the final message with what was streamed.
func (c *checker) checkContent(m *ai.AssistantMessage) {
	c.t.Helper()
	if len(m.Content) != len(c.blocks) {
		c.errorf("the final message has %d blocks, %d were streamed", len(m.Content), len(c.blocks))
		return
	}
	for i, b := range c.blocks {
		same := m.Content[i].Type() == b.kind
		switch got := m.Content[i].(type) {
		case *ai.Text:
			same = same && got.Text == string(b.text)
		case *ai.Thinking:
			same = same && got.Thinking == string(b.text)
		case *ai.ToolCall:
			same = same && (b.call == nil || b.call == got || equal(b.call, got))
		default:
			same = false // no such block is streamed
		}
		if !same {
			c.errorf("block %d of the final message is not the one that was streamed", i)
		}
	}
}

// snapshot compares the message so far with what has been streamed, and keeps it.
func (c *checker) snapshot(ev ai.StreamEvent) {
	c.t.Helper()
	if len(c.kept) >= snapshots {
		return
	}
	partial, ok := ai.PartialOf(ev)
	if !ok {
		return
	}
	m := partial.Message()
	if len(m.Content) != len(c.blocks) {
		c.errorf("the message so far has %d blocks, want %d", len(m.Content), len(c.blocks))
		return
	}
	for i, b := range c.blocks {
		text, isText := m.Content[i].(*ai.Text)
		if isText && text.Text != string(b.text) {
			c.errorf("block %d of the message so far is %q, want %q", i, text.Text, b.text)
		}
	}
	c.kept = append(c.kept, kept{len(c.events) - 1, partial, textsOf(m)})
}

func (c *checker) end(result *ai.AssistantMessage) {
	c.t.Helper()
	if c.final == nil {
		c.t.Errorf("the stream ended after %d events without a terminal one", len(c.events))
		return
	}
	if result != c.final {
		c.t.Errorf("Result is not the message of the terminal event")
	}
	for _, k := range c.kept {
		if now := textsOf(k.partial.Message()); now != k.json {
			c.t.Errorf("the message at event %d was changed later, from %s to %s", k.at, k.json, now)
		}
	}
}

// textsOf returns what must not change in a message so far. Ids, names, signatures and
// usage may still come.
func textsOf(m *ai.AssistantMessage) string {
	var texts []string
	for _, block := range m.Content {
		switch b := block.(type) {
		case *ai.Text:
			texts = append(texts, b.Text)
		case *ai.Thinking:
			texts = append(texts, b.Thinking)
		case *ai.ToolCall:
			texts = append(texts, ai.TypeToolCall)
		default:
		}
	}
	return marshal(slices.Clip(texts))
}

func equal(a, b *ai.ToolCall) bool { return marshal(a) == marshal(b) }

func marshal(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}
