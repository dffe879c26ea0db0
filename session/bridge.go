package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// onAgentEvent passes an agent's event on: first to the subscribers, then, where a
// message has ended, to the store (law S1). A store that fails fails the run.
func (s *Session) onAgentEvent(_ context.Context, ev agent.Event) error {
	switch ev := ev.(type) {
	case *agent.MessageStart:
		s.dequeue(ev.Message)
		s.hub.emit(ev)
	case *agent.AgentEnd:
		s.hub.emit(&AgentEnd{AgentEnd: *ev})
	case *agent.MessageEnd:
		s.hub.emit(ev)
		return s.keep(ev.Message)
	case *agent.ToolExecutionEnd:
		s.hub.emit(ev)
		return s.turn.note(s.store.Path(), ev)
	default:
		s.hub.emit(ev)
	}
	return nil
}

// dequeue takes a message off the list of those that wait, once it is delivered. It is
// found by identity: two messages may have the same text, and one with an image alone has
// none.
func (s *Session) dequeue(m agent.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.queued, func(q *queuedMessage) bool { return agent.Message(q.message) == m })
	if i >= 0 {
		s.queued = slices.Delete(s.queued, i, i+1)
		s.hub.post(s.queueUpdate())
	}
}

// keep stores a message that has ended.
func (s *Session) keep(m agent.Message) error {
	if err := s.store.Append(&MessageEntry{Message: m}); err != nil {
		return fmt.Errorf("store a message in %s: %w", s.store.Path(), err)
	}
	switch m := m.(type) {
	case *ai.AssistantMessage:
		s.turn.begin(m)
	case *ai.ToolResultMessage:
		s.turn.kept(m.ToolCallID)
	}
	return nil
}
