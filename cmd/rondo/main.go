// Command rondo is a coding agent: it reads, edits and runs things in the current folder.
// See `rondo --help`.
package main

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/internal/process"
	"github.com/rondo-agent/rondo/mode"
)

func main() {
	ctx, stop := mode.WithSignals(context.Background())
	p := newCommand(os.Stdin, os.Stdout, os.Stderr)
	err := p.run(ctx, os.Args[1:])
	lines := mode.Complaints(ctx, err)
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
