// Package agenttest helps to test what is built on package agent: it writes down the
// events of runs in a short form, and checks that they came in the order that package agent
// promises.
//
// # Usage
//
//	model := scripted.New(scripted.Of(scripted.Call("c1", "clock", nil)), scripted.Say("It is noon."))
//	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record(), Tools: tools})
//	var events agenttest.Recorder
//	a.Subscribe(events.Listen)
//	…
//	agenttest.CheckRuns(t, events.Events())
//	agenttest.InOrder(t, events.Events(), "tool_execution_end c1", "message_end toolResult c1")
//
// Listeners are called in the order of subscription: a recorder that is subscribed last sees
// what the others have made of a message.
package agenttest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// Recorder keeps the events that it is given. The zero value is empty and ready. All
// methods may be called from any goroutine.
type Recorder struct {
	mu     sync.Mutex
	events []agent.Event
}

// Listen is an [agent.Listener]. It never fails.
func (r *Recorder) Listen(_ context.Context, ev agent.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, ev)
	return nil
}

// Events returns the events so far.
func (r *Recorder) Events() []agent.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Reset forgets the events so far.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = nil
}

// String returns the short form of the events so far, a line each, without the updates of
// messages and tools, whose number is seldom of interest.
func (r *Recorder) String() string {
	var steps []string
	for _, ev := range r.Events() {
		switch ev.(type) {
		case *agent.MessageUpdate, *agent.ToolExecutionUpdate:
		default:
			steps = append(steps, Short(ev))
		}
	}
	return strings.Join(steps, "\n")
}

// Short returns an event in a short form: its type and what it is about. Examples are
//
//	agent_start
//	message_start user
//	message_update text_delta
//	message_end assistant           (or: message_end assistant error)
//	tool_execution_start c1
//	tool_execution_end c1           (or: tool_execution_end c1 failed)
//	message_end toolResult c1       (or: message_end toolResult c1 failed)
func Short(ev agent.Event) string {
	about := ""
	switch ev := ev.(type) {
	case *agent.MessageStart:
		about = shortMessage(ev.Message)
	case *agent.MessageUpdate:
		about = ev.Stream.Type()
	case *agent.MessageEnd:
		about = shortMessage(ev.Message)
	case *agent.ToolExecutionStart:
		about = ev.ToolCallID
	case *agent.ToolExecutionUpdate:
		about = ev.ToolCallID
	case *agent.ToolExecutionEnd:
		about = ev.ToolCallID + failed(ev.IsError)
	case *agent.AgentStart, *agent.AgentEnd, *agent.TurnStart, *agent.TurnEnd:
	}
	return strings.TrimSpace(ev.Type() + " " + about)
}

func shortMessage(m agent.Message) string {
	switch m := m.(type) {
	case *ai.AssistantMessage:
		if m.Failed() {
			return m.Role() + " " + string(m.StopReason)
		}
	case *ai.ToolResultMessage:
		return m.Role() + " " + m.ToolCallID + failed(m.IsError)
	}
	return m.Role()
}

func failed(is bool) string {
	if is {
		return " failed"
	}
	return ""
}

// InOrder reports an error unless the events contain these steps, in the form of [Short]
// and in this order; others may come before, between and after them.
func InOrder(t testing.TB, events []agent.Event, steps ...string) {
	t.Helper()
	at := 0
	for _, ev := range events {
		if at < len(steps) && Short(ev) == steps[at] {
			at++
		}
	}
	if at == len(steps) {
		return
	}
	after := "the beginning"
	if at > 0 {
		after = steps[at-1]
	}
	t.Errorf("%q does not come after %s; the events are\n%s", steps[at], after, list(events))
}

func list(events []agent.Event) string {
	var b strings.Builder
	for _, ev := range events {
		b.WriteString("\t" + Short(ev) + "\n")
	}
	return b.String()
}
