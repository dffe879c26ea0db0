package session

import (
	"errors"
	"net/http"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/session/event"
)

// How long a model that has failed is not asked: as long as its server wants, within these
// bounds.
const (
	shortestRest = 5 * time.Minute
	longestRest  = time.Hour
)

// rest is why and until when a model is not asked.
type rest struct {
	until time.Time
	why   event.FallbackReason
	text  string // what the failure said
}

// fallbackPlan is a switch to another model that has been decided.
type fallbackPlan struct {
	to     ScopedModel
	rest   rest
	failed *ai.AssistantMessage // nil at the beginning of a prompt
}

// successors lists the models that may take over from the one that was chosen, and can be
// asked.
func (s *Session) successors() []ScopedModel {
	s.mu.Lock()
	m := s.model
	if s.stood != nil {
		m = s.stood.model
	}
	s.mu.Unlock()
	if s.opts.Successors == nil || m == nil {
		return nil
	}
	var ready []ScopedModel
	for _, next := range s.opts.Successors(m) {
		if s.opts.Ready == nil || s.opts.Ready(next.Model) == nil {
			ready = append(ready, next)
		}
	}
	return ready
}

// planFallback decides whether another model makes a request that has failed for good; the
// mutex is held. The model that has failed rests from then on.
func (s *Session) planFallback(a *Activity, successors []ScopedModel) *fallbackPlan {
	failed := a.last
	why := s.reason(failed)
	if len(successors) == 0 || why == "" || s.closed || a.compaction != nil || a.ctx.Err() != nil || !s.answers(s.model, failed) || s.answered(failed) {
		return nil
	}
	r := rest{time.Now().Add(min(max(ai.RetryAfter(failed), shortestRest), longestRest)), why, failed.ErrorMessage}
	s.setRest(s.model, r)
	next, ok := s.rested(successors)
	if !ok {
		return nil
	}
	return &fallbackPlan{to: next, rest: r, failed: failed}
}

// reason returns why a failure calls for another model; empty if it does not.
func (s *Session) reason(m *ai.AssistantMessage) event.FallbackReason {
	if _, own := errors.AsType[*ownError](m.Err); own || m.StopReason != ai.StopError || errors.Is(m.Err, ErrEmptyAnswer) {
		return ""
	}
	switch s.opts.Failures.Classify(m.Err, m.ErrorMessage) {
	case ai.ClassLimit:
		return event.FallbackQuota
	case ai.ClassTransient:
		if status, ok := errors.AsType[*ai.StatusError](m.Err); ok {
			switch status.Status {
			case http.StatusTooManyRequests, http.StatusServiceUnavailable, statusOverloaded:
				return event.FallbackOverload
			}
		}
		return event.FallbackOutage
	}
	return ""
}

// statusOverloaded is what Anthropic answers under load.
const statusOverloaded = 529

// rested returns the first model that need not rest; the mutex is held.
func (s *Session) rested(models []ScopedModel) (ScopedModel, bool) {
	for _, m := range models {
		if s.model != nil && sameModel(m.Model, s.model) {
			continue
		}
		if _, resting := s.restOf(m.Model); !resting {
			return m, true
		}
	}
	return ScopedModel{}, false
}

func (s *Session) setRest(m *ai.Model, r rest) {
	if s.resting == nil {
		s.resting = make(map[string]rest)
	}
	s.resting[m.Provider+"/"+m.ID] = r
}

// restOf needs the mutex.
func (s *Session) restOf(m *ai.Model) (rest, bool) {
	r, ok := s.resting[m.Provider+"/"+m.ID]
	return r, ok && time.Now().Before(r.until)
}

// standIn lets another model begin a prompt, while the chosen one rests. If all of them do,
// the chosen one is asked.
func (s *Session) standIn(a *Activity) error {
	s.mu.Lock()
	resting := false
	var r rest
	if s.model != nil {
		r, resting = s.restOf(s.model)
	}
	s.mu.Unlock()
	if !resting {
		return nil
	}
	successors := s.successors()
	s.mu.Lock()
	next, ok := s.rested(successors)
	s.mu.Unlock()
	if !ok {
		return nil
	}
	return s.switchTo(a, &fallbackPlan{to: next, rest: r})
}

// fallBack makes the request that has failed with another model. The failed answer stays in
// the store and leaves the transcript.
func (s *Session) fallBack(a *Activity, plan *fallbackPlan) error {
	s.mu.Lock()
	a.fallback = nil
	s.mu.Unlock()
	s.forget(plan.failed)
	if err := s.switchTo(a, plan); err != nil {
		s.agent.Append(plan.failed)
		return err
	}
	s.makeFit(a, plan.failed)
	return s.again(a)
}

// makeFit compacts the conversation if the window of the model that takes over is too small
// for it.
func (s *Session) makeFit(a *Activity, failed *ai.AssistantMessage) {
	m, on := s.autoCompaction()
	if !on {
		return
	}
	r := s.room(m)
	size, err := s.contextSize(s.agent.State().Messages)
	if err == nil && r.limit > 0 && size > r.limit && s.worthwhile(a, size, r) {
		s.compactInto(a.ctx, a, job{reason: compaction.Threshold, repeat: failed}, size)
	}
}

// switchTo makes the other model that of the activity, and says so.
func (s *Session) switchTo(a *Activity, plan *fallbackPlan) error {
	s.mu.Lock()
	before, back := s.choiceNow(), s.stood
	if err := s.setModel(plan.to.Model, plan.to.Thinking); err != nil {
		s.mu.Unlock()
		return err
	}
	if s.stood = back; back == nil {
		s.stood = &before
	}
	after := s.choiceNow()
	s.hub.post(&event.ModelFallback{From: event.NameOf(before.model), To: event.NameOf(after.model), Reason: plan.rest.why, ErrorMessage: plan.rest.text})
	s.mu.Unlock()
	s.hub.flush()
	s.tellChoice(a.ctx, before, after, "set")
	return nil
}

// stepBack makes the chosen model that of the session again, when an activity settles; the
// mutex is held. It returns the choice before, or nil if no other model has stood in.
func (s *Session) stepBack() *chosen {
	back := s.stood
	if back == nil {
		return nil
	}
	before := s.choiceNow()
	if err := s.setModel(back.model, back.thinking); err != nil { // it counts all the same
		s.model, s.thinking, s.stood = back.model, back.thinking, nil
		s.agent.SetModel(back.model)
		s.agent.SetThinking(back.thinking)
	}
	s.hub.post(&event.ModelRestored{From: event.NameOf(before.model), To: event.NameOf(back.model)})
	return &before
}
