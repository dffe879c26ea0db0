package replay

import (
	"fmt"
	"testing"

	"github.com/rondo-agent/rondo/ai"
)

// Deltas are pieces of one kind, of which an answer has thousands.
type Deltas struct {
	Name string
	// Request returns a request that is answered with n of them.
	Request func(n int) *ai.Request
}

// BenchmarkDeltas measures one delta from the bytes of the response to the event.
func BenchmarkDeltas(b *testing.B, ask ai.StreamFunc, kinds []Deltas) {
	for _, kind := range kinds {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s-%d", kind.Name, n), func(b *testing.B) {
				req := kind.Request(n)
				b.ReportAllocs()
				for b.Loop() {
					if events := count(ask(b.Context(), req)); events < n {
						b.Fatalf("%d events", events)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/delta")
			})
		}
	}
}

// CheckAllocations checks that a delta costs at most so many allocations, however many there
// are.
func CheckAllocations(t *testing.T, ask ai.StreamFunc, kinds []Deltas, most float64) {
	t.Helper()
	for _, kind := range kinds {
		for _, n := range []int{500, 5_000} {
			req := kind.Request(n)
			events := 0
			total := testing.AllocsPerRun(1, func() { events = count(ask(t.Context(), req)) })
			if per := total / float64(n); per > most || events < n {
				t.Errorf("%s: %.2f allocations per delta of %d in %d events", kind.Name, per, n, events)
			}
		}
	}
}

// count reads a stream and returns how many events it has; none if it breaks its contract.
func count(stream *ai.Stream) (events int) {
	for _, err := range stream.Events() {
		if err != nil {
			return 0
		}
		events++
	}
	return events
}
