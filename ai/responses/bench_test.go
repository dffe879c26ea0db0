package responses_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/responses"
)

// script is a transport that answers with a stream of deltas like those of OpenAI's own
// server.
type script string

func (s script) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// kinds are the deltas of each kind, with the item that they belong to.
var kinds = []struct{ name, item, delta string }{
	{
		"text", `{"id":"msg_0a1b2c","type":"message","status":"in_progress","content":[],"role":"assistant"}`,
		`{"type":"response.output_text.delta","sequence_number":17,"item_id":"msg_0a1b2c","output_index":0,"content_index":0,"delta":" beautiful","logprobs":[],"obfuscation":"x8Kd2"}`,
	},
	{
		"thinking", `{"id":"rs_0a1b2c","type":"reasoning","summary":[]}`,
		`{"type":"response.reasoning_summary_text.delta","sequence_number":17,"item_id":"rs_0a1b2c","output_index":0,"summary_index":0,"delta":" beautiful","obfuscation":"x8Kd2"}`,
	},
	{
		"arguments", `{"id":"fc_0a1b2c","type":"function_call","call_id":"c1","name":"f","arguments":""}`,
		`{"type":"response.function_call_arguments.delta","sequence_number":17,"item_id":"fc_0a1b2c","output_index":0,"delta":" beautiful","obfuscation":"x8Kd2"}`,
	},
}

func scripted(item, delta string, n int) *ai.Request {
	body := sse(added(0, item)) + strings.Repeat("event: response.delta\n"+sse(delta), n) + sse(completed)
	m := model()
	return &ai.Request{Model: m, Options: ai.Options{Client: &http.Client{Transport: script(body)}}}
}

// BenchmarkDelta measures one delta from the bytes of the response to the event.
func BenchmarkDelta(b *testing.B) {
	for _, kind := range kinds {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s-%d", kind.name, n), func(b *testing.B) {
				req := scripted(kind.item, kind.delta, n)
				b.ReportAllocs()
				for b.Loop() {
					events := 0
					for range responses.Stream(b.Context(), req).Events() {
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
			req := scripted(kind.item, kind.delta, n)
			total := testing.AllocsPerRun(1, func() {
				for range responses.Stream(t.Context(), req).Events() {
				}
			})
			if per := total / float64(n); per > 3 {
				t.Errorf("%s: %.2f allocations per delta of %d", kind.name, per, n)
			}
		}
	}
}
