package mistral

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rondo-agent/rondo/ai/internal/calls"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// FuzzSkim compares the two ways to read a chunk: what is skimmed is what is decoded.
func FuzzSkim(f *testing.F) {
	for _, seed := range []string{
		`{"id":"r","model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`,
		`{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":[{"type":"text","text":"b"}],"closed":true}]}}]}`,
		`{"choices":[{"delta":{"content":null,"tool_calls":null}}],"usage":null}`, `{"choices":[{},{}]}`, `{"choices":[{"delta":{"content":"a","content":"b"}}]}`,
		`{"choices":[{"delta":{"content":[{"type":"text","thinking":[{"text":"x"}],"text":"y"}]}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var skimmed, decoded chunk
		if !skimmed.skim(data) || !jsontext.Value(data).IsValid(wire.Lax) { // literals that do not matter are not looked at
			return
		}
		if err := decoded.decode(data); err != nil {
			t.Fatalf("skimmed %q, which is no chunk: %v", data, err)
		}
		same := cmp.Diff(decoded, skimmed, cmp.AllowUnexported(chunk{}, piece{}), cmpopts.EquateEmpty(), cmp.Comparer(func(a, b wire.Repeated) bool { return a.String() == b.String() }), cmp.Comparer(func(a, b calls.Piece) bool { return a == b }))
		if same != "" {
			t.Errorf("%q (-decoded +skimmed):\n%s", data, same)
		}
	})
}
