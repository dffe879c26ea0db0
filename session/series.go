package session

import (
	"context"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// series is what a session does from the acceptance of a prompt until nothing automatic
// remains: its runs, repetitions and compactions, and the runs of messages that were queued.
// The scheduler's mutex guards it, except where a field has an owner of its own.
type series struct {
	settled chan struct{} // closed when everyone has been told
	err     error         // of the runs or the store; set before settled is closed

	// ctx is the context of the run under way or, between two runs, of the next one, so
	// that an abort is never lost; in the end that of the extensions that are notified.
	ctx        context.Context
	cancel     context.CancelCauseFunc
	interrupts interrupts

	previous *series        // that has not settled for everybody; nil if there is none
	before   *CompactionRun // whose end the series waits for; nil if there is none

	last     *ai.AssistantMessage // the final answer of a run that has ended and has not been looked at
	fallback *fallbackPlan        // another model that takes over
	asked    bool                 // the extensions have been asked, since the last run, whether there is more to do

	end seriesEnd

	retry      retryState
	compaction compactionState
	budget     budgetState
}

// interrupts are prompts that a run was aborted for.
type interrupts struct {
	messages []agent.Message
	aborted  bool // the run that they begin is not wanted either
}

// seriesEnd is how a series has settled.
type seriesEnd struct {
	restored  *selection // what the series ended with, if another model had taken over
	announced bool       // that it has settled comes after the extensions have been notified
	aborted   bool       // the last run was aborted
}

// newSeries returns a series whose context is a child of ctx.
func newSeries(ctx context.Context) *series {
	a := &series{settled: make(chan struct{})}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	return a
}

// await returns nil when the session has settled, or ctx's error.
func (a *series) await(ctx context.Context) error {
	select {
	case <-a.settled:
		return nil
	default:
	}
	select {
	case <-a.settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *series) isSettled() bool {
	select {
	case <-a.settled:
		return true
	default:
		return false
	}
}

// renew gives a series whose run was aborted a context for the next one; the scheduler's mutex
// is held.
func (a *series) renew(ctx context.Context) {
	if a.ctx.Err() == nil {
		return
	}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	if a.interrupts.aborted {
		a.cancel(agent.ErrAborted)
	}
}

// abort cancels what the series does; the scheduler's mutex is held.
func (a *series) abort() {
	a.cancel(agent.ErrAborted)
	a.interrupts.aborted = len(a.interrupts.messages) > 0
}
