package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

const (
	startEvent = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}\n\n"
	stopEvent  = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
)

func sse(events ...string) string {
	var b strings.Builder
	for _, ev := range events {
		name, _, _ := strings.Cut(strings.TrimPrefix(ev, `{"type":"`), `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, ev)
	}
	return b.String()
}

func cannedRequest(body string) *ai.Request {
	return &ai.Request{
		Model:   &ai.Model{ID: "m", API: anthropic.API, Provider: "lab", MaxTokens: 4096, BaseURL: "http://lab", Cost: ai.Pricing{Input: 1, Output: 2}},
		Options: ai.Options{Client: (&replay.Canned{Stream: body}).Client()},
	}
}

// deltas are those of each kind, after the start of their block.
func deltas() []replay.Deltas {
	of := func(block, delta string) func(n int) *ai.Request {
		return func(n int) *ai.Request {
			return cannedRequest(startEvent + sse(`{"type":"content_block_start","index":0,"content_block":`+block+`}`) +
				strings.Repeat(sse(`{"type":"content_block_delta","index":0,"delta":`+delta+`}`), n) + stopEvent)
		}
	}
	return []replay.Deltas{
		{Name: "text", Request: of(`{"type":"text","text":""}`, `{"type":"text_delta","text":" some text"}`)},
		{Name: "thinking", Request: of(`{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":" some\nthought"}`)},
		{Name: "arguments", Request: of(`{"type":"tool_use","id":"t","name":"n","input":{}}`, `{"type":"input_json_delta","partial_json":"\"some\":1,"}`)},
	}
}

func BenchmarkDelta(b *testing.B) { replay.BenchmarkDeltas(b, anthropic.Messages, deltas()) }

func TestAllocationsPerDelta(t *testing.T) {
	replay.CheckAllocations(t, anthropic.Messages, deltas(), 4)
}
