package bedrock_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTraces compares with what Pi 0.85 sends and makes of the answers.
func TestTraces(t *testing.T) {
	clean(t)
	var client bedrock.Client
	replay.Cases(t, client.Stream, "testdata/pi.json", *model(), &replay.Server{
		Key: "bedrock-key", Reply: reply,
		Plain: jsontext.Value(`{"frames":[{"type":"messageStop","data":{"stopReason":"end_turn"}},{"type":"metadata","data":{}}]}`),
	})
}

// reply writes a recorded reply: messages of the stream, or a failure.
func reply(t testing.TB, w http.ResponseWriter, raw jsontext.Value) {
	var recorded struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    jsontext.Value    `json:"body"`
		Frames  []struct {
			Type      string         `json:"type"`
			Exception string         `json:"exception"`
			Data      jsontext.Value `json:"data"`
		} `json:"frames"`
	}
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Error(err)
		return
	}
	for name, value := range recorded.Headers {
		w.Header().Set(name, value)
	}
	if recorded.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(recorded.Status)
		_, _ = w.Write(recorded.Body)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	for _, f := range recorded.Frames {
		bytes := frame(t, f.Type, string(f.Data))
		if f.Exception != "" {
			bytes = exception(t, f.Exception, string(f.Data))
		}
		_, _ = io.WriteString(w, string(bytes))
	}
}

// exception encodes an exception of the stream.
func exception(t testing.TB, kind, payload string) []byte {
	var m eventstream.Message
	m.Headers.Set(eventstreamapi.ExceptionTypeHeader, eventstream.StringValue(kind))
	m.Headers.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue(eventstreamapi.ExceptionMessageType))
	m.Payload = []byte(payload)
	return encode(t, m)
}
