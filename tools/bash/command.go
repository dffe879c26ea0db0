package bash

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/internal/process"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// Result is what became of a command. Its JSON form is the data of the response to the RPC
// command bash (Pi 0.85).
type Result struct {
	// Output is the text of stdout and stderr together; if it was truncated, its end.
	Output string `json:"output"`
	// ExitCode is nil if the command was stopped.
	ExitCode *int `json:"exitCode,omitzero"`
	// Cancelled says that the context ended the command.
	Cancelled bool `json:"cancelled"`
	Truncated bool `json:"truncated"`
	// FullOutputPath is a file with all of the output, where Truncated.
	FullOutputPath string `json:"fullOutputPath,omitzero"`

	// TimedOut says that Command.Timeout ended the command.
	TimedOut bool `json:"-"`
	// Exit has the details of how the command ended.
	Exit host.Exit `json:"-"`
	// Truncation measures the output.
	Truncation truncate.Result `json:"-"`
	// Elapsed is how long it took.
	Elapsed time.Duration `json:"-"`

	fileNote string
}

var errTimeout = errors.New("the command ran into its timeout")

// Run runs a command that is not a tool call, such as one that a user typed. OnData, which
// may be nil, gets the output as text, piece by piece, one call at a time.
//
// A command that fails, or that ctx ends, is a result; an error means that it could not be
// run, and comes with the result so far.
func Run(ctx context.Context, cmd host.Command, opts *Options, onData func(delta string)) (*Result, error) {
	emit := func(text []byte) {
		if onData != nil {
			onData(string(text))
		}
	}
	if opts == nil {
		opts = &Options{}
	}
	return run(ctx, cmd, opts, newCapture(ctx, opts.host(), 0), emit)
}

func run(ctx context.Context, cmd host.Command, opts *Options, out *capture, emit func(text []byte)) (*Result, error) {
	if cmd.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, cmd.Timeout, errTimeout)
		defer cancel()
		ctx = limited
	}
	start := time.Now()
	exit, err := execute(ctx, opts.complete(cmd), opts.host(), func(p []byte) {
		if text := out.write(p); len(text) > 0 {
			emit(text)
		}
	})
	if text := out.end(); len(text) > 0 {
		emit(text)
	}
	r := result(out)
	r.Exit, r.Elapsed = exit, time.Since(start)
	switch {
	case err == nil:
		r.ExitCode = &r.Exit.Code
	case ctx.Err() == nil:
		// Not wrapped: an error of a network connection to where the command runs must
		// not look like one of the model's provider.
		return r, errors.New(err.Error())
	case errors.Is(context.Cause(ctx), errTimeout):
		r.TimedOut = true
	default:
		r.Cancelled = true
	}
	return r, nil
}

func execute(ctx context.Context, cmd *host.Command, on host.Commands, output func([]byte)) (host.Exit, error) {
	if ctx.Err() != nil {
		return host.Exit{}, context.Cause(ctx)
	}
	return on.Run(ctx, cmd, output)
}

func result(out *capture) *Result {
	shown, path := out.shown()
	r := &Result{Output: shown.Content, Truncated: shown.Truncated, FullOutputPath: path, Truncation: shown}
	if r.Truncated {
		r.fileNote = out.fileNote()
	}
	return r
}

// Notice tells what the output lacks and where to find it; empty if it lacks nothing.
func (r *Result) Notice() string {
	var notes []string
	if t := r.Truncation; t.Truncated {
		notes = append(notes, part(t), r.fileNote)
	}
	if r.Exit.OutputLost {
		notes = append(notes, "A process in the background is still writing; what it writes from now on is not shown")
	}
	if len(notes) == 0 {
		return ""
	}
	return strings.Join(notes, ". ")
}

// part says which part of the output is shown.
func part(t truncate.Result) string {
	if t.OutputLines == t.TotalLines {
		return fmt.Sprintf("Of long lines the middle is left out; the output has %s", truncate.Size(int64(t.TotalBytes)))
	}
	limit := ""
	if t.TruncatedBy == truncate.ByBytes {
		limit = ", within the limit of " + truncate.Size(int64(t.MaxBytes))
	}
	return fmt.Sprintf("These are lines %d-%d of %d%s", t.TotalLines-t.OutputLines+1, t.TotalLines, t.TotalLines, limit)
}

// failure says how a command failed; empty if it did not. The form of the sentence about
// the exit code is Pi 0.85's.
func (r *Result) failure(timeout time.Duration) string {
	var text string
	switch {
	case r.TimedOut:
		text = fmt.Sprintf("Command stopped: it did not end within its timeout of %s. "+
			"Use a longer timeout, or run it in the background with its output in a file", seconds(timeout))
	case r.Cancelled:
		text = "Command aborted: it was stopped before it had ended"
	case r.ExitCode == nil || *r.ExitCode == 0:
		return ""
	default:
		text = fmt.Sprintf("Command exited with code %d%s", *r.ExitCode, reason(r.Exit))
	}
	if len(r.Exit.Left) > 0 {
		text += fmt.Sprintf(". These processes could not be ended: %s", strings.Trim(fmt.Sprint(r.Exit.Left), "[]"))
	}
	if r.Exit.OutputHeld {
		text += ". A process in the background still has its output open"
	}
	return text
}

// reason explains exit codes above 128, which are signals.
func reason(exit host.Exit) string {
	if exit.Signal != "" {
		return fmt.Sprintf(": it was killed by %s", exit.Signal)
	}
	if name := process.SignalName(exit.Code - 128); exit.Code > 128 && name != "" {
		return fmt.Sprintf(", which a shell reports when %s ended a program", name)
	}
	return ""
}

func seconds(d time.Duration) string {
	n := strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
	if n == "1" {
		return "1 second"
	}
	return n + " seconds"
}
