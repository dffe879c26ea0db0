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

// work is how far an activity has come. The session's mutex guards it.
type work struct {
	// before is a compaction whose end the activity waits for; nil if there is none.
	before *CompactionRun
	// last is the final answer of a run that has ended and has not been looked at.
	last *ai.AssistantMessage
	// retry is the repetition that has been announced, attempt the number of those since
	// the last good answer.
	retry   *retryPlan
	attempt int
	// fallback is another model that takes over.
	fallback *fallbackPlan
	// compaction is one that somebody has asked for during the run.
	compaction *CompactionRun
	// compacted says that the activity has made or tried a compaction for the threshold:
	// it makes another only for a conversation that has grown.
	compacted bool
	// failedAt is the size of the conversation whose compaction has failed.
	failedAt int
	// recovering says that a compaction for an overflow was made and no good answer has
	// come since; recovered is the estimated size of the conversation after it.
	recovering bool
	recovered  int
	// stoodIn is the choice that the prompt ended with, if it was not the user's.
	stoodIn *chosen
	// asked says that the extensions have been asked whether there is more to do, since the
	// last run; wasAborted that the last run was aborted.
	asked, wasAborted bool
}

// conduct works on a prompt until nothing automatic remains and everyone has been told.
func (s *Session) conduct(a *Activity, m agent.Message) {
	if a.previous != nil {
		<-a.previous.settled
	}
	if a.before != nil {
		<-a.before.done
	}
	err := s.standIn(a)
	if err == nil {
		s.makeRoom(a, m)
		err = s.begun(a, m)
	}
	for {
		s.awaitSends()
		step, settled := s.goOn(a, err)
		if step == nil {
			s.tellBack(a)
			s.announce(a, settled)
			close(a.settled)
			return
		}
		err = step()
	}
}

// tellBack tells the extensions that the chosen model is back, if another has stood in.
func (s *Session) tellBack(a *Activity) {
	if a.stoodIn == nil {
		return
	}
	s.mu.Lock()
	now := s.choiceNow()
	s.mu.Unlock()
	s.tellChoice(s.ctx, *a.stoodIn, now, "restore")
}

// announce tells everybody that an activity has settled, the extensions first. The session is
// idle already: what they send begins another activity, which waits until all have been told.
func (s *Session) announce(a *Activity, settled uint64) {
	if !a.announced {
		s.hub.settle(settled)
		return
	}
	s.ext.Emit(a.ctx, &extension.AgentSettled{Aborted: a.wasAborted})
	a.cancel(nil)
	s.hub.emit(&event.AgentSettled{})
}

// goOn decides, after each run and each step, what follows: the end of a retry, a compaction
// that was asked for, prompts that the run was aborted for, what the last answer calls for, a
// run for queued messages. If nothing does, the session settles, and the number of that event
// is returned: under the lock that new messages are queued under, so that none is stranded.
func (s *Session) goOn(a *Activity, err error) (step func() error, settled uint64) {
	err = errors.Join(err, s.storeRecords())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.toolsSeen = s.toolbox.changes
	last, healthy := a.last, err == nil && !s.closed
	a.last = nil
	switch {
	case healthy && a.retry != nil:
		plan := a.retry
		return func() error { return s.repeat(a, plan) }, 0
	case healthy && a.fallback != nil:
		plan := a.fallback
		return func() error { return s.fallBack(a, plan) }, 0
	case healthy && a.compaction != nil:
		run := a.compaction
		a.compaction = nil
		return func() error { _, _ = s.compact(run); return nil }, 0 // who has asked gets the error
	case !s.closed && len(a.interrupts) > 0:
		s.renew(a)
		prompts := a.interrupts
		a.interrupts, a.aborted = nil, false
		return func() error { return s.begun(a, prompts...) }, 0
	case healthy && a.ctx.Err() == nil && last != nil:
		return func() error { return s.review(a, last) }, 0
	case healthy && s.agent.Queued():
		s.renew(a)
		return s.resume(a), 0
	case healthy && !a.asked && s.ext.Has(extension.KindAgentBeforeSettle):
		a.asked = true
		return func() error { s.ext.Emit(a.ctx, &extension.AgentBeforeSettle{}); return nil }, 0
	}
	return nil, s.settle(a, err)
}

// renew gives an activity whose run was aborted a context for the next one; the mutex is held.
func (s *Session) renew(a *Activity) {
	if a.ctx.Err() == nil {
		return
	}
	a.ctx, a.cancel = context.WithCancelCause(s.ctx)
	if a.aborted {
		a.cancel(agent.ErrAborted)
	}
}

// settle ends an activity; the mutex is held.
func (s *Session) settle(a *Activity, err error) (settled uint64) {
	a.wasAborted = a.ctx.Err() != nil
	a.cancel(nil)
	a.err = err
	s.activity = nil
	a.stoodIn = s.stepBack()
	if s.override != nil {
		s.override = nil
		s.agent.SetSystemPrompt(s.opts.SystemPrompt)
	}
	if over := a.endRetry(errRetryAborted.Error()); over != nil {
		s.hub.post(over)
	}
	if run := a.compaction; run != nil {
		a.compaction, s.compacting = nil, nil
		run.finish(nil, errors.Join(err, transcript.ErrClosed))
	}
	if s.ext.Has(extension.KindAgentSettled) {
		a.announced = true
		a.ctx, a.cancel = context.WithCancelCause(s.ctx) // an abort reaches them as well
		return 0
	}
	return s.hub.post(&event.AgentSettled{})
}

// resume returns the run for what is queued; the mutex is held. An agent whose last message
// is no answer would first ask for one, so follow-ups are its prompt then.
func (s *Session) resume(a *Activity) func() error {
	st := s.agent.State()
	steering := slices.ContainsFunc(s.queued, func(q *queuedMessage) bool { return q.delivery == Steer })
	if steering || len(st.Messages) == 0 || isAnswer(st.Messages[len(st.Messages)-1]) {
		return func() error { return s.again(a) }
	}
	waiting := s.agent.ClearFollowUps()
	n := len(waiting)
	if n == 0 {
		return func() error { return s.again(a) }
	}
	if st.FollowUpMode != agent.All {
		n = 1
	}
	s.agent.FollowUp(waiting[n:]...)
	return func() error { return s.agent.Prompt(a.ctx, waiting[:n]...) }
}

// again lets the agent go on from what the transcript ends with. That there is nothing to go
// on from is no error: what was queued may have been taken back.
func (s *Session) again(a *Activity) error {
	err := s.agent.Continue(a.ctx)
	if errors.Is(err, agent.ErrLastIsAnswer) || errors.Is(err, agent.ErrNothingToContinue) {
		return nil
	}
	return err
}

// forget takes an answer out of the transcript. It stays in the store.
func (s *Session) forget(m *ai.AssistantMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent.SetMessages(without(s.agent.State().Messages, m))
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
