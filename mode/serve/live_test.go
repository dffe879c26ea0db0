package serve

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/ring"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// counted is an event that counts how often it is encoded.
type counted struct {
	agent.Sealed
	n *int
}

func (counted) Type() string { return "counted" }

func (c counted) AppendJSON(dst []byte) []byte {
	*c.n++
	return append(dst, `{"type":"counted","of":1}`...)
}

// TestEventIsEncodedOnce: however many read it.
func TestEventIsEncodedOnce(t *testing.T) {
	s, err := session.New(memory.New(transcript.NewHeader(t.TempDir())), &session.Options{Stream: scripted.New().Stream})
	if err != nil {
		t.Fatal(err)
	}
	l := newLive(&Opened{Session: s}, newUI(), &receipts{}, ring.Limits{})
	l.begin("new")
	encoded := 0
	var readers sync.WaitGroup
	for range 50 {
		c := l.ring.Reader(0)
		readers.Go(func() {
			batch, err := c.Next(context.Background())
			want := "id: " + l.epoch + "-1\ndata: {\"type\":\"counted\",\"of\":1}\n\n"
			if err != nil || string(batch) != want {
				t.Errorf("a reader got %q, %v; want %q", batch, err, want)
			}
		})
	}
	l.onEvent(counted{n: &encoded})
	readers.Wait()
	if encoded != 1 {
		t.Errorf("the event was encoded %d times", encoded)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	l.close()
}

// FuzzRequests sends bodies and ids that clients may make up: they are answered, and nothing
// panics or is the server's fault.
func FuzzRequests(f *testing.F) {
	f.Add("prompt", `{"id":"a","message":"hi","images":[{"data":"eA==","mimeType":"image/png"}]}`, "abc-1")
	f.Add("steer", `{"message":"\ud800"}`, "-")
	f.Add("set_model", `{"provider":1}`, "0-18446744073709551615")
	f.Add("dialogs/x", `{"value":null,"confirmed":false}`, "")
	f.Add("fork", `{"entryId":"`+strings.Repeat("a", 300)+`"}`, "\x00")
	f.Add("set_session_name", `[1,2`, "x-99999999999999999999999")
	model := scripted.New()
	server, err := New(&Options{Token: "a-token-for-fuzzing", CWD: f.TempDir(), Open: func(o *Opening) (*Opened, error) {
		s, err := session.New(o.Store, &session.Options{Stream: model.Stream, Model: scripted.Record(), Retry: session.Retry{Disabled: true}})
		return &Opened{Session: s}, err
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { server.Close(context.Background()) })
	l, leave, err := server.pool.create(server.opts.CWD)
	if err != nil {
		f.Fatal(err)
	}
	defer leave()
	f.Fuzz(func(t *testing.T, what, body, id string) {
		if strings.ContainsAny(what, "\x00\r\n ?#%") || what == "bash" || strings.HasPrefix(what, "bash/") {
			t.Skip()
		}
		path := "/api/sessions/" + l.Session.ID() + "/" + what
		req := httptest.NewRequest("POST", "http://localhost/", strings.NewReader(body))
		req.URL.Path = path
		req.Header.Set("Authorization", "Bearer a-token-for-fuzzing")
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, req)
		if w.Code >= 500 {
			t.Errorf("POST %s %q: %d %s", path, body, w.Code, w.Body)
		}
		if n, ok := l.place(id); ok && !strings.HasPrefix(id, l.epoch) {
			t.Errorf("the id %q is taken for event %d", id, n)
		}
		_, _ = io.Copy(io.Discard, w.Body)
	})
}
