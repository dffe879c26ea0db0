package session

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
)

// How long a model that has failed is not asked: as long as its server wants, within these
// bounds.
const (
	minCoolDown = 5 * time.Minute
	maxCoolDown = time.Hour
)

// coolDown is until when a model is not asked, and why.
type coolDown struct {
	until  time.Time
	reason event.FallbackReason
	text   string // what the failure said
}

// fallbackPlan is a switch to another model that has been decided.
type fallbackPlan struct {
	to     ScopedModel
	why    coolDown
	failed *ai.AssistantMessage // nil at the beginning of a prompt
}

// fallback knows which models have failed and which take over.
type fallback struct {
	opts *Options

	mu        sync.Mutex
	coolDowns map[string]coolDown // of models that have failed, by provider/id
}

// successors lists the models that may take over from m, which may be nil, and can be asked.
func (f *fallback) successors(m *ai.Model) []ScopedModel {
	if f.opts.Successors == nil || m == nil {
		return nil
	}
	var ready []ScopedModel
	for _, next := range f.opts.Successors(m) {
		if f.opts.Ready == nil || f.opts.Ready(next.Model) == nil {
			ready = append(ready, next)
		}
	}
	return ready
}

// plan decides which model makes a request that has failed for good with the model m; nil if
// none does. The model that has failed cools down from then on.
func (f *fallback) plan(failed *ai.AssistantMessage, m *ai.Model, successors []ScopedModel) *fallbackPlan {
	reason := f.reason(failed)
	if len(successors) == 0 || reason == "" {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	why := coolDown{time.Now().Add(min(max(ai.RetryAfter(failed), minCoolDown), maxCoolDown)), reason, failed.ErrorMessage}
	if f.coolDowns == nil {
		f.coolDowns = make(map[string]coolDown)
	}
	f.coolDowns[modelKey(m)] = why
	next, ok := f.first(successors, m)
	if !ok {
		return nil
	}
	return &fallbackPlan{to: next, why: why, failed: failed}
}

// instead returns the model that begins a prompt in place of m, which cools down; nil if m is
// asked itself.
func (f *fallback) instead(m, chosen *ai.Model) *fallbackPlan {
	if m == nil {
		return nil
	}
	f.mu.Lock()
	why, cooling := f.coolDownOf(m)
	f.mu.Unlock()
	if !cooling {
		return nil
	}
	successors := f.successors(chosen)
	f.mu.Lock()
	defer f.mu.Unlock()
	next, ok := f.first(successors, m)
	if !ok {
		return nil
	}
	return &fallbackPlan{to: next, why: why}
}

// reason returns why a failure calls for another model; empty if it does not.
func (f *fallback) reason(m *ai.AssistantMessage) event.FallbackReason {
	if _, own := errors.AsType[*ownError](m.Err); own || m.StopReason != ai.StopError || errors.Is(m.Err, ai.ErrEmptyAnswer) {
		return ""
	}
	switch f.opts.Failures.Classify(m.Err, m.ErrorMessage) {
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

// first returns the first model other than m that does not cool down; the mutex is held.
func (f *fallback) first(models []ScopedModel, m *ai.Model) (ScopedModel, bool) {
	for _, other := range models {
		if m != nil && sameModel(other.Model, m) {
			continue
		}
		if _, cooling := f.coolDownOf(other.Model); !cooling {
			return other, true
		}
	}
	return ScopedModel{}, false
}

// coolDownOf needs the mutex.
func (f *fallback) coolDownOf(m *ai.Model) (coolDown, bool) {
	c, ok := f.coolDowns[modelKey(m)]
	return c, ok && time.Now().Before(c.until)
}

func modelKey(m *ai.Model) string { return m.Provider + "/" + m.ID }

// takeOver lets another model begin a prompt, while the chosen one cools down. If all of them
// do, the chosen one is asked.
func (c *conductor) takeOver(a *series) error {
	plan := c.fallback.instead(c.choice.current().model, c.choice.chosen())
	if plan == nil {
		return nil
	}
	return c.choice.takeOver(a.ctx, plan.to, plan.why.reason, plan.why.text)
}

// fallBack makes the request that has failed with another model. The failed answer stays in
// the store and leaves the transcript.
func (c *conductor) fallBack(a *series, plan *fallbackPlan) error {
	c.forget(plan.failed)
	if err := c.choice.takeOver(a.ctx, plan.to, plan.why.reason, plan.why.text); err != nil {
		c.agent.Append(plan.failed)
		return err
	}
	c.compactor.makeFit(a, plan.failed)
	return c.proceed(a)
}
