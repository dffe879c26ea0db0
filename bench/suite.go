package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// group is a set of rows that are measured together.
type group struct {
	name  string
	about string
	run   func(context.Context, *bench) []row
}

// groups are all groups, in the order of the table.
func groups() []group {
	return []group{
		{"startup", "start-up to --version", startup},
		{"rpc", "RPC: first answer, idle memory", idleRPC},
		{"session", "RPC: a session of 100 MB", sessions},
		{"prompt", "RPC: a prompt, from the provider's bytes to JSON lines", prompts},
		{"serve", "HTTP: readers of a stream, idle sessions", serving},
		{"wires", "a text delta, from a wire's bytes to the event", wireDeltas},
		{"text", "a text delta through Agent", textDeltas},
		{"arguments", "a delta of a 100 KiB tool argument", argumentDeltas},
		{"tools", "a call of a tool that does nothing", toolCalls},
		{"extension", "an event to an extension, a start with one", extensions},
	}
}

func groupNames() []string {
	var names []string
	for _, g := range groups() {
		names = append(names, g.name)
	}
	return names
}

// chooseGroups picks the groups named in a list with commas; empty means all.
func chooseGroups(only string) ([]group, error) {
	if only == "" {
		return groups(), nil
	}
	wanted := strings.Split(only, ",")
	for _, name := range wanted {
		if !slices.Contains(groupNames(), name) {
			return nil, fmt.Errorf("-only %s: there is no %q; choose from %s", only, name, strings.Join(groupNames(), ", "))
		}
	}
	return slices.DeleteFunc(groups(), func(g group) bool { return !slices.Contains(wanted, g.name) }), nil
}

// plan is how often things are measured.
type plan struct {
	startup int           // runs of --version
	ready   int           // starts in RPC mode
	idle    int           // programs whose memory is read
	clients int           // programs that are prompted
	prompts int           // measured prompts of each kind to each of them
	rounds  int           // runs of the benchmarks inside a process
	windows int           // measurements of each benchmark in a round
	window  time.Duration // length of one of them
}

var (
	fullPlan  = plan{startup: 11, ready: 7, idle: 3, clients: 5, prompts: 12, rounds: 3, windows: 10, window: 30 * time.Millisecond}
	quickPlan = plan{startup: 5, ready: 3, idle: 1, clients: 2, prompts: 6, rounds: 2, windows: 4, window: 30 * time.Millisecond}
)

// bench is what the groups work with.
type bench struct {
	plan
	quick    bool
	log      io.Writer
	scratch  string // folder for binaries, removed at the end
	rondo    *rondoSide
	pi       *piSide // nil when Pi is not there
	failures []string
}

// newBench prepares both sides; close cleans up. That Pi is missing is no error.
func newBench(ctx context.Context, opt *options, log io.Writer) (*bench, error) {
	b := &bench{plan: fullPlan, quick: opt.quick, log: log}
	if opt.quick {
		b.plan = quickPlan
	}
	var err error
	if b.scratch, err = os.MkdirTemp("", "rondo-bench-"); err != nil {
		return nil, fmt.Errorf("make a folder for binaries: %w", err)
	}
	if b.rondo, err = newRondoSide(ctx, opt.rondo, b.scratch); err != nil {
		b.close()
		return nil, err
	}
	if b.pi, err = newPiSide(ctx, opt.pi, b.scratch, log); err != nil {
		b.fail("Pi's side", err)
	} else {
		b.rondo.node = filepath.Dir(b.pi.node)
	}
	return b, nil
}

func (b *bench) close() { _ = os.RemoveAll(b.scratch) } // a leftover in the temporary folder harms nobody

// fail notes that something could not be measured.
func (b *bench) fail(what string, err error) {
	fmt.Fprintf(b.log, "bench: %s: %v\n", what, err)
	b.failures = append(b.failures, fmt.Sprintf("%s: %v", what, err))
}

// side is one of the two that are compared.
type side struct {
	name    string
	measure func(context.Context) (values, error)
	found   values
	failed  bool
}

// turns measures both sides in turns, n times each, after skip times that do not count;
// each round begins with the other side. A nil function is a side that is not there, and a
// side that fails is left out from then on.
func (b *bench) turns(ctx context.Context, what string, skip, n int, pi, rondo func(context.Context) (values, error)) (piFound, rondoFound values) {
	piTurn, rondoTurn := &side{name: "Pi", measure: pi, found: values{}}, &side{name: "Rondo", measure: rondo, found: values{}}
	order := []*side{piTurn, rondoTurn}
	for round := range skip + n {
		for _, s := range order {
			b.turn(ctx, what, s, round >= skip)
		}
		slices.Reverse(order)
	}
	return piTurn.found, rondoTurn.found
}

// turn measures one side once, if it still can be measured.
func (b *bench) turn(ctx context.Context, what string, s *side, counts bool) {
	if s.measure == nil || s.failed || ctx.Err() != nil {
		return
	}
	got, err := s.measure(ctx)
	if err != nil {
		s.failed = true
		b.fail(what+" of "+s.name, err)
		return
	}
	if counts {
		s.found.add(got)
	}
}

// programs measures both programs from outside, in turns.
func (b *bench) programs(ctx context.Context, what string, skip, n int, measure func(context.Context, *program) (values, error)) (pi, rondo values) {
	of := func(p *program) func(context.Context) (values, error) {
		if p == nil {
			return nil
		}
		return func(ctx context.Context) (values, error) { return measure(ctx, p) }
	}
	var piProgram *program
	if b.pi != nil {
		piProgram = &b.pi.program
	}
	return b.turns(ctx, what, skip, n, of(piProgram), of(b.rondo.command(ctx, b)))
}
