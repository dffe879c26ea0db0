package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/transcript"
)

type (
	api  = extension.API
	extx = extension.Context
)

// diary keeps what has happened, in order.
type diary struct {
	mu   sync.Mutex
	list []string
}

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, fmt.Sprintf(format, args...))
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.list, ", ")
}

// extended opens a session with extensions, whose failures go to the diary, and begins it.
func extended(t *testing.T, d *diary, p *llm, opts session.Options, factories ...func(*api)) *session.Session {
	t.Helper()
	opts.Extensions = loaded(t, factories...)
	s := openOver(t, inMemory(), p, opts)
	s.Attach(session.Frontend{Mode: extension.ModeRPC, OnError: func(err *extension.Error) { d.add("%s %s failed: %v", err.Path, err.Event, err.Err) }})
	s.Begin(t.Context(), extension.ReasonStartup, "")
	return s
}

func loaded(t *testing.T, factories ...func(*api)) *extension.Runner {
	t.Helper()
	r := extension.NewRunner(&extension.Options{CWD: "/"})
	for i, factory := range factories {
		source := extension.Builtin(string(rune('a'+i)), func(_ context.Context, api *api) error { factory(api); return nil })
		for _, err := range r.Load(t.Context(), source) {
			t.Fatal(err)
		}
	}
	return r
}

func observing[E extension.Event](d *diary, note func(e E) string) func(*api) {
	return func(api *api) {
		extension.Observe(api, func(_ context.Context, _ *extx, e E) error { d.add("%s", note(e)); return nil })
	}
}

// For one event the extensions come first, then the subscribers, then the store.
func TestLaw_S1_ExtensionsComeFirst(t *testing.T) {
	var d diary
	var s *session.Session
	p := &llm{replies: []answerFunc{saying("one", 10)}}
	s = extended(t, &d, p, session.Options{}, func(api *api) {
		extension.Observe(api, func(_ context.Context, _ *extx, e *extension.MessageEnd) error {
			time.Sleep(time.Millisecond)
			d.add("extension %s, %d stored", e.Message.Role(), len(inStore(t, s.Store())))
			return nil
		})
	})
	before := len(inStore(t, s.Store()))
	s.Subscribe(func(ev event.Event) {
		if e, ok := ev.(*agent.MessageEnd); ok {
			d.add("subscriber %s, %d stored", e.Message.Role(), len(inStore(t, s.Store())))
		}
	})
	mustPrompt(t, s, "go")
	want := fmt.Sprintf("extension user, %d stored, subscriber user, %[1]d stored, extension assistant, %d stored, subscriber assistant, %[2]d stored", before, before+1)
	if d.String() != want {
		t.Errorf("got  %s\nwant %s", d.String(), want)
	}
}

// Every event of a run with a call, as an extension sees it.
func TestLifecycle(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("done", 10)}}
	opts := session.Options{Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}}
	names := []string{
		"session_start", "agent_start", "agent_end", "agent_before_settle", "agent_settled", "turn_start", "turn_end", "message_start", "message_end",
		"tool_execution_start", "tool_execution_end", "tool_call", "tool_result", "context", "before_agent_start", "input", "session_shutdown",
	}
	s := extended(t, &d, p, opts, func(api *api) {
		for _, name := range names {
			_, _ = api.OnJSON(name, func(context.Context, *extx, *extension.Envelope) (extension.Reply, error) {
				d.add("%s", name)
				return extension.Reply{}, nil
			})
		}
	})
	mustPrompt(t, s, "go")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "session_start, input, before_agent_start, agent_start, turn_start, message_start, message_end, context, message_start, message_end, " +
		"tool_execution_start, tool_call, tool_result, tool_execution_end, message_start, message_end, turn_end, " +
		"turn_start, context, message_start, message_end, turn_end, agent_end, agent_before_settle, agent_settled, session_shutdown"
	if d.String() != want {
		t.Errorf("got  %s\nwant %s", d.String(), want)
	}
}

// agent_settled panics: that is reported, and the session is idle.
func TestAFailureAtTheEnd(t *testing.T) {
	var d diary
	s := extended(t, &d, &llm{replies: []answerFunc{saying("one", 10)}}, session.Options{}, func(api *api) {
		extension.Observe(api, func(context.Context, *extx, *extension.AgentSettled) error { panic("broken") })
	})
	mustPrompt(t, s, "go")
	if s.State().Busy || d.String() != "<a> agent_settled failed: panic: broken" {
		t.Errorf("busy %v; %s", s.State().Busy, d.String())
	}
	mustPrompt(t, s, "again")
}

// The system prompt of a run is one and the same in all of its requests.
func TestTheSystemPromptIsStable(t *testing.T) {
	var d diary
	n := 0
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("two", 10), saying("three", 10)}}
	opts := session.Options{SystemPrompt: "base", Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}}
	s := extended(t, &d, p, opts, func(api *api) {
		extension.On(api, func(context.Context, *extx, *extension.BeforeAgentStart) (*extension.BeforeAgentStartResult, error) {
			if n++; n > 1 {
				return nil, nil
			}
			prompt := "base and section"
			return &extension.BeforeAgentStartResult{SystemPrompt: &prompt}, nil
		})
	}, func(api *api) {
		extension.Observe(api, func(_ context.Context, x *extx, e *extension.BeforeAgentStart) error {
			d.add("%v", x.SystemPrompt() == e.SystemPrompt)
			return nil
		})
	})
	mustPrompt(t, s, "one")
	mustPrompt(t, s, "two")
	var prompts []string
	for _, req := range p.asked {
		prompts = append(prompts, req.Context.SystemPrompt)
	}
	if !slices.Equal(prompts, []string{"base and section", "base and section", "base"}) || d.String() != "true, true" {
		t.Errorf("%q; %s", prompts, d.String())
	}
}

// A compaction that an extension asks for during a run comes between two of its turns, and
// the run goes on.
func TestCompactionIsDeferred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		p := &llm{replies: []answerFunc{saying("first answer", 10), calling("c1", "look", "{}", 10), saying("done", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
		opts := session.Options{Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}, Compaction: keeping(3)}
		s := extended(t, &d, p, opts, func(api *api) {
			extension.Observe(api, func(_ context.Context, x *extx, e *extension.TurnEnd) error {
				if len(e.ToolResults) == 0 {
					return nil
				}
				return x.Compact("", func(_ jsontext.Value, err error) { d.add("compacted: %v", err) })
			})
		})
		l := logPolicy(s)
		mustPrompt(t, s, "one")
		mustPrompt(t, s, "two")
		synctest.Wait()
		if d.String() != "compacted: <nil>" || s.LastAnswer().Content.Text() != "done" {
			t.Errorf("%s; %s", d.String(), l)
		}
		if got := l.String(); !strings.Contains(got, "compact(manual), compacted") || l.count("settled") != 2 {
			t.Error(got)
		}
	})
}

func TestTurnEndDecides(t *testing.T) {
	for action, requests := range map[string]int{"": 2, "end": 1, "continue": 3} {
		t.Run("action "+action, func(t *testing.T) {
			var d diary
			p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("two", 10), saying("three", 10)}}
			s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}}, func(api *api) {
				extension.On(api, func(_ context.Context, _ *extx, e *extension.TurnEnd) (*extension.TurnEndResult, error) {
					d.add("%d", e.TurnIndex)
					if e.TurnIndex > 1 {
						return nil, nil
					}
					return &extension.TurnEndResult{Action: action}, nil
				})
			})
			mustPrompt(t, s, "go")
			if len(p.asked) != requests || len(strings.Split(d.String(), ", ")) != requests {
				t.Errorf("%d requests, turns %s", len(p.asked), d.String())
			}
		})
	}
}

func TestUserBashOfExtensions(t *testing.T) {
	var d diary
	s := extended(t, &d, &llm{}, session.Options{}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.UserBash) (*extension.UserBashResult, error) {
			switch e.Command {
			case "fake":
				zero := 0
				return &extension.UserBashResult{Result: &bash.Result{Output: "made up", ExitCode: &zero}}, nil
			case "elsewhere":
				return &extension.UserBashResult{Exec: func(_ context.Context, cmd *host.Command, output func([]byte)) (host.Exit, error) {
					output([]byte("would run " + cmd.Text))
					return host.Exit{Code: 5}, nil
				}}, nil
			}
			return nil, errors.New("the container is gone")
		})
	})
	for command, want := range map[string]string{"fake": "made up 0", "elsewhere": "would run elsewhere 5"} {
		r, err := s.RunBash(t.Context(), session.BashCommand{Text: command})
		if err != nil || fmt.Sprintf("%s %d", r.Output, *r.ExitCode) != want {
			t.Errorf("%s: %+v %v", command, r, err)
		}
	}
	if _, err := s.RunBash(t.Context(), session.BashCommand{Text: "echo real"}); err == nil || !strings.Contains(err.Error(), "the container is gone") {
		t.Errorf("the command has run: %v", err)
	}
}

func TestCompactionOfExtensions(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(e *extension.SessionBeforeCompact) *extension.CompactResult
		want   string
	}{
		"cancelled": {
			func(*extension.SessionBeforeCompact) *extension.CompactResult {
				return &extension.CompactResult{Cancel: true}
			},
			"asked manual be short, failed aborted true by extension false",
		},
		"made": {func(e *extension.SessionBeforeCompact) *extension.CompactResult {
			p := e.Preparation
			return &extension.CompactResult{Compaction: &extension.CustomCompaction{Summary: "MINE", FirstKeptEntryID: p.FirstKeptEntryID, TokensBefore: p.TokensBefore}}
		}, "asked manual be short, compacted by extension true"},
		"made badly": {func(*extension.SessionBeforeCompact) *extension.CompactResult {
			return &extension.CompactResult{Compaction: &extension.CustomCompaction{Summary: "MINE", FirstKeptEntryID: "nowhere"}}
		}, "asked manual be short, failed aborted false by extension true"},
		"no opinion": {
			func(*extension.SessionBeforeCompact) *extension.CompactResult { return nil },
			"asked manual be short, compacted by extension false",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var d diary
			p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
			s := extended(t, &d, p, session.Options{Compaction: keeping(3)}, func(api *api) {
				extension.On(api, func(_ context.Context, _ *extx, e *extension.SessionBeforeCompact) (*extension.CompactResult, error) {
					d.add("asked %s %s", e.Reason, e.CustomInstructions)
					return c.answer(e), nil
				})
			}, observing(&d, func(e *extension.SessionCompact) string {
				return fmt.Sprint("compacted by extension ", e.FromExtension)
			}),
				observing(&d, func(e *extension.SessionCompactFailed) string {
					return fmt.Sprint("failed aborted ", e.Aborted, " by extension ", e.FromExtension)
				}))
			mustPrompt(t, s, "first question")
			mustPrompt(t, s, "second question")
			_, err := s.Compact(t.Context(), "be short")
			if d.String() != c.want || (err == nil) != strings.Contains(c.want, "compacted") {
				t.Errorf("%s: %v", d.String(), err)
			}
			for e := range s.Store().Entries(transcript.TypeCompaction) {
				if entry := e.(*transcript.CompactionEntry); entry.FromHook != (entry.Summary == "MINE") {
					t.Errorf("%+v", entry)
				}
			}
		})
	}
}

func TestNavigationOfExtensions(t *testing.T) {
	var d diary
	cancel := true
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.SessionBeforeTree) (*extension.TreeResult, error) {
			d.add("leaves %d entries, summary %v", len(e.Preparation.EntriesToSummarize), e.Preparation.UserWantsSummary)
			if cancel {
				return &extension.TreeResult{Cancel: true}, nil
			}
			label := "here"
			return &extension.TreeResult{Summary: &extension.BranchSummary{Summary: "MINE"}, Label: &label}, nil
		})
	}, observing(&d, func(e *extension.SessionTree) string {
		return fmt.Sprint("went, summary by extension ", e.FromExtension)
	}))
	mustPrompt(t, s, "first")
	mustPrompt(t, s, "second")
	messages, err := session.ForkMessages(s.Store())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Navigate(t.Context(), messages[1].EntryID, nil); !errors.Is(err, session.ErrCancelled) {
		t.Errorf("Navigate: %v", err)
	}
	cancel = false
	went, err := s.Navigate(t.Context(), messages[1].EntryID, &session.Navigation{Summarize: true})
	if err != nil || went.Text != "second" || went.Summary == nil || went.Summary.Summary != "MINE" || !went.Summary.FromHook {
		t.Fatalf("%+v %v", went, err)
	}
	if d.String() != "leaves 2 entries, summary false, leaves 2 entries, summary true, went, summary by extension true" {
		t.Error(d.String())
	}
	if labels, _ := transcript.Labels(s.Store()); len(labels) != 1 || labels[0].Label != "here" {
		t.Errorf("%+v", labels)
	}
}

// The results of what a close aborts are stored before the extensions are told that the
// session ends, and they can still read it then.
func TestShutdownComesAfterTheResults(t *testing.T) {
	var d diary
	started := make(chan struct{})
	slow := &agent.Tool{Name: "slow", Execute: func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
		close(started)
		<-ctx.Done()
		return agent.TextResult("stopped in time"), nil
	}}
	p := &llm{replies: []answerFunc{calling("c1", "slow", "{}", 10)}}
	s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{slow}}, func(api *api) {
		extension.Observe(api, func(_ context.Context, x *extx, e *extension.SessionShutdown) error {
			s, err := x.Session()
			if err != nil {
				return err
			}
			stored := false
			for _, entry := range s.Entries() {
				stored = stored || strings.Contains(string(entry), "stopped in time")
			}
			d.add("%s, stored %v", e.Reason, stored)
			return nil
		})
	})
	if _, err := s.Start(session.Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-started
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.String() != "quit, stored true" {
		t.Error(d.String())
	}
}

// Events of 1.6: the last chance to queue work, and the provider's stream.
func TestEventsOfPi16(t *testing.T) {
	var d diary
	sent, streamed := false, 0
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		extension.Observe(api, func(_ context.Context, x *extx, _ *extension.AgentBeforeSettle) error {
			d.add("before, idle %v", x.Idle())
			if sent {
				return nil
			}
			sent = true
			return api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "more"}, DeliverAs: extension.FollowUp})
		})
		extension.Observe(api, func(_ context.Context, x *extx, e *extension.AgentSettled) error {
			d.add("settled, idle %v, aborted %v", x.Idle(), e.Aborted)
			return nil
		})
		extension.Observe(api, func(context.Context, *extx, *extension.ProviderStreamEvent) error { streamed++; return nil })
	})
	mustPrompt(t, s, "go")
	if len(p.asked) != 2 || d.String() != "before, idle false, before, idle false, settled, idle true, aborted false" {
		t.Errorf("%d requests; %s", len(p.asked), d.String())
	}
	if streamed < 8 {
		t.Errorf("%d events of the stream", streamed)
	}
}

// Lists of which the system prompt has nothing are empty and not absent, as in Pi 0.85.
func TestSystemPromptOptionsHaveTheirLists(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{saying("one", 10)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.BeforeAgentStart) (*extension.BeforeAgentStartResult, error) {
			raw, err := extension.Encode(e)
			for _, part := range []string{`"contextFiles":[]`, `"skills":[]`} {
				if !strings.Contains(string(raw), part) {
					d.add("no %s in %s", part, raw)
				}
			}
			return nil, err
		})
	})
	mustPrompt(t, s, "go")
	if d.String() != "" {
		t.Error(d.String())
	}
}
