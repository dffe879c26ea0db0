package mode_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/rondo-agent/rondo/mode"
)

func TestExitCode(t *testing.T) {
	failed := errors.New("failed")
	wrong := &mode.UsageError{Err: fs.ErrNotExist}
	signalled := func(sig syscall.Signal) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(&mode.SignalError{Signal: sig})
		return ctx
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want int
	}{
		"done":             {t.Context(), nil, 0},
		"failed":           {t.Context(), failed, 1},
		"wrong":            {t.Context(), wrong, 2},
		"wrapped":          {t.Context(), fmt.Errorf("read it: %w", wrong), 2},
		"joined":           {t.Context(), errors.Join(failed, wrong), 2},
		"cancelled":        {cancelled, context.Canceled, 1},
		"interrupted":      {signalled(syscall.SIGINT), failed, 130},
		"terminated":       {signalled(syscall.SIGTERM), nil, 143},
		"hung up":          {signalled(syscall.SIGHUP), wrong, 129},
		"signal as result": {t.Context(), &mode.SignalError{Signal: syscall.SIGINT}, 1},
	} {
		if got := mode.ExitCode(c.ctx, c.err); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
	if !errors.Is(wrong, fs.ErrNotExist) || wrong.Error() != fs.ErrNotExist.Error() {
		t.Errorf("a usage error hides its cause: %v", wrong)
	}
	if got, want := (&mode.SignalError{Signal: syscall.SIGINT}).Error(), "ended by the signal interrupt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
