package anthropic_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
)

// canned is a transport that gives one body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

const (
	startEvent = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}\n\n"
	stopEvent  = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
)

func sse(events ...string) string {
	var b strings.Builder
	for _, ev := range events {
		name := strings.SplitN(strings.TrimPrefix(ev, `{"type":"`), `"`, 2)[0]
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, ev)
	}
	return b.String()
}

func cannedRequest(body string) *ai.Request {
	return &ai.Request{
		Model:   &ai.Model{ID: "m", API: anthropic.API, Provider: "lab", MaxTokens: 4096, BaseURL: "http://lab", Cost: ai.Pricing{Input: 1, Output: 2}},
		Options: ai.Options{Client: &http.Client{Transport: canned(body)}},
	}
}

// BenchmarkDelta measures one delta from the bytes of the response to the event.
func BenchmarkDelta(b *testing.B) {
	const deltas = 10_000
	kinds := map[string][2]string{
		"text":      {`{"type":"text","text":""}`, `{"type":"text_delta","text":" some text"}`},
		"thinking":  {`{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":" some\nthought"}`},
		"arguments": {`{"type":"tool_use","id":"t","name":"n","input":{}}`, `{"type":"input_json_delta","partial_json":"\"some\":1,"}`},
	}
	for name, kind := range kinds {
		b.Run(name, func(b *testing.B) {
			var body strings.Builder
			body.WriteString(startEvent + sse(fmt.Sprintf(`{"type":"content_block_start","index":0,"content_block":%s}`, kind[0])))
			delta := sse(fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":%s}`, kind[1]))
			body.WriteString(strings.Repeat(delta, deltas))
			body.WriteString(stopEvent)
			req := cannedRequest(body.String())
			b.ReportAllocs()
			for b.Loop() {
				for range anthropic.Messages(b.Context(), req).Events() {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
		})
	}
}
