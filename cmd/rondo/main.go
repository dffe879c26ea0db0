// Command rondo is a coding agent: it reads, edits and runs things in the current folder.
// See `rondo --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rondo-agent/rondo/internal/process"
	"github.com/rondo-agent/rondo/mode"
)

func main() {
	ctx, stop := withSignals(context.Background())
	err := newCommand(os.Stdin, os.Stdout, os.Stderr).run(ctx, os.Args[1:])
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "rondo: "+err.Error())
	}
	process.KillAll(killGrace)
	code := mode.ExitCode(ctx, err)
	stop()
	os.Exit(code)
}

// killGrace is how long commands get to end by themselves when the program does.
const killGrace = 500 * time.Millisecond

// withSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, with a
// [*mode.SignalError] as its cause. A second one ends the program at once.
func withSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		var first error
		for {
			select {
			case sig := <-signals:
				if first != nil {
					process.KillAll(0)
					os.Exit(mode.ExitCode(ctx, first))
				}
				first = &mode.SignalError{Signal: sig}
				cancel(first)
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
