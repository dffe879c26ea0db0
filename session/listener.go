package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
)

// onAgentEvent passes an agent's event on: first to the extensions, then to the subscribers,
// then, where a message has ended, to the store (law S1). A store that fails fails the run.
func (c *conductor) onAgentEvent(ctx context.Context, ev agent.Event) error {
	if start, ok := ev.(*agent.MessageStart); ok {
		c.delivered(start.Message)
	}
	own, ended := ev.(*agent.MessageEnd)
	if ended {
		c.compactor.meter.ending.Store(&own.Message)
	}
	counts := c.binding.notify(ctx, ev)
	c.compactor.meter.ending.Store(nil)
	switch ev := counts.(type) {
	case *agent.AgentEnd:
		retry, end := c.runEnded(ev)
		c.events.emit(&event.AgentEnd{AgentEnd: *ev, WillRetry: retry})
		if end != nil {
			c.events.emit(end)
		}
	case *agent.MessageEnd:
		return c.messageEnded(own, ev)
	case *agent.ToolExecutionEnd:
		return c.emitKept(ev, func() error { return c.commands.log.addResult(ev) })
	case *agent.TurnEnd:
		c.scheduler.queue.awaitSends(c.scheduler.ctx)
		c.events.emit(ev)
		if err := c.deliverQuiet(); err != nil {
			return &ownError{err}
		}
	default:
		c.events.emit(ev)
	}
	return nil
}

// delivered takes note of a message that begins. The queue's change comes before the message,
// for extensions as well.
func (c *conductor) delivered(m agent.Message) {
	if m.Role() == ai.RoleAssistant {
		return
	}
	c.scheduler.results.delivered(m, c.scheduler.series())
	c.scheduler.queue.delivered(m)
	c.events.flush()
}

// messageEnded passes a message on and stores it, as it counts. own is the agent's event, and
// ev the one that the extensions have made of it.
func (c *conductor) messageEnded(own, ev *agent.MessageEnd) error {
	answer, isAnswer := ev.Message.(*ai.AssistantMessage)
	if isAnswer {
		if counts := judge(answer); counts != answer {
			own.Replace(counts)
			ev = &agent.MessageEnd{Message: counts}
		}
	}
	if err := c.emitKept(ev, func() error { return c.keep(ev.Message) }); err != nil {
		return err
	}
	a := c.scheduler.series()
	if a == nil {
		return nil
	}
	switch m := ev.Message.(type) {
	case *ai.AssistantMessage:
		c.answered(a, m)
	case *ai.ToolResultMessage:
		a.budget.spend(m.Usage)
		c.scheduler.results.spent(m.Usage)
	}
	return nil
}

// answered takes note of an answer.
func (c *conductor) answered(a *series, answer *ai.AssistantMessage) {
	a.budget.answered(answer)
	c.scheduler.results.answered(answer)
	if answer.Failed() {
		return
	}
	if answer.StopReason != ai.StopLength {
		a.compaction.answered()
		c.compactor.meter.relearn(answer)
	}
	if end := a.retry.succeed(); end != nil {
		c.events.emit(end)
	}
}

// emitKept tells the subscribers of an event that keep stores: some before, and those that
// [Session.SubscribeStored] has added after.
func (c *conductor) emitKept(ev event.Event, keep func() error) error {
	c.events.emitTo(beforeStore, ev)
	err := keep()
	c.events.emitTo(afterStore, ev)
	if err != nil {
		return &ownError{err}
	}
	return nil
}

// keep stores a message that has ended. That the message which reports a failure of the
// file cannot be stored either is no further failure, so that the run ends in order.
func (c *conductor) keep(m agent.Message) error {
	e := messageEntry(m)
	if err := c.writer.keep(e); err != nil {
		_, pending := errors.AsType[*UnstoredError](err)
		if answer, ok := m.(*ai.AssistantMessage); ok && pending {
			if _, reported := errors.AsType[*UnstoredError](answer.Err); reported {
				return nil
			}
		}
		if pending {
			return err
		}
		return fmt.Errorf("store a message in %s: %w", c.writer.store.Path(), err)
	}
	switch m := m.(type) {
	case *ai.AssistantMessage:
		c.commands.log.begin(e.Base().ID, m)
	case *ai.ToolResultMessage:
		c.commands.log.removeResult(m.ToolCallID)
	}
	return nil
}
