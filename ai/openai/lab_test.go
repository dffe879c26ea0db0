package openai_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lab is a server that answers as scripted and keeps the requests.
type lab struct {
	client *http.Client
	url    string
	reply  func(w http.ResponseWriter, r *http.Request)
	bodies []jsontext.Value
	header http.Header // of the last request
}

func newLab(t testing.TB) *lab {
	l := &lab{}
	address, client := replay.Listen(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.URL.Path != "/v1/chat/completions" {
			t.Errorf("request to %s", r.URL.Path)
		}
		l.bodies = append(l.bodies, body)
		l.header = r.Header
		l.reply(w, r)
	})
	l.client, l.url = client, address+"/v1"
	return l
}

// events makes the next reply a stream of these pieces.
func (l *lab) events(pieces ...string) {
	l.reply = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			io.WriteString(w, p)
			http.NewResponseController(w).Flush()
		}
	}
}

// chunks makes the next reply a stream of these chunks, and [DONE].
func (l *lab) chunks(chunks ...string) {
	var pieces []string
	for _, c := range chunks {
		pieces = append(pieces, "data: "+c+"\n\n")
	}
	l.events(append(pieces, "data: [DONE]\n\n")...)
}

func (l *lab) model() *ai.Model {
	return &ai.Model{
		ID: "m", API: openai.APICompletions, Provider: "lab", BaseURL: l.url,
		Input: []string{ai.InputText, ai.InputImage}, ContextWindow: 100000, MaxTokens: 4096,
	}
}

// ask sends a request and checks the contract of the stream.
func (l *lab) ask(t testing.TB, req *ai.Request) ([]ai.StreamEvent, *ai.AssistantMessage) {
	t.Helper()
	if req.Model == nil {
		req.Model = l.model()
	}
	if req.Options.Client == nil {
		req.Options.Client = l.client
	}
	stream := openai.Completions(t.Context(), req)
	events := aitest.CheckStream(t, stream)
	return events, stream.Result()
}

// answer asks for the answer to a stream of chunks.
func (l *lab) answer(t testing.TB, chunks ...string) *ai.AssistantMessage {
	t.Helper()
	l.chunks(chunks...)
	_, m := l.ask(t, &ai.Request{})
	return m
}

func user(text string) ai.Message { return &ai.UserMessage{Content: ai.TextContent(text)} }

// decode reads the body of a request.
func decode(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return m
}
