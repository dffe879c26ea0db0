package google_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/google"
)

// script is a transport that answers with a stream of deltas like those of Google's own
// server.
type script string

func (s script) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// kinds are the parts that come by the thousand.
var kinds = []struct{ name, part string }{
	{"text", `{"text":" a beautiful morning"}`},
	{"thinking", `{"text":" a beautiful morning","thought":true}`},
}

func scripted(part string, n int) *ai.Request {
	const head = `data: {"candidates": [{"content": {"parts": [%s],"role": "model"},"index": 0}],` +
		`"usageMetadata": {"promptTokenCount": 1012,"candidatesTokenCount": %d,"totalTokenCount": %d,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 1012}]},` +
		`"modelVersion": "gemini-2.5-pro","responseId": "hH5aaZ_kKZ6A1PIP0r"}` + "\r\n\r\n"
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, head, part, i, 1012+i)
	}
	b.WriteString(sse(finish("STOP")))
	return &ai.Request{Model: model("gemini-2.5-pro"), Options: ai.Options{Client: &http.Client{Transport: script(b.String())}}}
}

// BenchmarkDelta measures one delta from the bytes of the response to the event.
func BenchmarkDelta(b *testing.B) {
	for _, kind := range kinds {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s-%d", kind.name, n), func(b *testing.B) {
				req := scripted(kind.part, n)
				b.ReportAllocs()
				for b.Loop() {
					events := 0
					for range google.Stream(b.Context(), req).Events() {
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
			req := scripted(kind.part, n)
			total := testing.AllocsPerRun(1, func() {
				for range google.Stream(t.Context(), req).Events() {
				}
			})
			if per := total / float64(n); per > 4 {
				t.Errorf("%s: %.2f allocations per delta of %d", kind.name, per, n)
			}
		}
	}
}
