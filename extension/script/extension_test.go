package script_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// person is a UI that keeps what it is told.
type person struct {
	extension.NoUI
	mu    sync.Mutex
	heard []string
}

func (p *person) Notify(message, _ string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = append(p.heard, message)
}

func (p *person) Select(_ context.Context, _ string, options []string, _ time.Duration) (string, bool) {
	return options[len(options)-1], true
}

func (p *person) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.heard, "|")
}

// fakeSession is as much of a session as the tests need.
type fakeSession struct {
	extension.Session
	mu   sync.Mutex
	name string
	r    *extension.Runner
}

func (s *fakeSession) SessionName() string { s.mu.Lock(); defer s.mu.Unlock(); return s.name }

func (s *fakeSession) SetName(ctx context.Context, name string) error {
	s.mu.Lock()
	s.name = name
	s.mu.Unlock()
	s.r.Fire(ctx, &extension.SessionInfoChanged{Name: name}, 10*time.Millisecond)
	return nil
}

func (*fakeSession) ToolsChanged() error { return nil }
func (*fakeSession) Idle() bool          { return true }

// What spreading ctx looks at.
func (*fakeSession) Model() *ai.Model                      { return nil }
func (*fakeSession) ScopedModels() []extension.ScopedModel { return nil }
func (*fakeSession) ThinkingLevel() ai.ThinkingLevel       { return "off" }
func (*fakeSession) RunContext() context.Context           { return nil }

// stage is a runner with extensions of TypeScript, a person and a session.
type stage struct {
	*extension.Runner
	person
	mu     sync.Mutex
	errors []string
	dir    string
}

func newStage(t testing.TB, settings script.Settings, files ...string) *stage {
	t.Helper()
	s := &stage{dir: t.TempDir()}
	settings.Cache = cacheDir
	hosts := []extension.HostKind{{Suffixes: script.Suffixes, Open: script.Host(settings)}}
	s.Runner = extension.NewRunner(&extension.Options{
		CWD: s.dir, Mode: extension.ModeRPC, UI: &s.person, Hosts: hosts,
		OnError: func(err *extension.Error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.errors = append(s.errors, filepath.Base(err.Path)+" "+err.Event+": "+err.Err.Error())
		},
	})
	for i, source := range files {
		path := filepath.Join(s.dir, string(rune('a'+i))+".ts")
		if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, err := range s.Load(t.Context(), extension.Source{Path: path}) {
			t.Fatal(err)
		}
	}
	s.Bind(&fakeSession{r: s.Runner})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stage) failures() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.errors, "|")
}

func TestExtensionHearsAndAnswers(t *testing.T) {
	s := newStage(t, script.Settings{}, `
export default function (pi) {
  pi.on("session_start", async (e, ctx) => { ctx.ui.notify(e.type + " " + e.reason + " " + (await ctx.ui.select("?", ["a", "b"])), "info"); });
  pi.on("session_info_changed", (e, ctx) => { ctx.ui.notify("named " + e.name); });
  pi.registerCommand("name", { handler: async (args, ctx) => { pi.setSessionName(args); ctx.ui.notify("name " + pi.getSessionName()); } });
}`)
	s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
	if err := s.RunCommand(t.Context(), s.Command("name"), "box"); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(s.all(), "named") && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if got := s.all(); got != "session_start startup b|named box|name box" && got != "session_start startup b|name box|named box" {
		t.Error(got)
	}
	if s.failures() != "" {
		t.Error(s.failures())
	}
}

// Half a character in what a tool returns becomes U+FFFD.
func TestAToolReturnsHalfACharacter(t *testing.T) {
	s := newStage(t, script.Settings{}, `
export default (pi) => { pi.registerTool({ name: "cut", label: "cut", description: "", parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [{ type: "text", text: "a" + "😀".slice(0, 1) }], details: { b: "😀".slice(1) } }) }); }`)
	tool := s.Tools()[0]
	r, err := tool.Execute(t.Context(), agent.NewCall("1", tool.Tool.Tool, []byte(`{}`), func(*agent.ToolResult) {}))
	if err != nil || r.Content.Text() != "a\uFFFD" || string(r.Details) != "{\"b\":\"\uFFFD\"}" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestInputOfACallIsChangedInPlace(t *testing.T) {
	s := newStage(t, script.Settings{},
		`export default (pi) => { pi.on("tool_call", (e) => { e.input.command += " two"; }); }`,
		`export default (pi) => { pi.on("tool_call", async (e, ctx) => { ctx.ui.notify("sees " + e.input.command); e.input.command += " three"; }); }`)
	e := &extension.ToolCall{ToolName: "bash", ToolCallID: "c1", Input: []byte(`{"command":"one"}`)}
	if _, err := s.ToolCall(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if string(e.Input) != `{"command":"one two three"}` || s.all() != "sees one two" {
		t.Errorf("%s %s", e.Input, s.all())
	}
}
