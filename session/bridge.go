package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
)

// onAgentEvent passes an agent's event on: first to the extensions, then to the subscribers,
// then, where a message has ended, to the store (law S1). A store that fails fails the run.
func (s *Session) onAgentEvent(ctx context.Context, ev agent.Event) error {
	if start, ok := ev.(*agent.MessageStart); ok {
		s.dequeue(start.Message)
		s.hub.flush() // the queue's change comes before the message, for extensions as well
	}
	told, _ := ev.(*agent.MessageEnd)
	switch ev := s.tell(ctx, ev).(type) {
	case *agent.AgentEnd:
		retry, over := s.runEnded(ev)
		s.hub.emit(&event.AgentEnd{AgentEnd: *ev, WillRetry: retry})
		if over != nil {
			s.hub.emit(over)
		}
	case *agent.MessageEnd:
		return s.messageEnded(told, ev)
	case *agent.ToolExecutionEnd:
		return s.emitKept(ev, func() error { return s.turn.note(s.store.Path(), ev) })
	default:
		s.hub.emit(ev)
	}
	return nil
}

// messageEnded passes a message on and stores it, as it counts. told is the agent's event, and
// ev the one that the extensions have made of it.
func (s *Session) messageEnded(told, ev *agent.MessageEnd) error {
	answer, isAnswer := ev.Message.(*ai.AssistantMessage)
	if isAnswer {
		if counts := judge(answer); counts != answer {
			told.Replace(counts)
			ev, answer = &agent.MessageEnd{Message: counts}, counts
		}
	}
	if err := s.emitKept(ev, func() error { return s.keep(ev.Message) }); err != nil {
		return err
	}
	if isAnswer && !answer.Failed() {
		if over := s.answerCame(answer); over != nil {
			s.hub.emit(over)
		}
	}
	return nil
}

// emitKept tells the subscribers of an event that keep stores: some before, and those whom
// [Session.SubscribeStored] has added after.
func (s *Session) emitKept(ev event.Event, keep func() error) error {
	s.hub.emitTo(early, ev)
	err := keep()
	s.hub.emitTo(late, ev)
	if err != nil {
		return &ownError{err}
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

// keep stores a message that has ended. That the message which reports a failure of the
// file cannot be stored either is no further failure, so that the run ends in order.
func (s *Session) keep(m agent.Message) error {
	e := messageEntry(m)
	if err := s.ledger.keep(e); err != nil {
		_, owed := errors.AsType[*UnstoredError](err)
		if answer, ok := m.(*ai.AssistantMessage); ok && owed {
			if _, reported := errors.AsType[*UnstoredError](answer.Err); reported {
				return nil
			}
		}
		if owed {
			return err
		}
		return fmt.Errorf("store a message in %s: %w", s.store.Path(), err)
	}
	switch m := m.(type) {
	case *ai.AssistantMessage:
		s.turn.begin(e.Base().ID, m)
	case *ai.ToolResultMessage:
		s.turn.kept(m.ToolCallID)
	}
	return nil
}
