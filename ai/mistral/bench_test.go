package mistral_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/mistral"
)

// deltas are those of each kind. Arguments come whole.
func deltas() []replay.Deltas {
	of := func(members string) func(n int) *ai.Request {
		return func(n int) *ai.Request {
			c := &replay.Canned{Stream: strings.Repeat(replay.SSE(delta(members)), n) + replay.SSE(finish("stop"))}
			return &ai.Request{Model: model(), Options: ai.Options{Client: c.Client()}}
		}
	}
	return []replay.Deltas{
		{Name: "text", Request: of(`"content":" beautiful"`)},
		{Name: "thinking", Request: of(`"content":[{"type":"thinking","thinking":[{"type":"text","text":" beautiful"}]}]`)},
	}
}

func BenchmarkDelta(b *testing.B) { replay.BenchmarkDeltas(b, mistral.Stream, deltas()) }

func TestAllocationsPerDelta(t *testing.T) {
	replay.CheckAllocations(t, mistral.Stream, deltas(), 3)
}
