package bedrock_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/bedrock"
)

// script is a transport that answers with these bytes.
type script []byte

func (s script) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(s))}, nil
}

// frame encodes an event of the stream.
func frame(t fataler, kind, payload string) []byte {
	t.Helper()
	var m eventstream.Message
	m.Headers.Set(eventstreamapi.EventTypeHeader, eventstream.StringValue(kind))
	m.Headers.Set(eventstreamapi.ContentTypeHeader, eventstream.StringValue("application/json"))
	m.Headers.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue(eventstreamapi.EventMessageType))
	m.Payload = []byte(payload)
	return encode(t, m)
}

func encode(t fataler, m eventstream.Message) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// kinds are the deltas of each kind.
var kinds = []struct{ name, start, delta string }{
	{"text", "", `{"contentBlockIndex":0,"delta":{"text":" beautiful"},"p":"abcdefghijklmnopqrstu"}`},
	{"thinking", "", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":" beautiful"}},"p":"abcdefgh"}`},
	{"arguments", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t1","name":"f"}},"p":"ab"}`, `{"contentBlockIndex":0,"delta":{"toolUse":{"input":" beautiful"}},"p":"abcdefghijklm"}`},
}

func scripted(t testing.TB, start, delta string, n int) *ai.Request {
	var body []byte
	if start != "" {
		body = frame(t, "contentBlockStart", start)
	}
	body = append(body, bytes.Repeat(frame(t, "contentBlockDelta", delta), n)...)
	body = append(body, frame(t, "messageStop", `{"stopReason":"end_turn"}`)...)
	body = append(body, frame(t, "metadata", `{"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`)...)
	return &ai.Request{Model: model(), Options: ai.Options{APIKey: "bedrock-key", Client: &http.Client{Transport: script(body)}}}
}

// BenchmarkDelta measures one delta from the bytes of the response to the event.
func BenchmarkDelta(b *testing.B) {
	for _, kind := range kinds {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s-%d", kind.name, n), func(b *testing.B) {
				req := scripted(b, kind.start, kind.delta, n)
				var client bedrock.Client
				b.ReportAllocs()
				for b.Loop() {
					events := 0
					for range client.Stream(b.Context(), req).Events() {
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
			req := scripted(t, kind.start, kind.delta, n)
			var client bedrock.Client
			total := testing.AllocsPerRun(1, func() {
				for range client.Stream(t.Context(), req).Events() {
				}
			})
			if per := total / float64(n); per > 3 {
				t.Errorf("%s: %.2f allocations per delta of %d", kind.name, per, n)
			}
		}
	}
}
