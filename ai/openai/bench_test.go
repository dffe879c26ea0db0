package openai_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/openai"
)

// deltas are those of each kind, as OpenAI's own server writes them.
func deltas() []replay.Deltas {
	of := func(delta string) func(n int) *ai.Request {
		return func(n int) *ai.Request {
			const head = `data: {"id":"chatcmpl-CkT1Zx0aVfWm3yq7hBn2L4uDsPjRe","object":"chat.completion.chunk","created":1763900000,` +
				`"model":"m","service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":`
			var b strings.Builder
			if strings.Contains(delta, "tool_calls") {
				b.WriteString(head + `{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":""}}]}}]}` + "\n\n")
			}
			for range n {
				b.WriteString(head + delta + `,"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x8Kd2"}` + "\n\n")
			}
			b.WriteString(head + `{},"logprobs":null,"finish_reason":"stop"}],"usage":null}` + "\n\ndata: [DONE]\n\n")
			return &ai.Request{
				Model:   &ai.Model{ID: "m", API: openai.APICompletions, BaseURL: "http://lab/v1"},
				Options: ai.Options{Client: (&replay.Canned{Stream: b.String()}).Client()},
			}
		}
	}
	return []replay.Deltas{
		{Name: "text", Request: of(`{"content":" beautiful"}`)},
		{Name: "thinking", Request: of(`{"reasoning_content":" beautiful"}`)},
		{Name: "arguments", Request: of(`{"tool_calls":[{"index":0,"function":{"arguments":" beautiful"}}]}`)},
		{Name: "details", Request: of(`{"reasoning":" b","reasoning_details":[{"type":"reasoning.text","text":" b","index":0,"format":"f"}]}`)},
	}
}

func BenchmarkDelta(b *testing.B) { replay.BenchmarkDeltas(b, openai.Completions, deltas()) }

// Details of thinking are put together, and cost no more than text.
func TestAllocationsPerDelta(t *testing.T) {
	replay.CheckAllocations(t, openai.Completions, deltas(), 3)
}
