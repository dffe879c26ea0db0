package ai_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/mistral"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/responses"
	"github.com/rondo-agent/rondo/ai/wires"
)

// recorded is a transport that answers with these bytes.
type recorded struct {
	start, delta, stop string
	deltas             int
}

func (r *recorded) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: &pieces{r: r, left: r.start}}, nil
}

// pieces gives a delta at a time, as servers send them.
type pieces struct {
	r    *recorded
	left string
	n    int
}

func (p *pieces) Read(into []byte) (int, error) {
	for p.left == "" {
		p.n++
		switch {
		case p.n <= p.r.deltas:
			p.left = p.r.delta
		case p.n == p.r.deltas+1:
			p.left = p.r.stop
		default:
			return 0, io.EOF
		}
	}
	n := copy(into, p.left)
	p.left = p.left[n:]
	return n, nil
}

func (*pieces) Close() error { return nil }

// BenchmarkWireDelta measures a piece of text from the bytes of the response to the event,
// on each wire. bench/js/wires.mjs does the same with the same bytes for Pi.
func BenchmarkWireDelta(b *testing.B) {
	const deltas = 10_000
	cases := []struct {
		api                string
		start, delta, stop string
	}{
		{
			openai.APICompletions, "",
			`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" beautiful"},"finish_reason":null}]}` + "\n\n",
			`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}` + "\n\ndata: [DONE]\n\n",
		},
		{
			responses.API,
			"event: response.output_item.added\n" + `data: {"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[]}}` + "\n\n" +
				"event: response.content_part.added\n" + `data: {"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}` + "\n\n",
			"event: response.output_text.delta\n" + `data: {"type":"response.output_text.delta","sequence_number":17,"item_id":"msg_1","output_index":0,"content_index":0,"delta":" beautiful","logprobs":[],"obfuscation":"x8Kd2"}` + "\n\n",
			"event: response.completed\n" + `data: {"type":"response.completed","response":{"id":"r1","status":"completed","output":[],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}` + "\n\n",
		},
		{
			anthropic.API,
			"event: message_start\n" + `data: {"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n" +
				"event: content_block_start\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n",
			"event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" beautiful"}}` + "\n\n",
			"event: content_block_stop\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" +
				"event: message_delta\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}` + "\n\n" +
				"event: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n",
		},
		{
			google.API, "",
			`data: {"candidates":[{"content":{"parts":[{"text":" beautiful"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2},"modelVersion":"m","responseId":"r1"}` + "\n\n",
			`data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2},"modelVersion":"m","responseId":"r1"}` + "\n\n",
		},
		{
			mistral.API, "",
			`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" beautiful"},"finish_reason":null}]}` + "\n\n",
			`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}` + "\n\ndata: [DONE]\n\n",
		},
		{
			bedrock.API, "",
			frames("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":" beautiful"},"p":"abcdefghijklmnop"}`),
			frames("contentBlockStop", `{"contentBlockIndex":0}`, "messageStop", `{"stopReason":"end_turn"}`, "metadata", `{"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`),
		},
	}
	ask := wires.New().Stream
	for _, w := range cases {
		b.Run(w.api, func(b *testing.B) {
			req := &ai.Request{
				Model:   &ai.Model{ID: "m", API: w.api, Provider: "lab", BaseURL: "http://lab", Input: []string{ai.InputText}},
				Context: ai.Context{Messages: []ai.Message{user(text("go"))}},
				Options: ai.Options{APIKey: "lab-key", Client: &http.Client{Transport: &recorded{w.start, w.delta, w.stop, deltas}}},
			}
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for ev := range ask(b.Context(), req).Events() {
					if _, ok := ev.(*ai.TextDelta); ok {
						n++
					}
				}
				if n < deltas {
					b.Fatalf("%d deltas", n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
		})
	}
}
