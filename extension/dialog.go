package extension

import (
	"context"
	"time"
)

// DialogEnd is how a dialog has ended.
type DialogEnd string

// The ends of a dialog. All but the first are that of a person who declines.
const (
	DialogAnswered  DialogEnd = "answered"
	DialogTimedOut  DialogEnd = "timeout"
	DialogCancelled DialogEnd = "cancelled" // by its context, or since nobody can answer any more
)

type dialogShown struct{}

// WithDialogShown returns a context for a dialog which calls a function once the dialog is there.
func WithDialogShown(ctx context.Context, shown func()) context.Context {
	return context.WithValue(ctx, dialogShown{}, shown)
}

// DialogShown is for those who implement [UI]: it tells whoever has asked that the dialog of
// this context has its place before the person, so that others may follow. [WaitForAnswer] does
// that as well.
func DialogShown(ctx context.Context) {
	if shown, ok := ctx.Value(dialogShown{}).(func()); ok {
		shown()
	}
}

// WaitForAnswer waits for the end of a dialog, for those who implement [UI]: for the first of
// answers, for the timeout (0 is none), for ctx, or until gone is closed, which may be nil. The
// answer is the zero value if there is none.
func WaitForAnswer[A any](ctx context.Context, answers <-chan A, timeout time.Duration, gone <-chan struct{}) (answer A, end DialogEnd) {
	DialogShown(ctx)
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case answer = <-answers:
		return answer, DialogAnswered
	case <-late:
		return answer, DialogTimedOut
	case <-ctx.Done():
	case <-gone:
	}
	return answer, DialogCancelled
}
