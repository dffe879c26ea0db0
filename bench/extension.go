package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

// extensions measures the way of an event to a handler, and what an extension adds to a start.
func extensions(ctx context.Context, b *bench) []row {
	return append(dispatches(ctx, b), extensionStart(ctx, b)...)
}

// dispatches measures an event that nobody wants, and one that a handler of each kind gets.
func dispatches(ctx context.Context, b *bench) []row {
	var measurePi func(context.Context) (values, error)
	if b.pi != nil {
		measurePi = func(ctx context.Context) (values, error) { return b.pi.driver(ctx, "extension.mjs", b.plan) }
	}
	pi, rondo := b.turns(ctx, "dispatch", 0, b.rounds, measurePi, func(ctx context.Context) (values, error) {
		found, err := b.rondo.benchmark(ctx, "extension", "BenchmarkDispatch", b.plan)
		if err != nil {
			return nil, err
		}
		scripts, err := b.rondo.benchmark(ctx, "extension/script", "BenchmarkDispatch", b.plan)
		maps.Copy(found, scripts)
		return found, err
	})
	line := func(what, theirs, ours string, bar bar) row {
		return row{What: what, Unit: nanoseconds, Pi: pi[theirs], Rondo: rondo[ours+" ns/op"], Bar: bar}
	}
	return []row{
		line("an event, no extension", "none", "none", bar{}),
		{What: "  allocations", Unit: count, Rondo: rondo["none allocs/op"], Bar: atMost(0)},
		line("an event of 1 KB, a script's handler", "event", "engine/event", atMost(100_000)),
		{What: "  processor time", Unit: nanoseconds, Rondo: rondo["engine/event cpu-ns/op"], Bar: atMost(100_000)},
		line("a call of 1 KB, which it blocks", "result", "engine/result", bar{}),
		{What: "  processor time", Unit: nanoseconds, Rondo: rondo["engine/result cpu-ns/op"]},
		line("an event, a script in Node", "event", "node/event", bar{}),
		line("a call, which it blocks", "result", "node/result", bar{}),
		line("an event, a handler compiled in", "event", "builtin", bar{}),
	}
}

// gate is the extension whose start is measured.
const gate = `import { Type } from "typebox";
export default function (pi: any) {
  pi.registerTool({ name: "add", label: "Add", description: "Adds.", parameters: Type.Object({ a: Type.Number() }),
    async execute(_id: string, params: { a: number }) { return { content: [{ type: "text", text: String(params.a) }], details: {} }; } });
  pi.on("tool_call", async (e: any) => (e.input.command?.startsWith("sudo") ? { block: true } : undefined));
}
`

// extensionStart measures the first answer in RPC mode with an extension, and what it adds.
func extensionStart(ctx context.Context, b *bench) []row {
	file := filepath.Join(b.scratch, "gate.ts")
	if err := os.WriteFile(file, []byte(gate), 0o600); err != nil {
		b.fail("the extension", err)
		return nil
	}
	pi, rondo := b.programs(ctx, "RPC start with an extension", 1, b.ready, func(ctx context.Context, p *program) (values, error) {
		return measureExtension(ctx, p, file)
	})
	for _, found := range []values{pi, rondo} {
		found.derive("added", "with", "without", func(with, without float64) float64 { return with - without })
	}
	return []row{
		{What: "first answer, one script extension", Unit: nanoseconds, Pi: pi["with"], Rondo: rondo["with"], Bar: ofPi(0.1)},
		{What: "  added by it", Unit: nanoseconds, Pi: pi["added"], Rondo: rondo["added"]},
	}
}

// measureExtension starts a program without an extension and with one, from what its first
// start has left in the cache.
func measureExtension(ctx context.Context, p *program, file string) (values, error) {
	ws, err := newWorkspace(noModel)
	if err != nil {
		return nil, err
	}
	defer ws.remove()
	found := values{}
	for _, start := range []struct {
		key  string
		args []string
	}{{"first", []string{"-e", file}}, {"without", nil}, {"with", []string{"-e", file}}} {
		ready, err := timeToAnswer(ctx, p, ws, start.args)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", start.key, err)
		}
		found[start.key] = sample{ready}
	}
	return found, nil
}

func timeToAnswer(ctx context.Context, p *program, ws *workspace, args []string) (float64, error) {
	r, err := startRPC(ctx, p, ws, args...)
	if err != nil {
		return 0, err
	}
	defer r.stop()
	ready, err := r.getState()
	return float64(ready), err
}
