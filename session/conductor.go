package session

import (
	"context"
	"errors"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// conductor carries out a series: it runs the agent, and decides after each run what follows,
// until nothing automatic remains. Each policy is a part of its own; the conductor only knows
// in which order they are asked.
type conductor struct {
	scheduler    *scheduler
	agent        *agent.Agent
	events       *dispatcher
	writer       *writer
	choice       *choice
	tools        *toolbox
	instructions *instructions
	commands     *commands
	retry        *retry
	fallback     *fallback
	compactor    *compactor
	binding      *binding
	approval     agent.Hooks
	budget       Budget // of each series, unless its prompt has another
}

// start begins the series of a prompt on a goroutine of its own.
func (c *conductor) start(a *series, m agent.Message) {
	c.scheduler.running.Go(func() { c.conduct(a, m) })
}

// release makes way for the next compaction and begins the series of messages that were queued
// meanwhile. end is called under the scheduler's lock.
func (c *conductor) release(end func()) {
	if next := c.scheduler.release(c.budget, end); next != nil {
		c.start(next, nil)
	}
}

// conduct works on a prompt until nothing automatic remains and everyone has been told. Without
// a prompt it works on what is queued.
func (c *conductor) conduct(a *series, m agent.Message) {
	if a.previous != nil {
		<-a.previous.settled
	}
	if a.before != nil {
		<-a.before.done
	}
	a.budget.begin(func() { c.scheduler.expire(a) })
	defer a.budget.end()
	err := c.takeOver(a)
	if err == nil && m != nil {
		c.compactor.makeRoom(a, m)
		err = c.begin(a, m)
	}
	for {
		c.scheduler.queue.awaitSends(c.scheduler.ctx)
		step, settled := c.next(a, err)
		if step == nil {
			c.notifyRestored(a)
			c.announce(a, settled)
			c.scheduler.results.release(a)
			close(a.settled)
			return
		}
		err = step()
	}
}

// begin runs the agent for messages that begin a run: a prompt and what belongs to it. Every
// run passes here but those that queued messages begin.
func (c *conductor) begin(a *series, messages ...agent.Message) error {
	messages = append(messages, c.scheduler.queue.takeDeferred(messages)...)
	if c.binding.ext.Has(extension.KindBeforeAgentStart) {
		messages = c.beforeAgentStart(a, messages)
	}
	c.tools.beginRun()
	c.choice.beginRun()
	return c.agent.Prompt(a.ctx, messages...)
}

// beforeAgentStart asks the extensions about a run. The system prompt that they make is that
// of all requests of the prompt.
func (c *conductor) beforeAgentStart(a *series, messages []agent.Message) []agent.Message {
	e := &extension.BeforeAgentStart{MessageType: "user"}
	switch m := messages[0].(type) {
	case *ai.UserMessage:
		e.Prompt = m.Content.Text()
		for _, block := range m.Content {
			if image, ok := block.(*ai.Image); ok {
				e.Images = append(e.Images, image)
			}
		}
	case *transcript.CustomMessage:
		e.Prompt, e.MessageType = m.Content.Content().Text(), transcript.RoleCustom
	}
	e.SystemPrompt = c.instructions.beginRun()
	e.SystemPromptOptions = c.instructions.options(c.tools.selected())
	more, _ := c.binding.ext.BeforeAgentStart(a.ctx, e, c.instructions.setOverride)
	c.instructions.apply()
	for _, m := range more {
		messages = append(messages, c.binding.custom(m))
	}
	return messages
}

// next decides, after each run and each step, what follows: the end of a retry, a compaction
// that was asked for, prompts that the run was aborted for, what the last answer calls for, a
// run for queued messages. If nothing does, the session settles, and the number of that event
// is returned: under the lock that new messages are queued under, so that none is stranded.
func (c *conductor) next(a *series, err error) (step func() error, settled uint64) {
	err = errors.Join(err, c.commands.endRun(), c.deliverQuiet())
	c.tools.beginRun()
	c.choice.beginRun()
	s := c.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	last, healthy := a.last, err == nil && !s.closed
	a.last = nil
	switch {
	case healthy && c.pending(a) && a.budget.stops():
	case healthy && a.retry.planned() != nil:
		plan := a.retry.planned()
		return func() error { return c.repeat(a, plan) }, 0
	case healthy && a.fallback != nil:
		plan := a.fallback
		a.fallback = nil
		return func() error { return c.fallBack(a, plan) }, 0
	case healthy && a.compaction.requested() != nil:
		run := a.compaction.take()
		return func() error { _, _ = c.compactor.compact(run); return nil }, 0 // the caller that asked for it gets the error
	case !s.closed && len(a.interrupts.messages) > 0:
		a.renew(s.ctx)
		prompts := a.interrupts.messages
		a.interrupts = interrupts{}
		a.budget.begin(func() { s.expire(a) })
		return func() error { return c.begin(a, prompts...) }, 0
	case healthy && a.ctx.Err() == nil && last != nil:
		return func() error { return c.review(a, last) }, 0
	case healthy && c.agent.Queued():
		a.renew(s.ctx)
		return c.resume(a), 0
	case healthy && !a.asked && c.binding.ext.Has(extension.KindAgentBeforeSettle):
		a.asked = true
		return func() error { c.binding.ext.Emit(a.ctx, &extension.AgentBeforeSettle{}); return nil }, 0
	}
	return nil, c.settle(a, err)
}

// pending reports whether a request would follow by itself; the scheduler's mutex is held.
func (c *conductor) pending(a *series) bool {
	return a.compaction.requested() == nil && (a.retry.planned() != nil || a.fallback != nil || len(a.interrupts.messages) == 0 && c.agent.Queued())
}

// settle ends a series; the scheduler's mutex is held.
func (c *conductor) settle(a *series, err error) (settled uint64) {
	s := c.scheduler
	a.end.aborted = a.ctx.Err() != nil
	a.cancel(nil)
	a.err = err
	s.current = nil
	a.end.restored = c.choice.restore()
	c.instructions.endRun()
	if end := a.retry.end(errRetryAborted.Error()); end != nil {
		c.events.post(end)
	}
	if run := a.compaction.take(); run != nil {
		s.compacting = nil
		run.finish(nil, errors.Join(err, transcript.ErrClosed))
	}
	if reached := a.budget.reached(); reached != nil {
		c.events.post(&event.BudgetReached{Budget: reached.Budget, Limit: reached.Limit, Spent: reached.Spent})
	}
	s.results.settle(a)
	if c.binding.ext.Has(extension.KindAgentSettled) {
		a.end.announced = true
		a.ctx, a.cancel = context.WithCancelCause(s.ctx) // an abort reaches them as well
		return 0
	}
	return c.events.post(&event.AgentSettled{})
}

// notifyRestored tells the extensions that the chosen model is back, if another has taken over.
func (c *conductor) notifyRestored(a *series) {
	if a.end.restored != nil {
		c.binding.notifySelection(c.scheduler.ctx, *a.end.restored, c.choice.current(), "restore")
	}
}

// announce tells everybody that a series has settled, the extensions first. The session is
// idle already: what they send begins another series, which waits until all have been told.
func (c *conductor) announce(a *series, settled uint64) {
	if !a.end.announced {
		c.events.awaitDelivery(settled)
		return
	}
	c.binding.ext.Emit(a.ctx, &extension.AgentSettled{Aborted: a.end.aborted})
	a.cancel(nil)
	c.events.emit(&event.AgentSettled{})
}

// resume returns the run for what is queued; the scheduler's mutex is held. An agent whose last
// message is no answer would first ask for one, so follow-ups are its prompt then.
func (c *conductor) resume(a *series) func() error {
	st := c.agent.State()
	if c.scheduler.queue.steers() || len(st.Messages) == 0 || isAnswer(st.Messages[len(st.Messages)-1]) {
		return func() error { return c.proceed(a) }
	}
	waiting := c.agent.ClearFollowUps()
	n := len(waiting)
	if n == 0 {
		return func() error { return c.proceed(a) }
	}
	if st.FollowUpMode != agent.All {
		n = 1
	}
	c.agent.FollowUp(waiting[n:]...)
	return func() error { return c.agent.Prompt(a.ctx, waiting[:n]...) }
}

// proceed lets the agent go on from what the transcript ends with. That there is nothing to go
// on from is no error: what was queued may have been taken back.
func (c *conductor) proceed(a *series) error {
	err := c.agent.Continue(a.ctx)
	if errors.Is(err, agent.ErrLastIsAnswer) || errors.Is(err, agent.ErrNothingToContinue) {
		return nil
	}
	return err
}

// review looks at the last answer of a run and makes its request again if the conversation was
// compacted for it.
func (c *conductor) review(a *series, last *ai.AssistantMessage) error {
	if c.compactor.review(a, last) {
		return c.proceed(a)
	}
	return nil
}

// forget takes an answer out of the transcript. It stays in the store.
func (c *conductor) forget(m *ai.AssistantMessage) {
	c.scheduler.mu.Lock()
	defer c.scheduler.mu.Unlock()
	c.agent.SetMessages(without(c.agent.State().Messages, m))
}

// without returns the messages except m, which is near their end.
func without(messages []agent.Message, m *ai.AssistantMessage) []agent.Message {
	for i, other := range slices.Backward(messages) {
		if other == agent.Message(m) {
			return slices.Delete(slices.Clone(messages), i, i+1)
		}
	}
	return messages
}

func isAnswer(m agent.Message) bool {
	_, ok := m.(*ai.AssistantMessage)
	return ok
}

// newestAnswer returns nil if there is none.
func newestAnswer(messages []agent.Message) *ai.AssistantMessage {
	for _, m := range slices.Backward(messages) {
		if answer, ok := m.(*ai.AssistantMessage); ok {
			return answer
		}
	}
	return nil
}
