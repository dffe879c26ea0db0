package main

import (
	"context"
	"fmt"
	"math"
)

// inProcess measures a benchmark of the kernel and Pi's script for the same thing.
func (b *bench) inProcess(ctx context.Context, benchmark, script string, args ...string) (pi, rondo values) {
	var measurePi func(context.Context) (values, error)
	if b.pi != nil {
		measurePi = func(ctx context.Context) (values, error) { return b.pi.driver(ctx, script, b.plan, args...) }
	}
	measureRondo := func(ctx context.Context) (values, error) { return b.rondo.benchmark(ctx, benchmark, b.plan) }
	return b.turns(ctx, benchmark, 0, b.rounds, measurePi, measureRondo)
}

// textDeltas measures one text delta through an agent and its listeners.
func textDeltas(ctx context.Context, b *bench) []row {
	pi, rondo := b.inProcess(ctx, "BenchmarkTextDelta", "loop.mjs", "text")
	delta := func(n, label string, bar bar) row {
		return row{What: "a delta, answer of " + label, Unit: nanoseconds, Pi: pi["deltas="+n], Rondo: rondo["deltas="+n+" ns/delta"], Bar: bar}
	}
	return []row{
		delta("1000", "1 000", ofPi(0.35)),
		delta("10000", "10 000", ofPi(0.35)),
		delta("100000", "100 000", bar{}),
		{What: "  allocations, 1 000 to 10 000", Unit: count, Rondo: growth(rondo, "allocs/op", 1_000, 10_000), Bar: atMost(2)},
		{What: "  allocations, 10 000 to 100 000", Unit: count, Rondo: growth(rondo, "allocs/op", 10_000, 100_000), Bar: atMost(2)},
		{What: "  allocated, 1 000 to 10 000", Unit: byteCount, Rondo: growth(rondo, "B/op", 1_000, 10_000), Bar: atMost(200)},
		{What: "  allocated, 10 000 to 100 000", Unit: byteCount, Rondo: growth(rondo, "B/op", 10_000, 100_000), Bar: atMost(200)},
		{
			What: "a further listener", Unit: nanoseconds, Bar: atMost(10),
			Pi:    furtherListener(pi["deltas=10000"], pi["listeners=11"]),
			Rondo: furtherListener(rondo["deltas=10000 ns/delta"], rondo["listeners=11 ns/delta"]),
		},
	}
}

// growth is what each delta adds to an answer between two lengths; what the run itself
// needs falls out. It is rounded, because buffers that grow leave a trace of a fraction.
func growth(rondo values, metric string, from, to int) sample {
	at := func(n int) sample { return rondo[fmt.Sprintf("deltas=%d %s", n, metric)] }
	return combine(at(from), at(to), func(short, long float64) float64 {
		return math.Round((long-short)/float64(to-from)*100) / 100
	})
}

// furtherListener is what each of ten more listeners adds to the cost of a delta.
func furtherListener(one, eleven sample) sample {
	return combine(one, eleven, func(one, eleven float64) float64 { return (eleven - one) / 10 })
}

// argumentDeltas measures one delta of a long tool argument whose parsed view is asked for
// at each delta.
func argumentDeltas(ctx context.Context, b *bench) []row {
	pi, rondo := b.inProcess(ctx, "BenchmarkArgumentDelta", "arguments.mjs")
	perDelta := func(total, deltas float64) float64 { return math.Round(total/deltas*100) / 100 }
	return []row{
		{What: "a delta of 100 KiB", Unit: nanoseconds, Pi: pi["delta"], Rondo: rondo["ns/delta"], Bar: ofPi(0.002)},
		{What: "  allocations", Unit: count, Rondo: combine(rondo["allocs/op"], rondo["deltas"], perDelta), Bar: atMost(5)},
	}
}

// toolCalls measures calls of a tool that does nothing, in batches.
func toolCalls(ctx context.Context, b *bench) []row {
	pi, rondo := b.inProcess(ctx, "BenchmarkToolCall", "loop.mjs", "tools")
	call := func(n, label string, bar bar) row {
		return row{What: "a call in a batch of " + label, Unit: nanoseconds, Pi: pi["batch="+n], Rondo: rondo["batch="+n+" ns/call"], Bar: bar}
	}
	quotient := func(a, b float64) float64 { return a / b }
	return []row{
		call("1", "1", bar{}),
		call("10", "10", ofPi(0.35)),
		call("100", "100", ofPi(0.35)),
		call("1000", "1 000", ofPi(0.35)),
		call("10000", "10 000", bar{}),
		{
			What: "10 000 against 100", Unit: times, Bar: atMost(3),
			Pi:    combine(pi["batch=10000"], pi["batch=100"], quotient),
			Rondo: combine(rondo["batch=10000 ns/call"], rondo["batch=100 ns/call"], quotient),
		},
	}
}
