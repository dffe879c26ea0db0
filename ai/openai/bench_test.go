package openai_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/openai"
)

// canned is a transport that answers every request with the same bytes.
type canned []byte

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(bytes.NewReader(c))}, nil
}

// script makes a stream of n deltas like those of OpenAI's own server.
func script(n int, delta string) canned {
	const head = `data: {"id":"chatcmpl-CkT1Zx0aVfWm3yq7hBn2L4uDsPjRe","object":"chat.completion.chunk","created":1763900000,` +
		`"model":"m","service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":`
	var b bytes.Buffer
	for range n {
		b.WriteString(head + delta + `,"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x8Kd2"}` + "\n\n")
	}
	b.WriteString(head + `{},"logprobs":null,"finish_reason":"stop"}],"usage":null}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

// BenchmarkDelta measures one delta from the bytes of the response to the event.
func BenchmarkDelta(b *testing.B) {
	kinds := []struct{ name, delta string }{
		{"text", `{"content":" beautiful"}`},
		{"thinking", `{"reasoning_content":" beautiful"}`},
		{"arguments", `{"tool_calls":[{"index":0,"function":{"arguments":" beautiful"}}]}`},
		{"details", `{"reasoning":" b","reasoning_details":[{"type":"reasoning.text","text":" b","index":0,"format":"f"}]}`},
	}
	for _, kind := range kinds {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s-%d", kind.name, n), func(b *testing.B) {
				req := &ai.Request{
					Model:   &ai.Model{ID: "m", API: openai.APICompletions, BaseURL: "http://lab/v1"},
					Options: ai.Options{Client: &http.Client{Transport: script(n, kind.delta)}},
				}
				b.ReportAllocs()
				for b.Loop() {
					events := 0
					for range openai.Completions(b.Context(), req).Events() {
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

// The cost of a delta does not depend on how many there are, for details neither
// (report PRV-29).
func TestReport_PRV29_AllocationsPerDelta(t *testing.T) {
	for _, delta := range []string{
		`{"content":" beautiful"}`, `{"reasoning_content":" beautiful"}`,
		`{"tool_calls":[{"index":0,"function":{"arguments":" beautiful"}}]}`,
		`{"reasoning":" b","reasoning_details":[{"type":"reasoning.text","text":" b","index":0,"format":"f"}]}`,
	} {
		for _, n := range []int{500, 5_000} {
			req := &ai.Request{
				Model:   &ai.Model{ID: "m", API: openai.APICompletions, BaseURL: "http://lab/v1"},
				Options: ai.Options{Client: &http.Client{Transport: script(n, delta)}},
			}
			total := testing.AllocsPerRun(1, func() {
				for range openai.Completions(t.Context(), req).Events() {
				}
			})
			if per := total / float64(n); per > 3 {
				t.Errorf("%s: %.2f allocations per delta of %d", delta, per, n)
			}
		}
	}
}
