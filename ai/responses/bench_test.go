package responses_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/responses"
)

// deltas are those of each kind, after the item that they belong to, as OpenAI's own server
// writes them.
func deltas() []replay.Deltas {
	of := func(item, delta string) func(n int) *ai.Request {
		return func(n int) *ai.Request {
			c := &replay.Canned{Stream: replay.SSE(added(0, item)) + strings.Repeat("event: response.delta\n"+replay.SSE(delta), n) + replay.SSE(completed)}
			return &ai.Request{Model: model(), Options: ai.Options{Client: c.Client()}}
		}
	}
	return []replay.Deltas{
		{Name: "text", Request: of(
			`{"id":"msg_0a1b2c","type":"message","status":"in_progress","content":[],"role":"assistant"}`,
			`{"type":"response.output_text.delta","sequence_number":17,"item_id":"msg_0a1b2c","output_index":0,"content_index":0,"delta":" beautiful","logprobs":[],"obfuscation":"x8Kd2"}`,
		)},
		{Name: "thinking", Request: of(
			`{"id":"rs_0a1b2c","type":"reasoning","summary":[]}`,
			`{"type":"response.reasoning_summary_text.delta","sequence_number":17,"item_id":"rs_0a1b2c","output_index":0,"summary_index":0,"delta":" beautiful","obfuscation":"x8Kd2"}`,
		)},
		{Name: "arguments", Request: of(
			`{"id":"fc_0a1b2c","type":"function_call","call_id":"c1","name":"f","arguments":""}`,
			`{"type":"response.function_call_arguments.delta","sequence_number":17,"item_id":"fc_0a1b2c","output_index":0,"delta":" beautiful","obfuscation":"x8Kd2"}`,
		)},
	}
}

func BenchmarkDelta(b *testing.B) { replay.BenchmarkDeltas(b, responses.Stream, deltas()) }

func TestAllocationsPerDelta(t *testing.T) {
	replay.CheckAllocations(t, responses.Stream, deltas(), 3)
}
