package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
	"github.com/rondo-agent/rondo/extension/script"
)

// trace is what happens in a test, in order.
type trace struct {
	mu    sync.Mutex
	lines []string
}

func (t *trace) add(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *trace) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.lines...)
}

func (t *trace) has(part string) bool {
	return strings.Contains(strings.Join(t.all(), "\n"), part)
}

// fakeSession is a session of which extensions use little.
type fakeSession struct {
	extension.Session
	trace *trace

	mu      sync.Mutex
	entries []jsontext.Value
	name    string
	runner  *extension.Runner
}

func (s *fakeSession) AppendEntry(customType string, data jsontext.Value) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trace.add("appendEntry %s %s", customType, data)
	id := fmt.Sprintf("%08x", len(s.entries)+1)
	raw, err := json.Marshal(object{"type": "custom", "customType": customType, "data": data, "id": id})
	s.entries = append(s.entries, raw)
	return id, err
}

func (s *fakeSession) Entries() []jsontext.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]jsontext.Value(nil), s.entries...)
}

func (s *fakeSession) SetName(ctx context.Context, name string) error {
	s.mu.Lock()
	s.name = name
	s.mu.Unlock()
	s.trace.add("setName %s", name)
	if s.runner != nil { // as a session does that waits for the extensions
		s.runner.Emit(ctx, &extension.SessionInfoChanged{Name: name})
	}
	return nil
}

func (s *fakeSession) SessionName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

func (s *fakeSession) SessionID() string   { return "s" }
func (s *fakeSession) Model() *ai.Model    { return nil }
func (s *fakeSession) ToolsChanged() error { s.trace.add("toolsChanged"); return nil }
func (s *fakeSession) Wait(ctx context.Context) error {
	s.trace.add("wait")
	return ctx.Err()
}

// fakeUI answers dialogs.
type fakeUI struct {
	extension.NoUI
	trace  *trace
	choice string
	delay  time.Duration
}

func (u *fakeUI) Select(ctx context.Context, title string, options []string, _ time.Duration) (string, bool) {
	u.trace.add("select %q %q", title, options)
	select {
	case <-time.After(u.delay):
		return u.choice, u.choice != ""
	case <-ctx.Done():
		u.trace.add("select cancelled")
		return "", false
	}
}

func (u *fakeUI) Notify(message, kind string) { u.trace.add("notify %q %s", message, kind) }

func (u *fakeUI) SetStatus(key string, text *string) {
	if text == nil {
		u.trace.add("status %s cleared", key)
		return
	}
	u.trace.add("status %s %q", key, *text)
}

// scene is a runner with one extension.
type scene struct {
	*extension.Runner
	trace   *trace
	session *fakeSession
	ui      *fakeUI
	opts    *extension.Options
	failed  []*extension.Error
}

type sceneOptions struct {
	config   process.Config
	deadline time.Duration
	source   extension.Source
	noBind   bool
	scripts  extension.OpenHost
}

// role makes a folder with an extension that the test binary is.
func role(t testing.TB, name string) extension.Source {
	t.Helper()
	dir := t.TempDir()
	manifest, err := json.Marshal(object{"name": name, "command": []string{os.Args[0], "role:" + name}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "extension.json"), manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	return extension.Source{Path: dir, Host: process.Kind}
}

func open(t testing.TB, o sceneOptions) *scene {
	t.Helper()
	tr := new(trace)
	s := &scene{trace: tr, session: &fakeSession{trace: tr}, ui: &fakeUI{trace: tr, choice: "Yes"}}
	if o.config.Pauses == nil {
		o.config.Pauses = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}
	}
	s.opts = &extension.Options{
		CWD: "/project", Mode: extension.ModeRPC, UI: s.ui, Deadline: o.deadline,
		Hosts:   []extension.HostKind{{Name: process.Kind, Open: process.Open(&o.config)}, {Suffixes: script.Suffixes, Open: o.scripts}},
		OnError: func(err *extension.Error) { tr.add("error %s: %v", err.Event, err.Err) },
	}
	s.Runner = extension.NewRunner(s.opts)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	s.failed = s.Load(context.Background(), o.source)
	if !o.noBind {
		s.Bind(s.session)
	}
	return s
}

// await waits until the trace holds a text.
func (s *scene) await(t testing.TB, part string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if s.trace.has(part) {
			return
		}
	}
	t.Fatalf("there is no %q in the trace:\n%s", part, strings.Join(s.trace.all(), "\n"))
}

// ok fails the test if the extension was not loaded.
func (s *scene) ok(t testing.TB) *scene {
	t.Helper()
	for _, err := range s.failed {
		t.Fatal(err)
	}
	return s
}

func (s *scene) toolCall(ctx context.Context, input string) (extension.ToolCallResult, string, error) {
	e := &extension.ToolCall{ToolCallID: "1", ToolName: "bash", Input: jsontext.Value(input)}
	result, err := s.ToolCall(ctx, e)
	return result, string(e.Input), err
}
