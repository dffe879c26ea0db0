package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// Disposition says what an accepted prompt has come to.
type Disposition string

// The dispositions.
const (
	// Started means that the agent works on the prompt now.
	Started Disposition = "started"
	// Queued means that it is delivered later, in the run under way.
	Queued Disposition = "queued"
	// Handled means that an extension has dealt with it, and no run begins.
	Handled Disposition = "handled"
)

// Cause says why the work on a prompt has ended.
type Cause string

// The causes.
const (
	// CauseAnswered: the model has answered.
	CauseAnswered Cause = "answered"
	// CauseFailed: the answer failed, was cut at the output limit, or is empty.
	CauseFailed Cause = "failed"
	// CauseAborted: the run was aborted, or the prompt's context was cancelled.
	CauseAborted Cause = "aborted"
	// CauseStopped: a hook or a terminating tool ended the run before an answer.
	CauseStopped Cause = "stopped"
	// CauseBudget: a budget was used up; see [Result.Budget].
	CauseBudget Cause = "budget"
	// CauseHandled: an extension dealt with the prompt, and the model was not asked.
	CauseHandled Cause = "handled"
	// CauseDropped: the prompt waited in a queue that was cleared.
	CauseDropped Cause = "dropped"
)

// Result is what one prompt has come to. Where several prompts share a run, each has its own:
// an answer belongs to the prompts that were delivered before it and had none yet, usage to the
// newest of them.
type Result struct {
	// Answer is the last message of the model for this prompt; nil if there is none.
	Answer *ai.AssistantMessage
	// StopReason is that of the answer; empty without one.
	StopReason ai.StopReason
	// Usage is what the requests for this prompt took, with those of tools and of
	// repetitions. Usage.Cost is in US dollars.
	Usage ai.Usage
	// Turns counts the requests that were answered.
	Turns int
	// Duration is the time from the acceptance of the prompt to its answer or end.
	Duration time.Duration
	Cause    Cause
	// Budget is the budget that was used up, for [CauseBudget].
	Budget *BudgetError
}

// Text returns the text of the answer; empty without one.
func (r *Result) Text() string {
	if r.Answer == nil {
		return ""
	}
	return r.Answer.Content.Text()
}

// Err returns why there is no good answer: a [*FailedAnswerError], a [*BudgetError], or an error
// that wraps [agent.ErrAborted] or [ErrDropped]. It is nil for an answer, for a prompt that an
// extension has dealt with, and for a run that a hook has stopped.
func (r *Result) Err() error {
	switch r.Cause {
	case CauseFailed:
		return &FailedAnswerError{r.Answer}
	case CauseBudget:
		return r.Budget
	case CauseAborted:
		return agent.ErrAborted
	case CauseDropped:
		return ErrDropped
	case CauseAnswered, CauseStopped, CauseHandled:
	}
	return nil
}

// ErrDropped means that a prompt waited in a queue and was never delivered: the queue was
// cleared, or the session has ended.
var ErrDropped = errors.New("the prompt was not delivered: its queue was cleared")

// Run is a prompt that was accepted, and what becomes of it.
type Run struct {
	// Disposition says whether the agent has begun to work on the prompt, or it was queued.
	Disposition Disposition

	message   agent.Message
	accepted  time.Time
	done      chan struct{} // closed when the session has settled
	scheduler *scheduler
	// The lock of results guards what follows.
	series   *series // that the prompt belongs to
	begun    bool    // the message was delivered
	complete bool    // the model has answered
	aborted  bool
	ended    bool // another prompt was delivered after the abort
	dropped  bool
	cause    error // of an abort or a drop
	result   Result
	err      error // of the run or the store
}

// handledRun is the run of a prompt that an extension has dealt with.
func handledRun() *Run {
	r := &Run{Disposition: Handled, done: make(chan struct{}), result: Result{Cause: CauseHandled}}
	close(r.done)
	return r
}

// Wait returns the result of the prompt when the session has settled, or ctx's error. The error
// is that of the run or of the store, or says that the prompt was aborted ([agent.ErrAborted])
// or never delivered ([ErrDropped]); there is a result in these cases as well. A failed answer
// and a used-up budget are no error of Wait: see [Result.Err].
func (r *Run) Wait(ctx context.Context) (*Result, error) {
	select {
	case <-r.done:
	default:
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	result := r.result
	return &result, r.waitError()
}

// waitError needs the end of the run.
func (r *Run) waitError() error {
	switch {
	case r.err != nil:
		return r.err
	case r.result.Cause != CauseAborted && r.result.Cause != CauseDropped:
		return nil
	case r.cause != nil:
		return fmt.Errorf("%w: %w", r.result.Err(), r.cause)
	}
	return r.result.Err()
}

// Abort gives up the prompt without waiting: one that is queued leaves its queue, one that is
// worked on is aborted with the other prompts of its run. A prompt that has its answer stays as
// it is.
func (r *Run) Abort() { r.abort(nil) }

func (r *Run) abort(cause error) {
	if r.scheduler != nil {
		r.scheduler.abortRun(r, cause)
	}
}
