package openai_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	}))
	transport := &http.Transport{}
	t.Cleanup(server.Close)
	t.Cleanup(transport.CloseIdleConnections)
	l.client, l.url = &http.Client{Transport: transport}, server.URL+"/v1"
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

// piece is a part of a recorded reply.
type piece struct {
	text  string
	bytes string
}

func (p *piece) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == '"' {
		return unmarshal(raw, &p.text)
	}
	var coded struct {
		Bytes string `json:"bytes64"`
	}
	if err := unmarshal(raw, &coded); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(coded.Bytes)
	p.bytes = string(data)
	return err
}

// reply is a recorded reply.
type reply struct {
	SSE    []piece `json:"sse"`
	Status int     `json:"status"`
	Body   string  `json:"body"`
}

// serve makes the recorded reply the next one. As in the recording, the end of the
// connection is the end of the body.
func (l *lab) serve(t *testing.T, rec reply) {
	l.reply = func(w http.ResponseWriter, r *http.Request) {
		if rec.Status != 0 {
			w.WriteHeader(rec.Status)
			io.WriteString(w, rec.Body)
			return
		}
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(buf, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
		for _, p := range rec.SSE {
			io.WriteString(buf, p.text+p.bytes)
			buf.Flush()
			if p.bytes != "" {
				time.Sleep(time.Millisecond) // so that the pieces arrive apart
			}
		}
	}
}
