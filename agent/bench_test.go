package agent_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

const benchDelta = "Hello token "

// streamText answers every request with a text of n deltas.
func streamText(n int) ai.StreamFunc {
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			i := w.StartText()
			for range n {
				w.Append(i, benchDelta)
			}
			w.Done(ai.StopEnd)
			return nil
		})
	}
}

// countText counts the text deltas.
func countText(count *int) agent.Listener {
	return func(_ context.Context, ev agent.Event) error {
		if update, ok := ev.(*agent.MessageUpdate); ok {
			if _, ok := update.Stream.(*ai.TextDelta); ok {
				*count++
			}
		}
		return nil
	}
}

// runText returns how long the prompt took.
func runText(tb testing.TB, n, listeners int) time.Duration {
	a := agent.New(streamText(n), &agent.Options{Model: labModel("m")})
	count := 0
	for range listeners {
		a.Subscribe(countText(&count))
	}
	begin := time.Now()
	if err := a.Prompt(tb.Context(), agent.User("hi")); err != nil {
		tb.Fatal(err)
	}
	took := time.Since(begin)
	if count != n*listeners {
		tb.Fatalf("%d deltas, want %d", count, n*listeners)
	}
	return took
}

// BenchmarkTextDelta measures one text delta from the provider through an agent and its
// listeners.
func BenchmarkTextDelta(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("deltas=%d", n), func(b *testing.B) { benchText(b, n, 1) })
	}
	b.Run("listeners=11", func(b *testing.B) { benchText(b, 10_000, 11) })
}

func benchText(b *testing.B, n, listeners int) {
	b.ReportAllocs()
	var took time.Duration
	for b.Loop() {
		took += runText(b, n, listeners)
	}
	perStep(b, took, n, "ns/delta")
}

// perStep reports the time of one of the n steps of an iteration. Only the prompts count,
// as on Pi's side of the comparison.
func perStep(b *testing.B, took time.Duration, n int, unit string) {
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/float64(n), unit)
}

// TestDesign_AllocationsOfATextDelta asserts DESIGN.md's bar: at most two allocations and
// 200 bytes for each delta, whatever the length of the answer.
func TestDesign_AllocationsOfATextDelta(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, n := range []int{1_000, 10_000, 100_000} {
		var before, after runtime.MemStats
		runText(t, n, 1)
		runtime.ReadMemStats(&before)
		runText(t, n, 1)
		runtime.ReadMemStats(&after)
		allocs := float64(after.Mallocs-before.Mallocs) / float64(n)
		bytes := float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		if allocs > 2.2 || bytes > 200 { // what else a run allocates counts too
			t.Errorf("%d deltas: %.2f allocations and %.0f bytes a delta", n, allocs, bytes)
		}
	}
}

// streamArguments answers with a call whose argument of size bytes comes in deltas of 12.
func streamArguments(size int) ai.StreamFunc {
	text := `{"path":"src/a.ts","content":"` + strings.Repeat(`const value = compute(x);\n`, size/26) + `"}`
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			i := w.StartToolCall("c1", "write")
			for at := 0; at < len(text); at += 12 {
				w.Append(i, text[at:min(at+12, len(text))])
			}
			w.Done(ai.StopLength) // the call is not run
			return nil
		})
	}
}

// BenchmarkArgumentDelta measures one delta of a long tool argument whose listener looks
// at the arguments so far.
func BenchmarkArgumentDelta(b *testing.B) {
	const size = 100 << 10
	b.ReportAllocs()
	deltas := 0
	var took time.Duration
	for b.Loop() {
		deltas = 0
		ctx, cancel := context.WithCancel(b.Context())
		a := agent.New(streamArguments(size), &agent.Options{Model: labModel("m")})
		a.Subscribe(func(_ context.Context, ev agent.Event) error {
			switch ev := ev.(type) {
			case *agent.MessageUpdate:
				if d, ok := ev.Stream.(*ai.ToolCallDelta); ok {
					deltas++
					if d.Partial.Arguments(d.ContentIndex) == nil {
						b.Fatal("no arguments")
					}
				}
			case *agent.TurnEnd:
				cancel()
			}
			return nil
		})
		begin := time.Now()
		if err := a.Prompt(ctx, agent.User("hi")); err != nil {
			b.Fatal(err)
		}
		took += time.Since(begin)
		cancel()
	}
	perStep(b, took, deltas, "ns/delta")
	b.ReportMetric(float64(deltas), "deltas")
}

type noopIn struct {
	I float64 `json:"i"`
}

// callNoop asks for n calls of a tool that does nothing, and then says that it is done.
func callNoop(n int) ai.StreamFunc {
	turn := 0
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		turn++
		first := turn == 1
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			m := &ai.AssistantMessage{StopReason: ai.StopEnd}
			if first {
				m.StopReason = ai.StopToolUse
				for i := range n {
					m.Content = append(m.Content, &ai.ToolCall{ID: "c" + strconv.Itoa(i), Name: "noop", Arguments: jsontext.Value(`{"i":` + strconv.Itoa(i) + `}`)})
				}
			}
			w.Start()
			w.DoneWith(m)
			return nil
		})
	}
}

// BenchmarkToolCall measures a call of a tool that does nothing, with validation, in
// batches.
func BenchmarkToolCall(b *testing.B) {
	noop := agent.NewTool("noop", "Does nothing.", func(context.Context, noopIn) (string, error) { return "ok", nil })
	for _, n := range []int{1, 10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			var took time.Duration
			for b.Loop() {
				a := agent.New(callNoop(n), &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{noop}})
				ends := 0
				a.Subscribe(func(_ context.Context, ev agent.Event) error {
					if end, ok := ev.(*agent.ToolExecutionEnd); ok {
						if ends++; end.IsError {
							b.Fatal(end.Result.Content.Text())
						}
					}
					return nil
				})
				begin := time.Now()
				if err := a.Prompt(b.Context(), agent.User("hi")); err != nil || ends != n {
					b.Fatal(err, ends)
				}
				took += time.Since(begin)
			}
			perStep(b, took, n, "ns/call")
		})
	}
}
