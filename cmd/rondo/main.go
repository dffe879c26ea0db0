// Command rondo is a coding agent: it reads, edits and runs things in the current folder.
// See `rondo --help`.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/process"
	"github.com/rondo-agent/rondo/mode"
	"github.com/rondo-agent/rondo/session"
)

func main() {
	ctx, stop := withSignals(context.Background())
	p := newCommand(os.Stdin, os.Stdout, os.Stderr)
	err := p.run(ctx, os.Args[1:])
	lines := complaints(ctx, err)
	for i, line := range lines {
		if !slices.Contains(lines[:i], line) { // the session's end may fail like the run
			p.note(line)
		}
	}
	process.KillAll(killGrace)
	code := mode.ExitCode(ctx, err)
	stop()
	os.Exit(code)
}

// killGrace is how long commands get to end by themselves when the program does.
const killGrace = 500 * time.Millisecond

// shutdownLimit is how long what runs may take to end after a signal. It is more than a
// session takes to close.
const shutdownLimit = 15 * time.Second

// withSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, with a
// [*mode.SignalError] as its cause. A second one ends the program at once, and so does the
// end of shutdownLimit.
func withSignals(ctx context.Context) (context.Context, func()) {
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
				cancel(&mode.SignalError{Signal: sig})
				limit = time.After(shutdownLimit)
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
	os.Exit(mode.ExitCode(ctx, nil))
}

// complaints are what the user is told about err, a line each. That a run was aborted is no
// news to who has sent a signal.
func complaints(ctx context.Context, err error) []string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, complaints(ctx, e)...)
		}
		return all
	}
	_, signalled := errors.AsType[*mode.SignalError](context.Cause(ctx))
	if err == nil || signalled && isAbort(err) {
		return nil
	}
	return []string{err.Error()}
}

func isAbort(err error) bool {
	if failed, ok := errors.AsType[*session.FailedAnswerError](err); ok && failed.Answer.StopReason == ai.StopAborted {
		return true
	}
	_, signalled := errors.AsType[*mode.SignalError](err)
	return signalled || errors.Is(err, context.Canceled) || errors.Is(err, agent.ErrAborted)
}
