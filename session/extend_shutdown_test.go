package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// lives is a runtime over files whose sessions have an extension each; the diary tells when an
// instance is made, begins and ends. opening may fail.
func lives(t *testing.T, d *diary, p *llm, opening *error, more func(api *api), change ...func(*session.RuntimeOptions)) *session.Runtime {
	t.Helper()
	factory := func(api *api) {
		d.add("factory")
		extension.Observe(api, func(_ context.Context, _ *extx, e *extension.SessionStart) error {
			d.add("start %s", e.Reason)
			return nil
		})
		extension.Observe(api, func(_ context.Context, x *extx, e *extension.SessionShutdown) error {
			d.add("shutdown %s", e.Reason)
			return x.Err()
		})
		if more != nil {
			more(api)
		}
	}
	open := func(store transcript.Store) (*session.Session, error) {
		e := loaded(t, factory)
		if *opening != nil {
			return nil, *opening
		}
		return session.New(store, &session.Options{CWD: store.Header().CWD, Stream: p.stream, Model: labModel, Extensions: e})
	}
	header := transcript.NewHeader(t.TempDir())
	store, err := jsonl.Create(filepath.Join(t.TempDir(), jsonl.FileName(header)), header, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := open(store)
	if err != nil {
		t.Fatal(err)
	}
	opts := &session.RuntimeOptions{Repository: jsonl.Files{}, Open: open}
	for _, set := range change {
		set(opts)
	}
	rt := session.NewRuntime(first, opts)
	t.Cleanup(func() {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	rt.Attach(t.Context(), session.Frontend{Mode: extension.ModeRPC, OnError: func(err *extension.Error) { d.add("%s failed: %v", err.Event, err.Err) }})
	return rt
}

// An instance is told that it ends before the next one is made, so that what it gives
// up there, such as a port or a file, is free.
func TestAnInstanceEndsBeforeTheNextIsMade(t *testing.T) {
	var d diary
	var opening error
	rt := lives(t, &d, &llm{replies: []answerFunc{saying("one", 10)}}, &opening, nil)
	prompt(t, rt, "first")
	file := rt.Session().Store().Path()
	if err := errors.Join(rt.Reload(t.Context()), rt.New(t.Context(), ""), rt.Switch(t.Context(), file), rt.Clone(t.Context())); err != nil {
		t.Fatal(err)
	}
	want := "factory, start startup, shutdown reload, factory, start reload, shutdown new, factory, start new, " +
		"shutdown resume, factory, start resume, shutdown fork, factory, start fork"
	if d.String() != want {
		t.Errorf("got  %s\nwant %s", d.String(), want)
	}
}

// If the next session cannot be opened, the extensions begin anew with the old one.
func TestAnInstanceGoesOnIfTheNextCannotBeMade(t *testing.T) {
	var d diary
	var opening error
	rt := lives(t, &d, &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}, &opening, nil)
	prompt(t, rt, "first")
	old := rt.Session()
	opening = errors.New("no tools today")
	if err := rt.New(t.Context(), ""); !errors.Is(err, opening) {
		t.Fatal(err)
	}
	opening = nil
	if rt.Session() != old {
		t.Fatal("the session was replaced")
	}
	prompt(t, rt, "second")
	if err := rt.New(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	want := "factory, start startup, shutdown new, factory, start reload, shutdown new, factory, start new"
	if d.String() != want {
		t.Errorf("got  %s\nwant %s", d.String(), want)
	}
}

// What an extension keeps when it is told that its session ends is kept, and no run begins.
func TestAnEndingSessionKeepsWhatExtensionsSay(t *testing.T) {
	for _, reason := range []extension.StartReason{extension.ReasonNew, extension.ReasonReload, extension.ReasonQuit} {
		t.Run(string(reason), func(t *testing.T) {
			var d diary
			var opening error
			rt := lives(t, &d, &llm{replies: []answerFunc{saying("one", 10)}}, &opening, func(api *api) {
				extension.Observe(api, func(ctx context.Context, x *extx, e *extension.SessionShutdown) error {
					if e.Reason != reason {
						return nil
					}
					_, err := api.AppendEntry("state", jsontext.Value(`{"n":1}`))
					s, _ := x.Session()
					note := &extension.CustomMessage{CustomType: "note", Content: extension.Content{Text: "bye"}, Display: true}
					err = errors.Join(err, api.SetSessionName(ctx, "over"), api.SetLabel(s.LeafID(), "end"), api.SendMessage(note, extension.SendOptions{}))
					if api.SendMessage(note, extension.SendOptions{TriggerTurn: new(true)}) == nil {
						err = errors.Join(err, errors.New("a run begins"))
					}
					return err
				})
			})
			prompt(t, rt, "first")
			old := rt.Session().Store()
			switch reason {
			case extension.ReasonNew:
				_ = rt.New(t.Context(), "")
			case extension.ReasonReload:
				_ = rt.Reload(t.Context())
			default:
				_ = rt.Close(t.Context())
			}
			if strings.Contains(d.String(), "failed") {
				t.Error(d.String())
			}
			store, err := jsonl.Files{}.Read(old.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			var types []string
			for e, err := range store.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				types = append(types, e.Type())
			}
			if got := types[len(types)-4:]; !slices.Equal(got, []string{"custom", "session_info", "label", "custom_message"}) {
				t.Errorf("the file ends with %v", got)
			}
		})
	}
}

// A reload while a handler hangs fails in time, and the session goes on.
func TestAReloadDoesNotWaitForEver(t *testing.T) {
	var d diary
	var opening error
	release, hangs := make(chan struct{}), make(chan struct{})
	rt := lives(t, &d, &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}, &opening, func(api *api) {
		extension.Observe(api, func(context.Context, *extx, *extension.AgentSettled) error {
			select {
			case <-hangs:
			default:
				close(hangs)
				<-release
			}
			return nil
		})
	}, func(o *session.RuntimeOptions) { o.CloseTimeout = 50 * time.Millisecond })
	old := rt.Session()
	if _, err := old.Start(session.Prompt{Text: "first"}); err != nil {
		t.Fatal(err)
	}
	<-hangs
	if err := rt.Reload(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the reload: %v", err)
	}
	close(release)
	if rt.Session() != old {
		t.Fatal("the session was replaced")
	}
	prompt(t, rt, "second")
	if d.String() != "factory, start startup, shutdown reload, start reload" {
		t.Error(d.String())
	}
}

// Report #6234 of Pi, law L8: a handler that hangs when the session has settled holds up neither an
// abort nor the end.
func TestLaw_L8_AHangAtTheEndOfARun(t *testing.T) {
	for name, end := range map[string]func(context.Context, *session.Session) error{
		"abort": func(ctx context.Context, s *session.Session) error { return s.Abort(ctx) },
		"close": func(ctx context.Context, s *session.Session) error { return s.Close(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var d diary
				release := make(chan struct{})
				p := &llm{replies: []answerFunc{saying("one", 10)}}
				s := extended(t, &d, p, session.Options{}, func(api *api) {
					extension.Observe(api, func(context.Context, *extx, *extension.AgentSettled) error { <-release; return nil })
				})
				defer close(release)
				a, err := s.Start(session.Prompt{Text: "go"})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				begun := time.Now()
				if err := end(t.Context(), s); err != nil || time.Since(begun) > 5*time.Second {
					t.Errorf("%v after %v", err, time.Since(begun))
				}
				if _, err := a.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
