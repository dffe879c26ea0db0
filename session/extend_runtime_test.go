package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// shown begins a runtime over files whose sessions have an extension each, freshly loaded.
func shown(t *testing.T, d *diary, p *llm, factory func(api *api)) *session.Runtime {
	t.Helper()
	dir := t.TempDir()
	open := func(store transcript.Store) (*session.Session, error) {
		return session.New(store, &session.Options{CWD: store.Header().CWD, Stream: p.stream, Model: labModel, Extensions: loaded(t, factory)})
	}
	header := transcript.NewHeader(t.TempDir())
	store, err := jsonl.Create(filepath.Join(dir, jsonl.FileName(header)), header, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := open(store)
	if err != nil {
		t.Fatal(err)
	}
	rt := session.NewRuntime(first, &session.RuntimeOptions{Repository: jsonl.Files{}, Open: open})
	t.Cleanup(func() {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	rt.Attach(t.Context(), session.Frontend{Mode: extension.ModeRPC, OnError: func(err *extension.Error) { d.add("%s failed: %v", err.Event, err.Err) }})
	return rt
}

func prompt(t *testing.T, rt *session.Runtime, text string) {
	t.Helper()
	if _, err := rt.Session().Prompt(t.Context(), session.Prompt{Text: text}); err != nil {
		t.Fatal(err)
	}
}

// A command opens a session, fills it, and goes on there with the context that it gets. Its
// own is stale then.
func TestACommandOpensASession(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}
	rt := shown(t, &d, p, func(api *api) {
		_ = api.RegisterCommand(&extension.Command{Name: "fresh", Handler: func(ctx context.Context, x *extension.CommandContext, args string) error {
			cancelled, err := x.NewSession(ctx, extension.NewSessionOptions{
				Setup: func(_ context.Context, w extension.Writer) error {
					raw := jsontext.Value(`{"type":"message","message":{"role":"user","content":[{"type":"text","text":"carried over"}],"timestamp":1}}`)
					id, err := w.Append(raw)
					if err == nil && w.Entry(id) == nil {
						err = errors.New("the entry is not there")
					}
					return err
				},
				With: func(ctx context.Context, next *extension.CommandContext) error {
					d.add("old %v, new idle %v", x.Err(), next.Idle())
					return next.SendUserMessage(ctx, &extension.UserMessage{Content: extension.Content{Text: "go on " + args}})
				},
			})
			d.add("cancelled %v, cause %v", cancelled, context.Cause(ctx))
			return err
		}})
	})
	prompt(t, rt, "first")
	old := rt.Session()
	prompt(t, rt, "/fresh now")
	if err := rt.Session().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rt.Session() == old {
		t.Fatal("the session is the old one")
	}
	if got := strings.Join(inStore(t, rt.Session().Store()), " "); got != "user:carried over user:go on now assistant:two" {
		t.Error(got)
	}
	if want := fmt.Sprintf("old %v, new idle true, cancelled false, cause <nil>", extension.ErrStale); d.String() != want {
		t.Error(d.String())
	}
}

// Each session has its own instance, which is told why it begins and ends.
func TestShutdownReasons(t *testing.T) {
	var d diary
	instances := 0
	p := &llm{replies: []answerFunc{saying("one", 10)}}
	rt := shown(t, &d, p, func(api *api) {
		instances++
		own := instances
		extension.Observe(api, func(_ context.Context, _ *extx, e *extension.SessionStart) error {
			d.add("%d starts %s %v", own, e.Reason, e.PreviousSessionFile != "")
			return nil
		})
		extension.Observe(api, func(_ context.Context, x *extx, e *extension.SessionShutdown) error {
			d.add("%d ends %s %v", own, e.Reason, e.TargetSessionFile != "")
			return x.Err() // it can still act
		})
		extension.On(api, func(_ context.Context, _ *extx, e *extension.SessionBeforeFork) (*extension.ForkResult, error) {
			d.add("%d fork %s", own, e.Position)
			return nil, nil
		})
		extension.On(api, func(_ context.Context, _ *extx, e *extension.ResourcesDiscover) (*extension.ResourcesDiscoverResult, error) {
			d.add("%d discovers %s", own, e.Reason)
			return nil, nil
		})
	})
	prompt(t, rt, "first")
	if err := errors.Join(rt.New(t.Context(), ""), rt.Reload(t.Context())); err != nil {
		t.Fatal(err)
	}
	prompt(t, rt, "second")
	if err := rt.Clone(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "1 starts startup false, 1 discovers startup, 1 ends new true, 2 starts new true, 2 discovers startup, " +
		"2 ends reload true, 3 starts reload true, 3 discovers reload, 3 fork at, 3 ends fork true, 4 starts fork true, 4 discovers startup, 4 ends quit false"
	if d.String() != want {
		t.Errorf("got  %s\nwant %s", d.String(), want)
	}
}

func TestAReplacementIsCalledOff(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}
	rt := shown(t, &d, p, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.SessionBeforeSwitch) (*extension.SwitchResult, error) {
			d.add("%s %q", e.Reason, e.TargetSessionFile)
			return &extension.SwitchResult{Cancel: true}, nil
		})
		extension.Observe(api, func(_ context.Context, _ *extx, e *extension.SessionShutdown) error {
			d.add("shutdown %s", e.Reason)
			return nil
		})
	})
	prompt(t, rt, "first")
	if err := rt.New(t.Context(), ""); !errors.Is(err, session.ErrCancelled) {
		t.Errorf("New: %v", err)
	}
	prompt(t, rt, "second")
	if d.String() != `new ""` {
		t.Error(d.String())
	}
}

// A reload makes the session anew where it is: what was said stays, also on another branch.
func TestReload(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}
	rt := shown(t, &d, p, func(api *api) {
		_ = api.RegisterCommand(&extension.Command{Name: "again", Handler: func(ctx context.Context, x *extension.CommandContext, _ string) error {
			return x.Reload(ctx)
		}})
	})
	prompt(t, rt, "first")
	prompt(t, rt, "second")
	messages, err := session.ForkMessages(rt.Session().Store())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Session().Navigate(t.Context(), messages[1].EntryID, nil); err != nil {
		t.Fatal(err)
	}
	old := rt.Session()
	prompt(t, rt, "/again")
	if rt.Session() == old || d.String() != "" {
		t.Errorf("not reloaded: %s", d.String())
	}
	var said []string
	for _, m := range rt.Session().Messages() {
		switch m := m.(type) {
		case *ai.UserMessage:
			said = append(said, m.Content.Text())
		case *ai.AssistantMessage:
			said = append(said, m.Content.Text())
		}
	}
	if got := strings.Join(said, " "); got != "first one" {
		t.Error(got)
	}
	prompt(t, rt, "third")
}

// An extension ends the program when the session has settled.
func TestShutdown(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{saying("one", 10)}}
	ended := make(chan struct{})
	var s *session.Session
	s = extended(t, &d, p, session.Options{}, func(api *api) {
		extension.Observe(api, func(_ context.Context, x *extx, _ *extension.TurnStart) error {
			return errors.Join(x.Shutdown(), x.Shutdown())
		})
	})
	s.Attach(session.Frontend{Shutdown: func() { d.add("busy %v", s.State().Busy); close(ended) }})
	mustPrompt(t, s, "go")
	<-ended
	if d.String() != "busy false" {
		t.Error(d.String())
	}
}

// A handler that sends a command does not wait for it, so that the command can wait for the run,
// and put another session in the place of this one.
func TestAHandlerSendsACommand(t *testing.T) {
	for _, asked := range []bool{false, true} {
		t.Run(fmt.Sprintf("input is asked about %v", asked), func(t *testing.T) {
			var d diary
			p := &llm{replies: []answerFunc{saying("one", 10)}}
			done := make(chan error, 1)
			rt := shown(t, &d, p, func(api *api) {
				if asked {
					extension.On(api, func(context.Context, *extx, *extension.Input) (*extension.InputResult, error) { return nil, nil })
				}
				extension.On(api, func(context.Context, *extx, *extension.TurnEnd) (*extension.TurnEndResult, error) {
					return nil, api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "/fresh"}, Expand: true})
				})
				_ = api.RegisterCommand(&extension.Command{Name: "fresh", Handler: func(ctx context.Context, x *extension.CommandContext, _ string) error {
					err := x.Wait(ctx)
					if err == nil {
						_, err = x.NewSession(ctx, extension.NewSessionOptions{})
					}
					done <- err
					return err
				}})
			})
			old := rt.Session()
			prompt(t, rt, "first")
			if err := <-done; err != nil || rt.Session() == old {
				t.Errorf("%v; replaced %v", err, rt.Session() != old)
			}
			if d.String() != "" {
				t.Error(d.String())
			}
		})
	}
}
