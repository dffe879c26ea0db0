package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
)

// Retry says how a failed request is repeated (law S3). The zero value is that of Pi 0.85's
// settings: three times, after 2, 4 and 8 seconds.
type Retry struct {
	// Disabled starts with retry switched off; see [Session.SetAutoRetry].
	Disabled bool
	// MaxRetries is how often a request is repeated; 0 means 3, a negative value never.
	MaxRetries int
	// BaseDelay is the first delay, which doubles each time; 0 means 2 s, a negative value
	// no delay.
	BaseDelay time.Duration
	// MaxDelay bounds the doubling; 0 means a minute.
	MaxDelay time.Duration
	// MaxServerDelay is the longest delay that a server may ask for; a request for which
	// it asks more is not repeated. 0 means a minute, a negative value no bound.
	MaxServerDelay time.Duration
}

// errRetryAborted is why a repetition does not take place after all.
var errRetryAborted = errors.New("the retry was called off")

func (r Retry) max() int {
	if r.MaxRetries == 0 {
		return 3
	}
	return max(r.MaxRetries, 0)
}

// delay returns how long to wait before a repetition, counted from 1, at most. asked is what
// the server asked for. It is not ok to wait longer than the bounds allow.
func (r Retry) delay(attempt int, asked time.Duration) (d time.Duration, ok bool) {
	limit := bound(r.MaxServerDelay, time.Minute)
	if limit >= 0 && asked > limit {
		return 0, false
	}
	d, longest := bound(r.BaseDelay, 2*time.Second), bound(r.MaxDelay, time.Minute)
	for range attempt - 1 {
		if d >= longest {
			break
		}
		d *= 2
	}
	if d = max(min(d, longest), 0); asked < d {
		return d, true
	}
	// Who was told the same time comes back at the same moment, unless some wait longer.
	return asked + rand.N(min(asked/10, 2*time.Second)+1), true
}

// bound returns d, or byDefault for 0.
func bound(d, byDefault time.Duration) time.Duration {
	if d == 0 {
		return byDefault
	}
	return d
}

// retryPlan is a repetition that has been announced.
type retryPlan struct {
	attempt, max int
	delay        time.Duration // announced
	floor        time.Duration // what the server asked for
	failed       *ai.AssistantMessage
	cause        string
	ctx          context.Context // ends with an abort of the run or of the retry
	cancel       context.CancelCauseFunc
}

// wait returns nil after the delay, or the cause of an abort. The delay is up to a quarter
// shorter than announced, so that many clients do not come back at the same moment.
func (p *retryPlan) wait() error {
	return sleep(p.ctx, max(p.delay-rand.N(p.delay/4+1), p.floor))
}

// sleep returns nil after d, or the cause of the end of ctx at once.
func sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ownError is an error of the session itself. It ends a run as a failed answer, but no
// request has failed: asking again would repeat what cannot be stored.
type ownError struct{ error }

// Unwrap returns the error.
func (e *ownError) Unwrap() error { return e.error }

// judge returns the answer as it counts: one with nothing in it is a failure, which the user
// sees and which no later request carries.
func judge(m *ai.AssistantMessage) *ai.AssistantMessage {
	if !ai.IsEmpty(m) {
		return m
	}
	return ai.FailedEmpty(m)
}

// retry decides which failed requests are repeated.
type retry struct {
	policy   Retry
	failures ai.Classifier

	mu  sync.Mutex
	off bool
}

// enabled reports whether failed requests are repeated.
func (r *retry) enabled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.off
}

func (r *retry) enable(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = !on
}

// helps reports whether repeating the request of a failed answer may help.
func (r *retry) helps(m *ai.AssistantMessage) bool {
	if _, own := errors.AsType[*ownError](m.Err); own || m.StopReason != ai.StopError {
		return false
	}
	return errors.Is(m.Err, ai.ErrEmptyAnswer) || r.failures.IsRetryable(m)
}

// delay says whether, and when, the request of a failed answer is repeated for the attempt-th
// time.
func (r *retry) delay(attempt int, failed *ai.AssistantMessage) (d time.Duration, ok bool) {
	if !r.enabled() || attempt > r.policy.max() || !r.helps(failed) {
		return 0, false
	}
	return r.policy.delay(attempt, ai.RetryAfter(failed))
}

// retryState is where a series is in its repetitions.
type retryState struct {
	mu      sync.Mutex
	plan    *retryPlan // the repetition that has been announced; nil if there is none
	attempt int        // the number of those since the last good answer
}

// planned returns the repetition that has been announced; nil if there is none.
func (t *retryState) planned() *retryPlan {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.plan
}

// announce plans the next repetition of a failed request within ctx. It reports whether there is
// one.
func (t *retryState) announce(ctx context.Context, r *retry, failed *ai.AssistantMessage) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.plan = nil
	d, ok := r.delay(t.attempt+1, failed)
	if !ok {
		return false
	}
	t.attempt++
	t.plan = &retryPlan{
		attempt: t.attempt, max: r.policy.max(), delay: d, floor: ai.RetryAfter(failed), failed: failed, cause: failed.ErrorMessage,
	}
	t.plan.ctx, t.plan.cancel = context.WithCancelCause(ctx)
	return true
}

// waited takes note of the end of the wait.
func (t *retryState) waited() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.plan = nil
}

// abort gives up the repetition that is being waited for.
func (t *retryState) abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plan != nil {
		t.plan.cancel(errRetryAborted)
	}
}

// end ends the repetitions without success and returns the event that says so, or nil if there
// was none.
func (t *retryState) end(why string) *event.AutoRetryEnd {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.attempt == 0 {
		return nil
	}
	end := &event.AutoRetryEnd{Attempt: t.attempt, FinalError: why}
	t.attempt, t.plan = 0, nil
	return end
}

// succeed ends the repetitions with an answer and returns the event that says so, or nil if
// there was none.
func (t *retryState) succeed() *event.AutoRetryEnd {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.attempt == 0 {
		return nil
	}
	end := &event.AutoRetryEnd{Success: true, Attempt: t.attempt}
	t.attempt = 0
	return end
}

// runEnded takes note of the end of a run: it decides whether its request is repeated, and
// whether another model makes it, before anybody is notified. end is that of a series of
// repetitions that have failed, or nil.
func (c *conductor) runEnded(ev *agent.AgentEnd) (retry bool, end *event.AutoRetryEnd) {
	answer := newestAnswer(ev.Messages)
	var successors []ScopedModel
	if answer != nil && c.fallback.reason(answer) != "" {
		successors = c.fallback.successors(c.choice.chosen())
	}
	s := c.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.current
	if a == nil {
		return false, nil
	}
	a.asked = false
	a.last = answer
	if answer == nil || !answer.Failed() {
		return false, nil
	}
	again := !s.closed && a.compaction.requested() == nil && a.ctx.Err() == nil && !c.isAnswered(answer)
	if again && c.retry.helps(answer) && a.budget.stops() {
		again = false
	}
	if again && a.retry.announce(a.ctx, c.retry, answer) {
		return true, nil
	}
	if again && isFrom(answer, c.choice.current().model) {
		a.fallback = c.fallback.plan(answer, c.choice.current().model, successors)
	}
	return a.fallback != nil, a.retry.end(answer.ErrorMessage)
}

// isAnswered reports whether without m the transcript ends with an answer, so that there is
// nothing to ask for.
func (c *conductor) isAnswered(m *ai.AssistantMessage) bool {
	messages := without(c.agent.State().Messages, m)
	return len(messages) == 0 || isAnswer(messages[len(messages)-1])
}

// repeat waits and makes the failed request again. The failed answer stays in the store and
// leaves the transcript, unless the repetition is given up.
func (c *conductor) repeat(a *series, p *retryPlan) error {
	defer p.cancel(nil)
	c.forget(p.failed)
	c.events.emit(&event.AutoRetryStart{Attempt: p.attempt, MaxAttempts: p.max, DelayMs: milliseconds(p.delay), ErrorMessage: p.cause})
	err := p.wait()
	a.retry.waited()
	if err == nil {
		return c.proceed(a)
	}
	end := a.retry.end(errRetryAborted.Error())
	c.agent.Append(p.failed)
	if end != nil {
		c.events.emit(end)
	}
	return nil
}

// milliseconds rounds up, so that what is announced is not too short.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
