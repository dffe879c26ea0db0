package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/transcript"
)

const token = "a-token-for-tests"

// place is a server with a scripted model, on loopback.
type place struct {
	t        testing.TB
	server   *serve.Server
	model    *scripted.Model
	addr     string
	url      string
	cwd      string
	opts     *serve.Options
	stop     func() // ends the server and waits; the second time it does nothing
	ui       chan *serve.UI
	client   *http.Client
	http     *http.Transport
	sessions sync.Map // by id
}

// setting changes how a place is made.
type setting func(*serve.Options, *session.Options)

func newPlace(t testing.TB, replies []scripted.Reply, settings ...setting) *place {
	t.Helper()
	p := &place{t: t, model: scripted.New(replies...), cwd: transcript.CanonicalDir(t.TempDir()), ui: make(chan *serve.UI, 1000)}
	base := session.Options{
		CWD: p.cwd, Stream: p.model.Stream, Model: scripted.Record(), Tools: tools.Tools(tools.Builtin(p.cwd, nil)), Toolbox: tools.Builtin(p.cwd, nil),
		Retry: session.Retry{Disabled: true}, Compaction: compaction.Settings{Disabled: true},
	}
	opts := &serve.Options{
		Token: token, CWD: p.cwd, Dir: filepath.Join(t.TempDir(), "sessions"), Version: "test", Models: models{},
		Note: func(note string) { t.Log("note: " + note) },
	}
	opts.Open = func(o *serve.Opening) (*serve.Opened, error) {
		s, err := session.New(o.Store, &base)
		if err != nil {
			return nil, err
		}
		p.ui <- o.UI
		p.sessions.Store(s.ID(), s)
		return &serve.Opened{Session: s, Models: models{}}, nil
	}
	p.opts = opts
	for _, set := range settings {
		set(opts, &base)
	}
	var err error
	if p.server, err = serve.New(opts); err != nil {
		t.Fatal(err)
	}
	at := "127.0.0.1:0"
	if i := slices.IndexFunc(opts.Hosts, func(h string) bool { return strings.HasPrefix(h, "127.") }); i >= 0 {
		at = opts.Hosts[i]
	}
	p.listen(at)
	return p
}

// listen starts the server.
func (p *place) listen(at string) {
	p.t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		p.t.Fatal(err)
	}
	p.addr = listener.Addr().String()
	p.url = "http://" + p.addr
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.server.Serve(ctx, listener) }()
	ended := false
	p.http = &http.Transport{}
	p.client = &http.Client{Transport: p.http}
	p.stop = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		select {
		case err := <-done:
			if err != nil {
				p.t.Errorf("the server ended with %v", err)
			}
		case <-time.After(time.Minute):
			p.t.Error("the server does not end")
		}
		p.http.CloseIdleConnections()
	}
	p.t.Cleanup(func() { p.stop() })
}

// listenAt makes a place at an address that another one had.
func listenAt(addr string) setting {
	return func(o *serve.Options, _ *session.Options) { o.Hosts = append(o.Hosts, addr) }
}

// models are the scripted ones.
type models struct{}

func (models) Available() []*ai.Model { return []*ai.Model{scripted.Record()} }
func (m models) Get(provider, id string) *ai.Model {
	if provider == scripted.Provider && id == scripted.ModelID {
		return scripted.Record()
	}
	return nil
}

// request makes a request with the token.
func (p *place) request(method, path, body string) *http.Request {
	p.t.Helper()
	req, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

// send sends a request and returns the answer's status and body.
func (p *place) send(req *http.Request) (int, string) {
	p.t.Helper()
	res, err := p.client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(data))
}

// do sends a request that must go well.
func (p *place) do(method, path, body string) string {
	p.t.Helper()
	status, text := p.send(p.request(method, path, body))
	if status >= 300 {
		p.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return text
}

// refused sends a request that must fail with a status, and returns what the error says.
func (p *place) refused(want int, method, path, body string) string {
	p.t.Helper()
	status, text := p.send(p.request(method, path, body))
	if status != want {
		p.t.Errorf("%s %s: status %d, want %d: %s", method, path, status, want, text)
	}
	var failure struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal([]byte(text), &failure); err != nil || failure.Error == "" {
		p.t.Errorf("%s %s: the error is %s", method, path, text)
	}
	return failure.Error
}

// newSession makes a session and returns its path.
func (p *place) newSession() string {
	p.t.Helper()
	var made struct {
		ID string `json:"sessionId"`
	}
	if err := json.Unmarshal([]byte(p.do("POST", "/api/sessions", "")), &made); err != nil || made.ID == "" {
		p.t.Fatalf("the new session: %v", err)
	}
	return "/api/sessions/" + made.ID
}

// frame is an event of a stream.
type frame struct {
	id, data, kind string
}

// reader reads a stream.
type reader struct {
	p      *place
	res    *http.Response
	lines  *bufio.Reader
	cancel context.CancelFunc
	lastID string
}

// follow begins to read the events of a session.
func (p *place) follow(path, lastID string) *reader {
	p.t.Helper()
	req := p.request("GET", path, "")
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	return p.stream(req)
}

func (p *place) stream(req *http.Request) *reader {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	res, err := p.client.Do(req.WithContext(ctx))
	if err != nil {
		p.t.Fatal(err)
	}
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		data, _ := io.ReadAll(res.Body)
		p.t.Fatalf("%s: no stream but %d %s", req.URL, res.StatusCode, data)
	}
	if control := res.Header.Get("Cache-Control"); !strings.Contains(control, "no-transform") || !strings.Contains(control, "no-store") {
		p.t.Errorf("%s: Cache-Control is %q: a proxy may hold events back", req.URL, control)
	}
	r := &reader{p: p, res: res, lines: bufio.NewReader(res.Body), cancel: cancel}
	p.t.Cleanup(r.close)
	return r
}

func (r *reader) close() {
	r.cancel()
	r.res.Body.Close()
}

// next reads an event; the kind is empty at the end of the stream.
func (r *reader) next() frame {
	r.p.t.Helper()
	timer := time.AfterFunc(20*time.Second, r.cancel)
	defer timer.Stop()
	var f frame
	for {
		line, err := r.lines.ReadString('\n')
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return frame{}
		}
		if err != nil {
			r.p.t.Fatalf("the stream: %v", err)
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" && f.data != "":
			var head struct {
				Type string `json:"type"`
			}
			if err := json.Unmarshal([]byte(f.data), &head, jsontext.AllowInvalidUTF8(true)); err != nil {
				r.p.t.Fatalf("the event %s: %v", f.data, err)
			}
			f.kind = head.Type
			if f.id != "" {
				r.lastID = f.id
			}
			return f
		case strings.HasPrefix(line, "id: "):
			f.id = line[4:]
		case strings.HasPrefix(line, "data: "):
			f.data = line[6:]
		}
	}
}

// until reads up to an event of a kind, and returns all that were read.
func (r *reader) until(kind string) []frame {
	r.p.t.Helper()
	var all []frame
	for {
		f := r.next()
		if f.kind == "" {
			r.p.t.Fatalf("the stream ended before %s, after %s", kind, kinds(all))
		}
		all = append(all, f)
		if f.kind == kind {
			return all
		}
	}
}

// untilText reads up to an event that has a text.
func (r *reader) untilText(text string) []frame {
	r.p.t.Helper()
	var all []frame
	for {
		f := r.next()
		if f.kind == "" {
			r.p.t.Fatalf("the stream ended before %q, after %s", text, kinds(all))
		}
		all = append(all, f)
		if strings.Contains(f.data, text) {
			return all
		}
	}
}

func kinds(frames []frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.kind + " ")
	}
	return strings.TrimSpace(b.String())
}

// said joins the deltas of text in events, after what a snapshot among them has of the answer.
func said(t testing.TB, frames []frame) string {
	t.Helper()
	var b strings.Builder
	for _, f := range frames {
		var ev struct {
			Answer *struct {
				Message *ai.AssistantMessage `json:"message"`
			} `json:"answer"`
			Event struct {
				Type  string `json:"type"`
				Delta string `json:"delta"`
			} `json:"assistantMessageEvent"`
		}
		if err := json.Unmarshal([]byte(f.data), &ev); err != nil {
			t.Fatalf("%s: %v", f.data, err)
		}
		if f.kind == "snapshot" {
			b.Reset()
			if ev.Answer != nil {
				b.WriteString(ev.Answer.Message.Content.Text())
			}
		}
		if ev.Event.Type == "text_delta" {
			b.WriteString(ev.Event.Delta)
		}
	}
	return b.String()
}

// long is a text of n words that can be told from each other.
func long(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

// tool makes a tool that does what a function does.
func tool(name string, do func(ctx context.Context) (string, error)) *agent.Tool {
	return agent.NewTool(name, "A tool of the test.", func(ctx context.Context, _ struct{}) (string, error) { return do(ctx) })
}

// dir is the folder of the session files.
func (p *place) dir() string { return p.opts.Dir }

// live returns the session of a path as it is open now; leave lets it rest.
func (p *place) live(path string) (s *session.Session, leave func()) {
	p.t.Helper()
	r := p.follow(path+"/events?after=now", "")
	found, ok := p.sessions.Load(strings.TrimPrefix(path, "/api/sessions/"))
	if !ok {
		p.t.Fatalf("%s is not open", path)
	}
	return found.(*session.Session), r.close
}
