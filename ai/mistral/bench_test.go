package mistral_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/mistral"
)

// kinds are the deltas of each kind. Arguments come whole.
var kinds = []struct{ name, delta string }{
	{"text", `"content":" beautiful"`},
	{"thinking", `"content":[{"type":"thinking","thinking":[{"type":"text","text":" beautiful"}]}]`},
}

func scripted(members string, n int) *ai.Request {
	body := strings.Repeat(sse(delta(members)), n) + sse(finish("stop"))
	return &ai.Request{Model: model(), Options: ai.Options{Client: &http.Client{Transport: script(body)}}}
}

// BenchmarkDelta measures one delta from the bytes of the response to the event.
func BenchmarkDelta(b *testing.B) {
	for _, kind := range kinds {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s-%d", kind.name, n), func(b *testing.B) {
				req := scripted(kind.delta, n)
				b.ReportAllocs()
				for b.Loop() {
					events := 0
					for range mistral.Stream(b.Context(), req).Events() {
						events++
					}
					if events < n {
						b.Fatalf("%d events", events)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/delta")
			})
		}
	}
}

// The cost of a delta does not depend on how many there are.
func TestReport_PRV29_AllocationsPerDelta(t *testing.T) {
	for _, kind := range kinds {
		for _, n := range []int{500, 5_000} {
			req := scripted(kind.delta, n)
			total := testing.AllocsPerRun(1, func() {
				for range mistral.Stream(t.Context(), req).Events() {
				}
			})
			if per := total / float64(n); per > 3 {
				t.Errorf("%s: %.2f allocations per delta of %d", kind.name, per, n)
			}
		}
	}
}
