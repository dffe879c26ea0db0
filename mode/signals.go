package mode

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rondo-agent/rondo/internal/process"
)

// ShutdownLimit is how long what runs may take to end after a signal. It is more than a
// session takes to close.
const ShutdownLimit = 15 * time.Second

// WithSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, with a
// [*SignalError] as its cause. A second one ends the program at once, and so does the
// end of ShutdownLimit.
func WithSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // as nohup ignores SIGHUP
			signal.Notify(signals, sig)
		}
	}
	// Writing to a pipe that nobody reads shall be an error, not the end of the program:
	// commands that run must be ended first.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		var limit <-chan time.Time
		for {
			select {
			case sig := <-signals:
				if limit != nil {
					die(ctx)
				}
				cancel(&SignalError{Signal: sig})
				limit = time.After(ShutdownLimit)
			case <-limit:
				die(ctx)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// die ends the program and the commands that it runs.
func die(ctx context.Context) {
	process.KillAll(0)
	os.Exit(ExitCode(ctx, nil))
}
