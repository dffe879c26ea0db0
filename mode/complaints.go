package mode

import (
	"context"
	"errors"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
)

// Complaints are what the user is told about err, a line each. That a run was aborted is no
// news to who has sent a signal.
func Complaints(ctx context.Context, err error) []string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, Complaints(ctx, e)...)
		}
		return all
	}
	_, signalled := errors.AsType[*SignalError](context.Cause(ctx))
	if err == nil || signalled && isAbort(err) {
		return nil
	}
	return []string{err.Error()}
}

func isAbort(err error) bool {
	if failed, ok := errors.AsType[*session.FailedAnswerError](err); ok && failed.Answer.StopReason == ai.StopAborted {
		return true
	}
	_, signalled := errors.AsType[*SignalError](err)
	return signalled || errors.Is(err, context.Canceled) || errors.Is(err, agent.ErrAborted)
}
