package mistral_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/mistral"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTraces compares with what Pi 0.85 sends and makes of the answers. The recordings leave
// out members that say what the service assumes anyway (prefix and index).
func TestTraces(t *testing.T) {
	replay.Cases(t, mistral.Stream, "testdata/pi.json", *model(), &replay.Server{
		Key: "mkey", Reply: replay.Events, Plain: jsontext.Value(`{"sse":[{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}]}`),
	})
}
