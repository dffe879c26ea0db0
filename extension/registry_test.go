package extension_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/schema"
)

// bare is a session of which nothing works but what a test gives.
type bare struct {
	extension.Session
	changed int
	replace func()
}

func (b *bare) ToolsChanged() error { b.changed++; return nil }
func (b *bare) Idle() bool          { return true }

func (b *bare) NewSession(context.Context, extension.NewSessionOptions) (bool, error) {
	b.replace()
	return false, nil
}

func tool(name string) *extension.Tool {
	return &extension.Tool{Tool: agent.NewTool(name, "", func(context.Context, struct{}) (string, error) { return name, nil })}
}

// Actions are refused while extensions are loaded, and when they have ended.
func TestStaleContexts(t *testing.T) {
	var a *api
	var during error
	s := load(t, nil, func(api *api) { a, during = api, api.SetSessionName(context.Background(), "x") })
	if !errors.Is(during, extension.ErrLoading) || !errors.Is(a.Context().Err(), extension.ErrLoading) {
		t.Errorf("while loading: %v", during)
	}
	s.Bind(&bare{})
	if err := a.Err(); err != nil || !a.Context().Idle() {
		t.Errorf("bound: %v", err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(a.Err(), extension.ErrStale) || a.Context().Idle() || a.Context().HasUI() {
		t.Error("an ended instance still acts on the session")
	}
	if _, ok := a.Context().UI().Input(t.Context(), "?", "", 0); ok {
		t.Error("an ended instance still asks")
	}
	for name, err := range map[string]error{
		"register":  a.RegisterTool(tool("late")),
		"send":      a.SendMessage(&extension.CustomMessage{CustomType: "c"}, extension.SendOptions{}),
		"send user": a.SendUserMessage(&extension.UserMessage{}),
		"abort":     a.Context().Abort(),
	} {
		if !errors.Is(err, extension.ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What an instance has begun is cancelled with it, but a command that replaces the session
// goes on in the next one.
func TestACommandGoesOnAfterItsInstance(t *testing.T) {
	b := &bare{}
	var moved, other error
	begun, done := make(chan struct{}), make(chan struct{})
	s := load(t, nil, func(api *api) {
		_ = api.RegisterCommand(&extension.Command{Name: "fresh", Handler: func(ctx context.Context, x *extension.CommandContext, _ string) error {
			_, err := x.NewSession(ctx, extension.NewSessionOptions{})
			moved = errors.Join(err, context.Cause(ctx))
			return nil
		}})
		_ = api.RegisterCommand(&extension.Command{Name: "wait", Handler: func(ctx context.Context, _ *extension.CommandContext, _ string) error {
			close(begun)
			<-ctx.Done()
			other = context.Cause(ctx)
			return nil
		}})
	})
	b.replace = func() { s.End() }
	s.Bind(b)
	go func() {
		defer close(done)
		_ = s.RunCommand(context.Background(), s.Command("wait"), "")
	}()
	<-begun
	_ = s.RunCommand(t.Context(), s.Command("fresh"), "")
	<-done
	if moved != nil || !errors.Is(other, extension.ErrStale) {
		t.Errorf("the one that has moved: %v; the other: %v", moved, other)
	}
}

func TestDuplicateNames(t *testing.T) {
	command := func(name string) func(*api) {
		return func(api *api) {
			_ = api.RegisterCommand(&extension.Command{Name: "review", Handler: func(context.Context, *extension.CommandContext, string) error {
				return errors.New(name)
			}})
			_ = api.RegisterTool(tool("look"))
			_ = api.RegisterTool(tool("only-" + name))
		}
	}
	s := load(t, nil, command("a"), command("b"))
	var names []string
	for _, c := range s.Commands() {
		names = append(names, c.Invocation)
	}
	if !slices.Equal(names, []string{"review:1", "review:2"}) || s.Command("review") != nil {
		t.Errorf("commands %q", names)
	}
	if err := s.RunCommand(t.Context(), s.Command("review:2"), ""); err == nil || err.Error() != "b" {
		t.Errorf("review:2: %v", err)
	}
	if s.String() != "command:review:2 command failed: b" {
		t.Error(s)
	}
	names = nil
	for _, tool := range s.Tools() {
		names = append(names, tool.Name+" of "+tool.Source.Path)
	}
	if want := []string{"look of <a>", "only-a of <a>", "only-b of <b>"}; !slices.Equal(names, want) {
		t.Errorf("tools %q", names)
	}
}

func TestBadRegistrations(t *testing.T) {
	b := &bare{}
	var a *api
	s := load(t, nil, func(api *api) { a = api })
	s.Bind(b)
	run := func(context.Context, *agent.Call) (*agent.ToolResult, error) { return nil, nil }
	for want, err := range map[string]error{
		"there is none":     a.RegisterTool(nil),
		"no parameters":     a.RegisterTool(&extension.Tool{Tool: &agent.Tool{Name: "x", Execute: run}}),
		"up to 64 letters":  a.RegisterTool(&extension.Tool{Tool: &agent.Tool{Name: "a b", Execute: run, Parameters: schema.Empty}}),
		"no function":       a.RegisterTool(&extension.Tool{Tool: &agent.Tool{Name: "x", Parameters: schema.Empty}}),
		"needs a name":      a.RegisterCommand(&extension.Command{}),
		"has no handler":    a.RegisterCommand(&extension.Command{Name: "x"}),
		"a key and a":       a.RegisterShortcut(&extension.Shortcut{Key: "ctrl+x"}),
		"neither a bool":    a.RegisterFlag(&extension.Flag{Name: "x", Default: 7}),
		"a name and a conf": a.RegisterProvider("", nil),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if len(s.Tools()) != 0 || b.changed != 0 {
		t.Error("something bad is registered")
	}
	if err := a.RegisterTool(tool("good")); err != nil || b.changed != 1 {
		t.Errorf("%v, the session was told %d times", err, b.changed)
	}
}

func TestFlags(t *testing.T) {
	var a, other *api
	load(t, &extension.Options{Flags: map[string]any{"depth": "4"}}, func(api *api) {
		a = api
		_ = api.RegisterFlag(&extension.Flag{Name: "plan", Default: false})
		_ = api.RegisterFlag(&extension.Flag{Name: "depth"})
	}, func(api *api) { other = api })
	if got := fmt.Sprint(a.Flag("plan"), a.Flag("depth"), a.Flag("none"), other.Flag("plan")); got != "false4<nil> <nil>" {
		t.Error(got)
	}
}

func TestBus(t *testing.T) {
	var got recorder
	var a *api
	s := load(t, nil, func(api *api) { a = api }, func(api *api) {
		api.Events().On("ping", func(any) { panic("broken") })
		var off func()
		off = api.Events().On("ping", func(data any) {
			got.add("%v", data)
			if data == "two" {
				off()
			}
		})
	})
	for _, data := range []string{"one", "two", "three"} {
		a.Events().Emit("ping", data)
	}
	if got.String() != "one, two" || strings.Count(s.String(), "<b> events:ping failed: panic: broken") != 3 {
		t.Errorf("%s; %s", got.String(), s)
	}
}

// A renderer that panics is reported, and the thing is shown as any.
func TestRenderers(t *testing.T) {
	s := load(t, nil, func(api *api) {
		_ = api.RegisterMessageRenderer("m", func(jsontext.Value, bool, extension.Theme) extension.Component { panic("broken") })
		_ = api.RegisterMarkdownTransformer(func(text string, about extension.MarkdownContext) string {
			return text + " " + about.MessageType
		})
	})
	if s.RenderMessage("m", nil, false, extension.PlainTheme{}) != nil || s.RenderMessage("other", nil, false, extension.PlainTheme{}) != nil {
		t.Error("there is a component")
	}
	if text := s.TransformMarkdown("text", extension.MarkdownContext{MessageType: "user"}); text != "text user" {
		t.Error(text)
	}
	if s.String() != "<a> message renderer m failed: panic: broken" {
		t.Error(s)
	}
}

func TestExec(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	dir := t.TempDir()
	s := load(t, &extension.Options{CWD: dir}, func(api *api) {
		res, err := api.Exec(t.Context(), "sh", []string{"-c", "echo out; echo err >&2; touch here; exit 3"}, extension.ExecOptions{})
		if err != nil || res.Stdout != "out\n" || res.Stderr != "err\n" || res.Code != 3 || res.Killed {
			t.Errorf("%+v %v", res, err)
		}
		res, err = api.Exec(t.Context(), "ls", nil, extension.ExecOptions{})
		if err != nil || res.Stdout != "here\n" {
			t.Errorf("%+v %v", res, err)
		}
		begin := time.Now()
		res, err = api.Exec(t.Context(), "sh", []string{"-c", "sleep 20 & sleep 20"}, extension.ExecOptions{Timeout: 50 * time.Millisecond})
		if err != nil || !res.Killed || res.Code == 0 || time.Since(begin) > 10*time.Second {
			t.Errorf("%+v %v after %v", res, err, time.Since(begin))
		}
		res, err = api.Exec(t.Context(), "sh", []string{"-c", "echo 123456789"}, extension.ExecOptions{MaxBuffer: 4})
		if err != nil || res.Stdout != "1234" || !res.Truncated {
			t.Errorf("%+v %v", res, err)
		}
		if _, err = api.Exec(t.Context(), "/no/program", nil, extension.ExecOptions{}); err == nil {
			t.Error("what does not exist has run")
		}
	})
	_ = s
}

// hostOf counts what it is asked for.
type hostOf struct{ loaded, closed *int }

func (h hostOf) Load(_ context.Context, path string) (extension.Factory, error) {
	*h.loaded++
	return func(_ context.Context, api *api) error {
		if strings.Contains(path, "bad") {
			return errors.New("bad")
		}
		return nil
	}, nil
}

func (h hostOf) Close() error { *h.closed++; return nil }

// A host is opened when the first of its files is loaded, serves them all, and is closed once.
func TestHosts(t *testing.T) {
	var opened, loaded, closed int
	r := extension.NewRunner(&extension.Options{Hosts: []extension.HostKind{{Suffixes: []string{".ts", ".js"}, Open: func(*extension.Options) (extension.Host, error) {
		opened++
		return hostOf{&loaded, &closed}, nil
	}}}})
	if opened != 0 {
		t.Error("the host was opened before it is needed")
	}
	failed := r.Load(t.Context(), extension.Source{Path: "/a.ts"}, extension.Source{Path: "/b.JS"}, extension.Source{Path: "/bad.ts"}, extension.Source{Path: "/c.txt"})
	if len(failed) != 2 || opened != 1 || loaded != 3 {
		t.Errorf("%v, opened %d, loaded %d", failed, opened, loaded)
	}
	if err := errors.Join(r.Close(t.Context()), r.Close(t.Context())); err != nil || closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
}

// A nil runner has no extensions.
func TestNilRunner(t *testing.T) {
	var r *extension.Runner
	m := agent.User("hello")
	if r.MessageEnd(t.Context(), m) != agent.Message(m) || r.Has(extension.KindInput) || !r.Empty() || len(r.Tools())+len(r.Commands())+len(r.Shortcuts())+len(r.Flags()) != 0 {
		t.Error("a nil runner is not empty")
	}
	r.Emit(t.Context(), &extension.AgentStart{})
	r.Fire(t.Context(), &extension.SessionInfoChanged{}, time.Hour)
	r.SetUI(nil, extension.ModeRPC)
	r.Report(&extension.Error{})
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := r.Context(t.Context(), []agent.Message{m}); len(got) != 1 {
		t.Error("messages are gone")
	}
}

// Who loses a tool, a flag or a key to an extension before it is told.
func TestConflictsAreTold(t *testing.T) {
	same := func(key string) func(*api) {
		return func(api *api) {
			_ = api.RegisterTool(tool("look"))
			_ = api.RegisterFlag(&extension.Flag{Name: "depth"})
			_ = api.RegisterShortcut(&extension.Shortcut{Key: key, Handler: func(context.Context, *x) error { return nil }})
		}
	}
	s := load(t, nil, same("ctrl+shift+x"), same("Shift+Ctrl+X"), func(api *api) { _ = api.RegisterTool(tool("other")) })
	want := []string{
		`the tool "look" of <b> is not used: <a> has one of this name`,
		`the flag --depth of <b> is not used: <a> has one of this name`,
		`the key Shift+Ctrl+X of <b> is not used: <a> has it`,
	}
	if got := s.Conflicts(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A command whose completions panic or fail is one without completions.
func TestLaw_X2_CompletionsFail(t *testing.T) {
	s := load(t, nil, func(api *api) {
		_ = api.RegisterCommand(&extension.Command{
			Name: "go", Handler: func(context.Context, *extension.CommandContext, string) error { return nil },
			Completions: func(_ context.Context, prefix string) ([]extension.AutocompleteItem, error) {
				if prefix == "p" {
					panic("oh")
				}
				return []extension.AutocompleteItem{{Value: prefix}}, nil
			},
		})
	})
	if items := s.Complete(t.Context(), s.Command("go"), "x"); len(items) != 1 || items[0].Value != "x" {
		t.Errorf("%v", items)
	}
	if items := s.Complete(t.Context(), s.Command("go"), "p"); items != nil || s.String() != "<a> completions of go failed: panic: oh" {
		t.Errorf("%v; %s", items, s)
	}
}
