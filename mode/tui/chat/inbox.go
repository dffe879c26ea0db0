package chat

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/session/event"
)

// Inbox stands between a session, whose run waits for its listeners, and a reader that may
// be slow. Put never waits. What the reader has not taken yet is coalesced: of an answer's
// updates the newest is kept, of a call's progress too, and output of a command is joined.
// All other events are kept in order. So the inbox has about as much as the session itself
// holds, however long it is not read.
type Inbox struct {
	mu     sync.Mutex
	events []event.Event
	wake   chan struct{}
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox { return &Inbox{wake: make(chan struct{}, 1)} }

// Wake gets a value when there may be something to take.
func (b *Inbox) Wake() <-chan struct{} { return b.wake }

// Put adds an event.
func (b *Inbox) Put(ev event.Event) {
	if update, ok := ev.(*event.BashExecutionUpdate); ok {
		ev = &output{id: update.ID, deltas: []string{update.Delta}, size: len(update.Delta)}
	}
	b.mu.Lock()
	if !b.merge(ev) {
		b.events = append(b.events, ev)
	}
	b.mu.Unlock()
	b.Nudge()
}

// Nudge wakes the reader, though there may be nothing to take.
func (b *Inbox) Nudge() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Take returns the events since the last time.
func (b *Inbox) Take() []event.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	events := b.events
	b.events = nil
	for i, ev := range events {
		if out, ok := ev.(*output); ok {
			events[i] = &event.BashExecutionUpdate{ID: out.id, Delta: strings.Join(out.deltas, "")}
		}
	}
	return events
}

// merge puts an event in the place of one that it supersedes, looking back over events that
// it can change places with: progress of other calls.
func (b *Inbox) merge(ev event.Event) bool {
	for i := len(b.events) - 1; i >= 0; i-- {
		if !movable(ev) || !movable(b.events[i]) {
			return false
		}
		if merged := supersede(b.events[i], ev); merged != nil {
			b.events[i] = merged
			return true
		}
	}
	return false
}

// movable reports whether an event only says how far something is.
func movable(ev event.Event) bool {
	switch ev.(type) {
	case *agent.MessageUpdate, *agent.ToolExecutionUpdate, *output:
		return true
	default: // the other events change nothing here
	}
	return false
}

// supersede returns what stands for both events; nil if they have nothing in common.
func supersede(old, now event.Event) event.Event {
	switch now := now.(type) {
	case *agent.MessageUpdate:
		if _, ok := old.(*agent.MessageUpdate); ok {
			return now
		}
	case *agent.ToolExecutionUpdate:
		if old, ok := old.(*agent.ToolExecutionUpdate); ok && old.ToolCallID == now.ToolCallID {
			return now
		}
	case *output:
		if old, ok := old.(*output); ok && bytes.Equal(old.id, now.id) {
			return old.add(now)
		}
	default: // the other events change nothing here
	}
	return nil
}

// output is what a command has written, as far as it would be kept.
type output struct {
	agent.Sealed

	id     jsontext.Value
	deltas []string
	size   int
}

// Type implements [event.Event].
func (*output) Type() string { return event.EventBashExecutionUpdate }

// AppendJSON implements [event.Event].
func (o *output) AppendJSON(dst []byte) []byte {
	return (&event.BashExecutionUpdate{ID: o.id, Delta: strings.Join(o.deltas, "")}).AppendJSON(dst)
}

// add joins what comes later, and drops the oldest of what is too much.
func (o *output) add(more *output) *output {
	o.deltas, o.size = append(o.deltas, more.deltas...), o.size+more.size
	if o.size > 2*liveOutput {
		n := 0
		for o.size > liveOutput && n < len(o.deltas)-1 {
			o.size -= len(o.deltas[n])
			n++
		}
		o.deltas = slices.Delete(o.deltas, 0, n)
	}
	return o
}
