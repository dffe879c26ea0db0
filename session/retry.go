package session

import (
	"context"
	"errors"
	"math/rand/v2"
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

// ErrEmptyAnswer means that a model ended its answer without anything in it. Such an answer
// counts as failed, and its request is repeated.
var ErrEmptyAnswer = errors.New("the model answered with nothing")

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
	failed := *m
	failed.StopReason, failed.Err = ai.StopError, ErrEmptyAnswer
	failed.ErrorMessage = m.Model + " answered with nothing; try again"
	return &failed
}

// retryable reports whether repeating the request of a failed answer may help.
func (s *Session) retryable(m *ai.AssistantMessage) bool {
	if _, own := errors.AsType[*ownError](m.Err); own || m.StopReason != ai.StopError {
		return false
	}
	return errors.Is(m.Err, ErrEmptyAnswer) || s.opts.Failures.IsRetryable(m)
}

// runEnded takes note of the end of a run: it decides whether its request is repeated, and
// whether another model makes it, before anybody is told. over is the end of a series of repetitions that have failed, or nil.
func (s *Session) runEnded(ev *agent.AgentEnd) (retry bool, over *event.AutoRetryEnd) {
	answer := newestAnswer(ev.Messages)
	var successors []ScopedModel
	if answer != nil && s.reason(answer) != "" {
		successors = s.successors()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.activity
	if a == nil {
		return false, nil
	}
	a.asked = false
	a.last = answer
	if a.last == nil || !a.last.Failed() {
		return false, nil
	}
	if a.retry = s.planRetry(a); a.retry != nil {
		return true, nil
	}
	a.fallback = s.planFallback(a, successors)
	return a.fallback != nil, a.endRetry(a.last.ErrorMessage)
}

// planRetry returns nil if the request is not repeated; the mutex is held.
func (s *Session) planRetry(a *Activity) *retryPlan {
	p := &retryPlan{attempt: a.attempt + 1, max: s.opts.Retry.max(), failed: a.last, cause: a.last.ErrorMessage}
	if s.retryOff || s.closed || a.compaction != nil || a.ctx.Err() != nil || p.attempt > p.max || !s.retryable(p.failed) || s.answered(p.failed) {
		return nil
	}
	var ok bool
	p.floor = ai.RetryAfter(p.failed)
	if p.delay, ok = s.opts.Retry.delay(p.attempt, p.floor); !ok {
		return nil
	}
	p.ctx, p.cancel = context.WithCancelCause(a.ctx)
	a.attempt = p.attempt
	return p
}

// answered reports whether without m the transcript ends with an answer, so that there is
// nothing to ask for.
func (s *Session) answered(m *ai.AssistantMessage) bool {
	messages := without(s.agent.State().Messages, m)
	if len(messages) == 0 {
		return true
	}
	_, answered := messages[len(messages)-1].(*ai.AssistantMessage)
	return answered
}

// endRetry ends a series of repetitions without success and returns the event that says so,
// or nil if there is none; the mutex is held.
func (a *Activity) endRetry(why string) *event.AutoRetryEnd {
	if a.attempt == 0 {
		return nil
	}
	end := &event.AutoRetryEnd{Attempt: a.attempt, FinalError: why}
	a.attempt, a.retry = 0, nil
	return end
}

// answerCame takes note of an answer that has not failed. It returns the end of a series of
// repetitions, or nil if there was none.
func (s *Session) answerCame(m *ai.AssistantMessage) *event.AutoRetryEnd {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.activity
	if a == nil {
		return nil
	}
	if m.StopReason != ai.StopLength {
		a.recovering = false
		s.relearn(m)
	}
	if a.attempt == 0 {
		return nil
	}
	end := &event.AutoRetryEnd{Success: true, Attempt: a.attempt}
	a.attempt = 0
	return end
}

// repeat waits and makes the failed request again. The failed answer stays in the store and
// leaves the transcript, unless the repetition is given up.
func (s *Session) repeat(a *Activity, p *retryPlan) error {
	defer p.cancel(nil)
	s.forget(p.failed)
	s.hub.emit(&event.AutoRetryStart{Attempt: p.attempt, MaxAttempts: p.max, DelayMs: milliseconds(p.delay), ErrorMessage: p.cause})
	err := p.wait()
	s.mu.Lock()
	a.retry = nil
	var over *event.AutoRetryEnd
	if err != nil {
		over = a.endRetry(errRetryAborted.Error())
		s.agent.Append(p.failed)
	}
	s.mu.Unlock()
	if over != nil {
		s.hub.emit(over)
		return nil
	}
	return s.again(a)
}

// milliseconds rounds up, so that what is announced is not too short.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

// AbortRetry gives up the repetition that is being waited for, and with it the run. Without
// one it does nothing.
func (s *Session) AbortRetry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.activity; a != nil && a.retry != nil {
		a.retry.cancel(errRetryAborted)
	}
}

// SetAutoRetry switches the repetition of failed requests on or off. A repetition that was
// announced takes place; see [Session.AbortRetry].
func (s *Session) SetAutoRetry(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retryOff = !on
}
