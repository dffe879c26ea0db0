package google_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

// deltas are the parts that come by the thousand, as Google's own server writes them.
func deltas() []replay.Deltas {
	of := func(part string) func(n int) *ai.Request {
		return func(n int) *ai.Request {
			const form = `data: {"candidates": [{"content": {"parts": [%s],"role": "model"},"index": 0}],` +
				`"usageMetadata": {"promptTokenCount": 1012,"candidatesTokenCount": %d,"totalTokenCount": %d,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 1012}]},` +
				`"modelVersion": "gemini-2.5-pro","responseId": "hH5aaZ_kKZ6A1PIP0r"}` + "\r\n\r\n"
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, form, part, i, 1012+i)
			}
			b.WriteString(replay.SSE(finish("STOP")))
			return &ai.Request{Model: model("gemini-2.5-pro"), Options: ai.Options{Client: (&replay.Canned{Stream: b.String()}).Client()}}
		}
	}
	return []replay.Deltas{
		{Name: "text", Request: of(`{"text":" a beautiful morning"}`)},
		{Name: "thinking", Request: of(`{"text":" a beautiful morning","thought":true}`)},
	}
}

func BenchmarkDelta(b *testing.B) { replay.BenchmarkDeltas(b, google.Stream, deltas()) }

func TestAllocationsPerDelta(t *testing.T) {
	replay.CheckAllocations(t, google.Stream, deltas(), 4)
}
