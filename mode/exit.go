// Package mode has what all modes share: the exit codes.
package mode

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// The exit codes of every mode.
const (
	ExitOK     = 0
	ExitFailed = 1 // the run failed: the model, the session's file, or the output
	ExitUsage  = 2 // the command line or a configuration file is wrong; nothing was run
	// ExitSignal plus a signal's number says that the signal ended the program: 130 for
	// SIGINT, 143 for SIGTERM, 129 for SIGHUP.
	ExitSignal = 128
)

// UsageError is a mistake in the command line or a configuration file. Nothing was run.
type UsageError struct{ Err error }

// Error returns the text of Err.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UsageError) Unwrap() error { return e.Err }

// SignalError is the cause of a context that a signal has cancelled.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "ended by the signal " + e.Signal.String() }

// ExitCode returns the code that a program ends with after err, which may be nil. ctx is
// the program's: a signal that cancelled it wins.
func ExitCode(ctx context.Context, err error) int {
	if signal, ok := errors.AsType[*SignalError](context.Cause(ctx)); ok {
		if n, ok := signal.Signal.(syscall.Signal); ok {
			return ExitSignal + int(n)
		}
	}
	if err == nil {
		return ExitOK
	}
	if _, usage := errors.AsType[*UsageError](err); usage {
		return ExitUsage
	}
	return ExitFailed
}
