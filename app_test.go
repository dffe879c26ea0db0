package rondo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a model that answers with the newest message.
func echo() rondo.ModelOptions {
	return rondo.ModelOptions{Custom: scripted.Record(), Stream: func(ctx context.Context, req *ai.Request) *ai.Stream {
		last := req.Context.Messages[len(req.Context.Messages)-1].(*ai.UserMessage)
		return scripted.New(scripted.Say(last.Content.Text())).Stream(ctx, req)
	}}
}

// newApp returns an App with folders of its own.
func newApp(t *testing.T, opts *rondo.Options) *rondo.App {
	t.Helper()
	if opts.Home == "" {
		opts.Home = t.TempDir()
	}
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	app, err := rondo.New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return app
}

func ask(t *testing.T, s *rondo.Session, text string) string {
	t.Helper()
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: text}); err != nil {
		t.Fatal(err)
	}
	return s.LastAnswer().Content.Text()
}

func closeSession(t *testing.T, s *rondo.Session) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestNewRefusesMisuse(t *testing.T) {
	tool := tools.Definition{Tool: agent.NewTool("t", "", func(context.Context, struct{}) (string, error) { return "", nil })}
	stream := scripted.New().Stream
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		option string
		opts   rondo.Options
	}{
		{"Dir", rondo.Options{Dir: filepath.Join(t.TempDir(), "none")}},
		{"Dir", rondo.Options{Dir: file}},
		{"Storage", rondo.Options{Storage: rondo.StorageOptions{Dir: "x", InMemory: true}}},
		{"Models.Thinking", rondo.Options{Models: rondo.ModelOptions{Thinking: "loud"}}},
		{"Models.Stream", rondo.Options{Models: rondo.ModelOptions{Custom: scripted.Record()}}},
		{"Models.Custom", rondo.Options{Models: rondo.ModelOptions{Stream: stream}}},
		{"Models.Custom", rondo.Options{Models: rondo.ModelOptions{Custom: &ai.Model{ID: "m"}, Stream: stream}}},
		{"Models.Script", rondo.Options{Models: rondo.ModelOptions{Script: "s", Model: "gpt"}}},
		{"Tools.Custom[0]", rondo.Options{Tools: rondo.ToolOptions{Custom: []tools.Definition{{}}}}},
		{"Tools.Custom[0]", rondo.Options{Tools: rondo.ToolOptions{Custom: []tools.Definition{{Tool: &agent.Tool{Name: "t"}}}}}},
		{"Tools.Custom[1]", rondo.Options{Tools: rondo.ToolOptions{Custom: []tools.Definition{tool, tool}}}},
		{"Extensions.Sources[0]", rondo.Options{Extensions: rondo.ExtensionOptions{Sources: []extension.Source{{}}}}},
		{"Extensions.Hosts[0]", rondo.Options{Extensions: rondo.ExtensionOptions{Hosts: []extension.HostKind{{Name: "h"}}}}},
	} {
		test.opts.Home = t.TempDir()
		_, err := rondo.New(t.Context(), &test.opts)
		if wrong, ok := errors.AsType[*rondo.OptionError](err); !ok || wrong.Option != test.option {
			t.Errorf("%s: %v", test.option, err)
		}
	}
}

func TestNewTellsAFileThatIsWrong(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, config.SettingsFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := rondo.New(t.Context(), &rondo.Options{Home: home})
	if _, ok := errors.AsType[*config.FileError](err); !ok {
		t.Errorf("New: %v", err)
	}
}

// The zero value takes the state folder and the working folder of the process. Without any model
// the demo answers, and the session's notes say so.
func TestTheZeroValueWorks(t *testing.T) {
	t.Setenv(config.EnvHome, t.TempDir())
	t.Setenv("RONDO_LOCAL_SERVERS", "off")
	t.Setenv("PATH", os.Getenv("PATH"))
	for _, name := range os.Environ() {
		if key, _, _ := strings.Cut(name, "="); strings.HasSuffix(key, "_API_KEY") {
			t.Setenv(key, "")
		}
	}
	t.Chdir(t.TempDir())
	app, err := rondo.New(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close(context.Background())
	s, err := app.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeSession(t, s)
	if s.Models.NoModels() == "" || !strings.Contains(strings.Join(s.Notes, "\n"), s.Models.NoModels()) {
		t.Errorf("the notes do not tell that the demo answers: %q", s.Notes)
	}
	if answer := ask(t, s, "help"); answer == "" {
		t.Error("no answer")
	}
}

// Sessions of one App work at the same time, each in its own folder, with its own model and tools.
func TestSessionsWorkAtTheSameTime(t *testing.T) {
	app := newApp(t, &rondo.Options{Models: echo()})
	var all sync.WaitGroup
	for i := range 16 {
		dir := t.TempDir()
		all.Go(func() {
			own := fmt.Sprintf("own-%d", i)
			models := rondo.ModelOptions{Custom: &ai.Model{Provider: own, ID: own, API: own, ContextWindow: 10_000, MaxTokens: 1000}, Stream: echo().Stream}
			s, err := app.Open(t.Context(), &rondo.SessionOptions{Dir: dir, Models: &models, Tools: &rondo.ToolOptions{Names: []string{"read"}}, Name: own})
			if err != nil {
				t.Error(err)
				return
			}
			defer closeSession(t, s)
			for n := range 3 {
				text := fmt.Sprintf("%d of %d", n, i)
				if answer := ask(t, s, text); answer != text {
					t.Errorf("session %d answers %q to %q", i, answer, text)
				}
			}
			if got := s.State().Model.ID; got != own {
				t.Errorf("session %d asks the model %s", i, got)
			}
			if got := s.Workspace.Dir(); got != transcript.CanonicalDir(dir) {
				t.Errorf("session %d works in %s", i, got)
			}
			kept, err := app.Sessions(t.Context(), dir)
			if err != nil || len(kept) != 1 || kept[0].Name != own {
				t.Errorf("session %d is listed as %v, %v", i, kept, err)
			}
		})
	}
	all.Wait()
}

func TestSessionsAreResumed(t *testing.T) {
	app := newApp(t, &rondo.Options{Models: echo()})
	first, err := app.Open(t.Context(), &rondo.SessionOptions{ID: "first-session"})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, first, "remember this")
	closeSession(t, first)
	for name, open := range map[string]func() (*rondo.Session, error){
		"a part of the id": func() (*rondo.Session, error) { return app.Resume(t.Context(), "first", nil) },
		"the file": func() (*rondo.Session, error) {
			file, err := app.SessionFile("first")
			if err != nil {
				return nil, err
			}
			return app.Resume(t.Context(), file, nil)
		},
		"the newest": func() (*rondo.Session, error) { return app.Continue(t.Context(), nil) },
		"the id":     func() (*rondo.Session, error) { return app.ResumeID(t.Context(), "first-session", nil) },
		"a fork of it": func() (*rondo.Session, error) {
			return app.Fork(t.Context(), "first-session", &rondo.SessionOptions{ID: "other"})
		},
	} {
		s, err := open()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := s.LastAnswer(); got == nil || got.Content.Text() != "remember this" {
			t.Errorf("%s: the session has lost its history", name)
		}
		closeSession(t, s)
		if name == "a fork of it" {
			if err := jsonl.Remove(t.Context(), s.Store().Path()); err != nil {
				t.Error(err)
			}
		}
	}
	_, err = app.Resume(t.Context(), "nothing-like-it", nil)
	if _, none := errors.AsType[*jsonl.NotFoundError](err); !none {
		t.Errorf("Resume: %v", err)
	}
	_, err = app.Fork(t.Context(), "first", &rondo.SessionOptions{ID: "first-session"})
	if err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("Fork: %v", err)
	}
}

// recorder is an extension that tells when it begins and ends.
func recorder(events *[]string, fail error) extension.Source {
	return extension.Builtin("recorder", func(_ context.Context, api *extension.API) error {
		*events = append(*events, "loaded")
		extension.On(api, func(_ context.Context, _ *extension.Context, e *extension.SessionStart) (extension.None, error) {
			*events = append(*events, "start "+string(e.Reason))
			return extension.None{}, nil
		})
		extension.On(api, func(_ context.Context, _ *extension.Context, _ *extension.SessionShutdown) (extension.None, error) {
			*events = append(*events, "shutdown")
			return extension.None{}, nil
		})
		return fail
	})
}

func TestExtensionsBeginWithTheirFrontend(t *testing.T) {
	var events []string
	app := newApp(t, &rondo.Options{Models: echo(), Extensions: rondo.ExtensionOptions{Sources: []extension.Source{recorder(&events, nil)}}})
	s, err := app.Open(t.Context(), &rondo.SessionOptions{Frontend: &session.Frontend{Mode: extension.ModePrint}})
	if err != nil {
		t.Fatal(err)
	}
	closeSession(t, s)
	if got := strings.Join(events, ", "); got != "loaded, start startup, shutdown" {
		t.Errorf("the extension has seen %s", got)
	}
}

// When a session cannot be opened, its store and its workspace are closed.
func TestOpeningThatFailsLeavesNothingOpen(t *testing.T) {
	broken := errors.New("out of order")
	var events []string
	named := recorder(&events, broken)
	named.Info.Scope = "temporary"
	app := newApp(t, &rondo.Options{Models: echo(), Extensions: rondo.ExtensionOptions{Sources: []extension.Source{named}}})
	_, err := app.Open(t.Context(), nil)
	if failed, ok := errors.AsType[*rondo.LoadError](err); !ok || failed.Path != "<recorder>" || !errors.Is(err, broken) {
		t.Errorf("Open: %v", err)
	}

	app = newApp(t, &rondo.Options{Models: rondo.ModelOptions{Provider: "nobody", Model: "nothing"}})
	store := &closing{Store: memory.New(transcript.NewHeader(t.TempDir()))}
	if _, err = app.Open(t.Context(), &rondo.SessionOptions{Store: store}); err == nil || !store.closed {
		t.Errorf("Open: %v, store closed: %v", err, store.closed)
	}

	app = newApp(t, &rondo.Options{Models: echo(), Prompt: rondo.PromptOptions{System: &rondo.Text{File: "no-such-file"}}})
	store = &closing{Store: memory.New(transcript.NewHeader(t.TempDir()))}
	if _, err = app.Open(t.Context(), &rondo.SessionOptions{Store: store}); !errors.Is(err, os.ErrNotExist) || !store.closed {
		t.Errorf("Open: %v, store closed: %v", err, store.closed)
	}
}

// closing is a store that knows whether it is closed.
type closing struct {
	transcript.Store
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return c.Store.Close()
}

// A session that takes the place of another one keeps the options of that one.
func TestARuntimeKeepsTheOptionsOfItsSession(t *testing.T) {
	app := newApp(t, &rondo.Options{Models: echo()})
	s, err := app.Open(t.Context(), &rondo.SessionOptions{Tools: &rondo.ToolOptions{Names: []string{"ls"}}})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	rt := app.Runtime(s, func(now *session.Session, r *session.Change) {
		if told++; r.Reason != session.ReasonNew {
			t.Errorf("replaced for %s", r.Reason)
		}
	})
	if err := rt.New(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	now := rt.Current()
	if now == s || told != 1 {
		t.Fatalf("the session was not replaced; told %d times", told)
	}
	if names := now.ActiveTools(); strings.Join(names, " ") != "ls" {
		t.Errorf("the new session has the tools %v", names)
	}
	if answer := ask(t, now, "hello"); answer != "hello" {
		t.Errorf("the new session answers %q", answer)
	}
	if err := rt.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// Tools are chosen by names, patterns, and changes of the default. Those of extensions are active
// unless a list leaves them out, also if they are registered when the session starts. A name that
// fits none is told once the extensions have begun.
func TestToolsAreChosen(t *testing.T) {
	register := extension.Builtin("late", func(_ context.Context, api *extension.API) error {
		tool := func(name string) *extension.Tool {
			return &extension.Tool{Tool: agent.NewTool(name, "", func(context.Context, struct{}) (string, error) { return "", nil })}
		}
		if err := api.RegisterTool(tool("early")); err != nil {
			return err
		}
		extension.On(api, func(context.Context, *extension.Context, *extension.SessionStart) (extension.None, error) {
			return extension.None{}, api.RegisterTool(tool("mcp__late"))
		})
		return nil
	})
	for _, test := range []struct {
		settings string
		opts     rondo.ToolOptions
		want     string
		notes    int
	}{
		{"", rondo.ToolOptions{}, "read bash edit write early mcp__late", 0},
		{"", rondo.ToolOptions{Names: []string{"grep", "mcp__late"}}, "grep mcp__late", 0},
		{"", rondo.ToolOptions{Names: []string{"mcp__*"}}, "mcp__late", 0},
		{"", rondo.ToolOptions{Names: []string{" ls ", "mcp__x*", "raed"}}, "ls", 2},
		{"", rondo.ToolOptions{Names: []string{"+grep", "-bash"}}, "read edit write grep early mcp__late", 0},
		{"", rondo.ToolOptions{Names: []string{"*", "-write", "-e*"}}, "read bash grep find ls mcp__late", 0},
		{"", rondo.ToolOptions{Names: []string{}}, "", 0},
		{"", rondo.ToolOptions{Exclude: []string{"ba*", "early"}}, "read edit write mcp__late", 0},
		{"", rondo.ToolOptions{Exclude: []string{"hammer"}}, "read bash edit write early mcp__late", 1},
		{"", rondo.ToolOptions{NoBuiltin: true}, "early mcp__late", 0},
		{"", rondo.ToolOptions{None: true}, "", 0},
		{`["+grep", "-bash"]`, rondo.ToolOptions{}, "read edit write grep early mcp__late", 0},
		{`["read", "codemode", "powershell"]`, rondo.ToolOptions{}, "read early mcp__late", 2},
		{`["-early"]`, rondo.ToolOptions{}, "read bash edit write mcp__late", 0},
		{`[]`, rondo.ToolOptions{}, "early mcp__late", 0},
		{`["read"]`, rondo.ToolOptions{Names: []string{"ls"}}, "ls", 0},
	} {
		home := t.TempDir()
		if test.settings != "" {
			if err := os.WriteFile(filepath.Join(home, config.SettingsFile), []byte(`{"defaultTools": `+test.settings+`}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var notes []string
		app := newApp(t, &rondo.Options{
			Home: home, Models: echo(), Tools: test.opts, Note: func(text string) { notes = append(notes, text) },
			Extensions: rondo.ExtensionOptions{Sources: []extension.Source{register}},
		})
		s, err := app.Open(t.Context(), &rondo.SessionOptions{Frontend: &session.Frontend{Mode: extension.ModePrint}})
		if err != nil {
			t.Errorf("%s %+v: %v", test.settings, test.opts, err)
			continue
		}
		if got := strings.Join(s.ActiveTools(), " "); got != test.want || len(notes) != test.notes {
			t.Errorf("%s %+v: the tools are %q, not %q; notes are %q", test.settings, test.opts, got, test.want, notes)
		}
		closeSession(t, s)
	}
	app := newApp(t, &rondo.Options{Models: echo(), Tools: rondo.ToolOptions{Names: []string{"read", "raed"}}})
	s, err := app.Open(t.Context(), nil) // without extensions, nothing can come later
	if err != nil {
		t.Fatal(err)
	}
	defer closeSession(t, s)
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], `unknown tool "raed"`) {
		t.Errorf("notes are %q", s.Notes)
	}
}

func TestSettingsThatAreSavedAreSeen(t *testing.T) {
	app := newApp(t, &rondo.Options{Models: echo()})
	s, err := app.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rt := app.Runtime(s, nil)
	defer rt.Close(context.Background())
	if got := rt.Value("compaction.enabled"); got != true {
		t.Errorf("compaction.enabled is %v at first", got)
	}
	if err := rt.Save("compaction.enabled", false); err != nil {
		t.Fatal(err)
	}
	if got := rt.Value("compaction.enabled"); got != false {
		t.Errorf("compaction.enabled is %v after it was saved", got)
	}
	if got := rt.Value("no.such.setting"); got != nil {
		t.Errorf("a setting that does not exist is %v", got)
	}
}
