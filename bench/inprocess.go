package main

import (
	"context"
	"fmt"
	"math"
)

// inProcess measures a benchmark of a package and Pi's script for the same thing. derive
// adds what follows from the quantities of one round; nil adds nothing.
func (b *bench) inProcess(ctx context.Context, pkg, benchmark, script string, derive func(values), args ...string) (pi, rondo values) {
	derived := func(found values, err error) (values, error) {
		if err == nil && derive != nil {
			derive(found)
		}
		return found, err
	}
	var measurePi func(context.Context) (values, error)
	if b.pi != nil {
		measurePi = func(ctx context.Context) (values, error) { return derived(b.pi.driver(ctx, script, b.plan, args...)) }
	}
	measureRondo := func(ctx context.Context) (values, error) {
		return derived(b.rondo.benchmark(ctx, pkg, benchmark, b.plan))
	}
	return b.turns(ctx, benchmark, 0, b.rounds, measurePi, measureRondo)
}

// textDeltas measures one text delta through an agent and its listeners.
func textDeltas(ctx context.Context, b *bench) []row {
	pi, rondo := b.inProcess(ctx, "agent", "BenchmarkTextDelta", "loop.mjs", deriveText, "text")
	both := func(what, key string, bar bar) row {
		return row{What: what, Unit: nanoseconds, Pi: pi[key], Rondo: rondo[key], Bar: bar}
	}
	return []row{
		both("a delta, answer of 1 000", "deltas=1000", ofPi(0.35)),
		both("a delta, answer of 10 000", "deltas=10000", ofPi(0.35)),
		both("a delta, answer of 100 000", "deltas=100000", bar{}),
		{What: "  allocations, 1 000 to 10 000", Unit: count, Rondo: rondo["allocs 10000"], Bar: atMost(2)},
		{What: "  allocations, 10 000 to 100 000", Unit: count, Rondo: rondo["allocs 100000"], Bar: atMost(2)},
		{What: "  allocated, 1 000 to 10 000", Unit: byteCount, Rondo: rondo["bytes 10000"], Bar: atMost(200)},
		{What: "  allocated, 10 000 to 100 000", Unit: byteCount, Rondo: rondo["bytes 100000"], Bar: atMost(200)},
		both("a further listener", "further", atMost(10)),
	}
}

// deriveText adds what each of ten more listeners costs, and what a delta allocates.
func deriveText(found values) {
	found.derive("further", "listeners=11", "deltas=10000", func(eleven, one float64) float64 { return (eleven - one) / 10 })
	for _, step := range []struct{ from, to int }{{1_000, 10_000}, {10_000, 100_000}} {
		// What the run itself allocates falls out of the difference; the rounding drops the
		// fraction that growing buffers leave.
		growth := func(long, short float64) float64 { return hundredths((long - short) / float64(step.to-step.from)) }
		for name, metric := range map[string]string{"allocs": "allocs/op", "bytes": "B/op"} {
			found.derive(fmt.Sprintf("%s %d", name, step.to),
				fmt.Sprintf("deltas=%d %s", step.to, metric), fmt.Sprintf("deltas=%d %s", step.from, metric), growth)
		}
	}
}

func hundredths(v float64) float64 { return math.Round(v*100) / 100 }

// argumentDeltas measures one delta of a long tool argument whose parsed view is asked for
// at each delta.
func argumentDeltas(ctx context.Context, b *bench) []row {
	pi, rondo := b.inProcess(ctx, "agent", "BenchmarkArgumentDelta", "arguments.mjs", deriveArgument)
	return []row{
		{What: "a delta of 100 KiB", Unit: nanoseconds, Pi: pi["delta"], Rondo: rondo["ns/delta"], Bar: ofPi(0.002)},
		{What: "  allocations", Unit: count, Rondo: rondo["allocs"], Bar: atMost(5)},
	}
}

// deriveArgument adds what a delta allocates. One decimal is kept: the start and the end of
// the run are in it too.
func deriveArgument(found values) {
	found.derive("allocs", "allocs/op", "deltas", func(total, deltas float64) float64 { return math.Round(total/deltas*10) / 10 })
}

// toolCalls measures calls of a tool that does nothing, in batches.
func toolCalls(ctx context.Context, b *bench) []row {
	pi, rondo := b.inProcess(ctx, "agent", "BenchmarkToolCall", "loop.mjs", deriveTools, "tools")
	both := func(what, key string, unit unit, bar bar) row {
		return row{What: what, Unit: unit, Pi: pi[key], Rondo: rondo[key], Bar: bar}
	}
	return []row{
		both("a call alone", "batch=1", nanoseconds, bar{}),
		both("a call in a batch of 10", "batch=10", nanoseconds, ofPi(0.35)),
		both("a call in a batch of 100", "batch=100", nanoseconds, ofPi(0.35)),
		both("a call in a batch of 1 000", "batch=1000", nanoseconds, ofPi(0.35)),
		both("a call in a batch of 10 000", "batch=10000", nanoseconds, bar{}),
		both("  against one of 100", "growth", times, atMost(3)),
	}
}

// deriveTools adds how much dearer a call is in a very large batch.
func deriveTools(found values) {
	found.derive("growth", "batch=10000", "batch=100", func(many, few float64) float64 { return many / few })
}

// wireDeltas measures a piece of text on each wire, from the bytes of the response to the
// event.
func wireDeltas(ctx context.Context, b *bench) []row {
	pi, rondo := b.inProcess(ctx, "ai", "BenchmarkWireDelta", "wires.mjs", nil)
	var rows []row
	for _, api := range []string{
		"openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai", "mistral-conversations", "bedrock-converse-stream",
	} {
		rows = append(rows, row{What: api, Unit: nanoseconds, Pi: pi[api], Rondo: rondo[api], Bar: ofPi(0.1)})
	}
	return rows
}
