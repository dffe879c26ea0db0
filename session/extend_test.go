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
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/bash"
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
	opts.Extensions = loaded(t, d, factories...)
	s := openOver(t, inMemory(), p, opts)
	s.SetFront(session.Front{Mode: extension.ModeRPC, OnError: func(err *extension.Error) { d.add("%s %s failed: %v", err.Path, err.Event, err.Err) }})
	s.Begin(t.Context(), extension.ReasonStartup, "")
	return s
}

func loaded(t *testing.T, d *diary, factories ...func(*api)) *extension.Runner {
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
	s.Subscribe(func(ev session.Event) {
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
func TestReport_EXT02_AFailureAtTheEnd(t *testing.T) {
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

// In a sequential batch the first result is stored before the second call is checked.
func TestReport_LOOP12_ToolCallSeesTheEarlierResult(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartToolCall("c1", "look"), "{}")
		w.Append(w.StartToolCall("c2", "look"), "{}")
		w.Done(ai.StopToolUse)
		return nil
	}, saying("done", 10)}}
	look := toolReturning("look", func() string { return "seen" })
	look.Mode = agent.Sequential
	s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{look}}, func(api *api) {
		extension.Observe(api, func(_ context.Context, _ *extx, e *extension.MessageEnd) error {
			time.Sleep(5 * time.Millisecond)
			return nil
		})
		extension.Observe(api, func(_ context.Context, x *extx, e *extension.ToolCall) error {
			s, err := x.Session()
			if err != nil {
				return err
			}
			n := 0
			for _, entry := range s.Entries() {
				if strings.Contains(string(entry), `"role":"toolResult"`) {
					n++
				}
			}
			d.add("%s sees %d", e.ToolCallID, n)
			return nil
		})
	})
	mustPrompt(t, s, "go")
	if d.String() != "c1 sees 0, c2 sees 1" {
		t.Error(d.String())
	}
}

// All runs pass before_agent_start, also one that a message of an extension begins.
func TestReport_EXT15_OneWayIn(t *testing.T) {
	var d diary
	var a *api
	p := &llm{replies: []answerFunc{saying("one", 10)}}
	s := extended(t, &d, p, session.Options{SystemPrompt: "base"}, func(api *api) {
		a = api
		extension.On(api, func(_ context.Context, _ *extx, e *extension.BeforeAgentStart) (*extension.BeforeAgentStartResult, error) {
			d.add("%s %s", e.MessageType, e.Prompt)
			return &extension.BeforeAgentStartResult{Message: &extension.CustomMessage{CustomType: "hint", Content: extension.Content{Text: "hint"}}}, nil
		})
	})
	mustPrompt(t, s, "go")
	if err := a.SendMessage(&extension.CustomMessage{CustomType: "note", Content: extension.Content{Text: "act"}}, extension.SendOptions{TriggerTurn: true}); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.String() != "user go, custom act" || len(p.asked) != 2 {
		t.Errorf("%s; %d requests", d.String(), len(p.asked))
	}
	if got := fmt.Sprint(carried(p.asked[1])); got != "[user:go user:hint assistant:one user:act user:hint]" {
		t.Error(got)
	}
}

// The system prompt of a run is one and the same in all of its requests.
func TestReport_EXT17_TheSystemPromptIsStable(t *testing.T) {
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
func TestReport_EXT16_CompactionIsDeferred(t *testing.T) {
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

// The model calls a tool that is not active: it gets a failed result with its events.
func TestReport_EXT18_AToolThatIsNotActive(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "bash", "{}", 10), saying("done", 10)}}
	s := extended(t, &d, p, session.Options{Toolbox: tools.Builtin("/", nil)},
		observing(&d, func(e *extension.ToolExecutionStart) string { return "start " + e.ToolName }),
		observing(&d, func(e *extension.ToolExecutionEnd) string {
			return fmt.Sprintf("end %v %s", e.IsError, e.Result.Content.Text())
		}))
	mustPrompt(t, s, "go")
	if d.String() != "start bash, end true Tool bash not found" {
		t.Error(d.String())
	}
}

// An input that a handler changes into something invalid fails its call, and nothing else.
func TestReport_EXT07_AnInvalidInput(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "read", `{"path":"x"}`, 10), saying("done", 10)}}
	box := tools.Builtin("/", nil)
	s := extended(t, &d, p, session.Options{Tools: tools.Tools(box)}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			e.Input = jsontext.Value(`{"path":7}`)
			return nil, nil
		})
	}, observing(&d, func(e *extension.ToolExecutionEnd) string { return fmt.Sprint("end ", e.IsError) }))
	mustPrompt(t, s, "go")
	if d.String() != "end true" || s.LastAnswer().Content.Text() != "done" {
		t.Error(d.String())
	}
}

// A result of an extension's tool that has not the form of a result is made one, or fails.
func TestReport_SES17_ResultsAreNormal(t *testing.T) {
	for name, c := range map[string]struct {
		result *agent.ToolResult
		want   string
	}{
		"nothing":     {nil, "false "},
		"no content":  {&agent.ToolResult{}, "false "},
		"nil block":   {&agent.ToolResult{Content: ai.Content{nil}}, "true the tool's result is not as it must be"},
		"bad details": {&agent.ToolResult{Details: jsontext.Value(`{"a":`)}, "true the tool's result is not as it must be"},
	} {
		t.Run(name, func(t *testing.T) {
			var d diary
			p := &llm{replies: []answerFunc{calling("c1", "odd", "{}", 10), saying("done", 10)}}
			s := extended(t, &d, p, session.Options{}, func(api *api) {
				err := api.RegisterTool(&extension.Tool{Tool: &agent.Tool{Name: "odd", Parameters: schema.Empty, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
					return c.result, nil
				}}})
				if err != nil {
					t.Error(err)
				}
			}, observing(&d, func(e *extension.ToolExecutionEnd) string {
				return fmt.Sprintf("%v %s", e.IsError, e.Result.Content.Text())
			}))
			mustPrompt(t, s, "go")
			if !strings.HasPrefix(d.String(), c.want) {
				t.Errorf("got %q", d.String())
			}
			for _, m := range s.Messages() {
				if r, ok := m.(*ai.ToolResultMessage); ok && r.Content == nil {
					t.Error("the content is null")
				}
			}
			mustPrompt(t, s, "and on")
		})
	}
}

// The handlers of input see what is queued as well.
func TestReport_QUE10_AllInputsAreAsked(t *testing.T) {
	var d diary
	gate := make(chan struct{})
	p := &llm{replies: []answerFunc{held("one", gate), saying("two", 10)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.Input) (*extension.InputResult, error) {
			d.add("%s %s", e.Text, e.StreamingBehavior)
			if strings.Contains(e.Text, "secret") {
				return &extension.InputResult{Action: "handled"}, nil
			}
			return &extension.InputResult{Action: "transform", Text: e.Text + "!"}, nil
		})
	})
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Queue(session.Prompt{Text: "secret"}, session.Steer); err != nil {
		t.Fatal(err)
	}
	if err := s.Queue(session.Prompt{Text: "more"}, session.FollowUp); err != nil {
		t.Fatal(err)
	}
	_, followUp := s.ClearQueue()
	close(gate)
	if err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.String() != "go , secret steer, more followUp" || !slices.Equal(followUp, []string{"more!"}) {
		t.Errorf("%s; queued %q", d.String(), followUp)
	}
}

// A message that an extension sends when it sees an answer reaches the same run by steering,
// and still has its turn as a follow-up.
func TestReport_QUE13_MessagesAboutAnAnswer(t *testing.T) {
	for _, delivery := range []extension.Delivery{extension.Steer, extension.FollowUp} {
		t.Run(string(delivery), func(t *testing.T) {
			var d diary
			sent := false
			p := &llm{replies: []answerFunc{saying("hm", 10), saying("better", 10)}}
			s := extended(t, &d, p, session.Options{}, func(api *api) {
				extension.Observe(api, func(_ context.Context, _ *extx, e *extension.MessageEnd) error {
					if e.Message.Role() != ai.RoleAssistant || sent {
						return nil
					}
					sent = true
					return api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "continue"}, DeliverAs: delivery})
				})
			}, observing(&d, func(*extension.AgentStart) string { return "run" }))
			mustPrompt(t, s, "go")
			if len(p.asked) != 2 || d.String() != "run" {
				t.Errorf("%d requests; %s", len(p.asked), d.String())
			}
		})
	}
}

// What is sent while other handlers are asked about it counts before the session settles.
func TestASentMessageIsNotStranded(t *testing.T) {
	var d diary
	sent := false
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.Input) (*extension.InputResult, error) {
			time.Sleep(20 * time.Millisecond)
			d.add("%s %s", e.Source, e.Text)
			return nil, nil
		})
		extension.Observe(api, func(context.Context, *extx, *extension.AgentEnd) error {
			if sent {
				return nil
			}
			sent = true
			return api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "more"}, DeliverAs: extension.FollowUp})
		})
	})
	mustPrompt(t, s, "go")
	if len(p.asked) != 2 || d.String() != "interactive go, extension more" {
		t.Errorf("%d requests; %s", len(p.asked), d.String())
	}
}

// Without a delivery a message of the user is refused while the agent works, and that is told.
func TestSendUserMessageNeedsADelivery(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("done", 10)}}
	s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}}, func(api *api) {
		extension.Observe(api, func(context.Context, *extx, *extension.ToolCall) error {
			return api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "lost"}})
		})
	})
	mustPrompt(t, s, "go")
	if !strings.HasPrefix(d.String(), "<runtime> send_user_message failed: the agent is working") {
		t.Error(d.String())
	}
}

func TestMessagesOfExtensions(t *testing.T) {
	var d diary
	var a *api
	note := func(text string) *extension.CustomMessage {
		return &extension.CustomMessage{CustomType: "note", Content: extension.Content{Text: text}, Display: true}
	}
	sent := false
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("two", 10), saying("three", 10), saying("four", 10)}}
	s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}}, func(api *api) {
		a = api
		extension.Observe(api, func(context.Context, *extx, *extension.ToolCall) error {
			if sent {
				return nil
			}
			sent = true
			return errors.Join(api.SendMessage(note("steering"), extension.SendOptions{}),
				api.SendMessage(note("later"), extension.SendOptions{DeliverAs: extension.FollowUp}),
				api.SendMessage(note("next"), extension.SendOptions{DeliverAs: extension.NextTurn, TriggerTurn: true}))
		})
	})
	if err := a.SendMessage(note("idle"), extension.SendOptions{}); err != nil {
		t.Fatal(err)
	}
	mustPrompt(t, s, "go")
	mustPrompt(t, s, "on")
	if len(p.asked) != 4 {
		t.Fatalf("%d requests", len(p.asked))
	}
	for i, want := range []string{
		"[user:idle user:go]",
		"user:steering]",
		"user:steering assistant:two user:later]",
		"assistant:three user:on user:next]",
	} {
		if got := fmt.Sprint(carried(p.asked[i])); !strings.HasSuffix(got, want) {
			t.Errorf("request %d: %s", i, got)
		}
	}
	kept := 0
	for range s.Store().Entries(session.TypeCustomMessage) {
		kept++
	}
	if kept != 4 {
		t.Errorf("%d messages of the extension are kept", kept)
	}
}

func TestActiveTools(t *testing.T) {
	var d diary
	var a *api
	p := &llm{replies: []answerFunc{calling("c1", "unlock", "{}", 10), calling("c2", "hidden", "{}", 10), saying("done", 10), saying("more", 10)}}
	named := func(name string, run func() error) *extension.Tool {
		return &extension.Tool{PromptSnippet: name + "-SNIPPET", Tool: &agent.Tool{Name: name, Parameters: schema.Empty, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
			return agent.TextResult(name), run()
		}}}
	}
	box := tools.Builtin("/", nil)
	s := extended(t, &d, p, session.Options{Tools: tools.Tools(box)[:1], Toolbox: box, Prompt: &session.SystemPrompt{}, PlainTools: true}, func(api *api) {
		a = api
		_ = api.RegisterTool(named("hidden", func() error { return nil }))
		_ = api.RegisterTool(named("unlock", func() error {
			names, err := api.ActiveTools()
			return errors.Join(err, api.SetActiveTools(append(names, "hidden")))
		}))
		extension.Observe(api, func(context.Context, *extx, *extension.SessionStart) error {
			return api.SetActiveTools([]string{"read", "unlock", "nothing"})
		})
	}, observing(&d, func(e *extension.ToolExecutionEnd) string {
		return fmt.Sprintf("%s %v adds %q", e.ToolName, e.IsError, e.Result.AddedToolNames)
	}))
	mustPrompt(t, s, "go")
	if want := `unlock false adds ["hidden"], hidden false adds []`; d.String() != want {
		t.Errorf("got %s", d.String())
	}
	var offered []string
	for _, decl := range p.asked[1].Context.Tools {
		offered = append(offered, decl.Name)
	}
	if !slices.Equal(offered, []string{"read", "unlock", "hidden"}) {
		t.Errorf("the second request offers %q", offered)
	}
	if first, second := p.asked[0].Context.SystemPrompt, p.asked[1].Context.SystemPrompt; strings.Contains(first, "hidden-SNIPPET") || !strings.Contains(second, "hidden-SNIPPET") {
		t.Errorf("%s\n\n%s", first, second)
	}
	if err := a.RegisterTool(named("late", func() error { return nil })); err != nil {
		t.Fatal(err)
	}
	mustPrompt(t, s, "more")
	if !slices.ContainsFunc(p.asked[3].Context.Tools, func(d ai.ToolDecl) bool { return d.Name == "late" }) {
		t.Error("a tool that was registered later is not offered")
	}
	if all, _ := a.AllTools(); len(all) != len(box)+3 || all[0].SourceInfo.Source != "builtin" || all[len(all)-1].SourceInfo.Path != "<a>" {
		t.Errorf("%+v", all)
	}
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
				return &extension.UserBashResult{Exec: func(_ context.Context, cmd *bash.Command, output func([]byte)) (bash.Exit, error) {
					output([]byte("would run " + cmd.Text))
					return bash.Exit{Code: 5}, nil
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
			for e := range s.Store().Entries(session.TypeCompaction) {
				if entry := e.(*session.CompactionEntry); entry.FromHook != (entry.Summary == "MINE") {
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
	if labels, _ := session.Labels(s.Store()); len(labels) != 1 || labels[0].Label != "here" {
		t.Errorf("%+v", labels)
	}
}

func TestModelAndLevelAreTold(t *testing.T) {
	var d diary
	thinker := *labModel
	thinker.ID, thinker.Reasoning = "thinker", true
	s := extended(t, &d, &llm{}, session.Options{},
		observing(&d, func(e *extension.ModelSelect) string {
			return e.PreviousModel.ID + ">" + e.Model.ID + " " + e.Source
		}),
		observing(&d, func(e *extension.ThinkingLevelSelect) string { return string(e.PreviousLevel + ">" + e.Level) }))
	if err := errors.Join(s.SetModel(&thinker), s.SetThinking("low"), s.SetThinking("low"), s.SetModel(labModel)); err != nil {
		t.Fatal(err)
	}
	if want := labModel.ID + ">thinker set, off>low, low>off, thinker>" + labModel.ID + " set"; d.String() != want {
		t.Errorf("got  %s\nwant %s", d.String(), want)
	}
}

func TestCommandsOfExtensions(t *testing.T) {
	var d diary
	gate := make(chan struct{})
	p := &llm{replies: []answerFunc{held("one", gate)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		_ = api.RegisterCommand(&extension.Command{Name: "hello", Description: "Says hello", Handler: func(_ context.Context, x *extension.CommandContext, args string) error {
			d.add("hello %q, idle %v", args, x.Idle())
			return nil
		}})
	}, observing(&d, func(e *extension.Input) string { return "input " + e.Text }))
	prompt := func(text string) (disposition session.Disposition) {
		t.Helper()
		if _, err := s.Start(session.Prompt{Text: text, Accepted: func(d session.Disposition) { disposition = d }}); err != nil {
			t.Fatal(err)
		}
		return disposition
	}
	// Report RPC-06: what an extension has dealt with can be told from what began a run.
	if got := prompt("/hello big  world"); got != session.Handled {
		t.Errorf("the command was %s", got)
	}
	if got := prompt("/other"); got != session.Started {
		t.Errorf("what is no command was %s", got)
	}
	if got := prompt("/hello"); got != session.Handled {
		t.Errorf("the command was %s", got)
	}
	if err := s.Queue(session.Prompt{Text: "/hello"}, session.Steer); err == nil {
		t.Error("a command is queued")
	}
	close(gate)
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := `hello "big  world", idle true, input /other, hello "", idle false`; d.String() != want {
		t.Error(d.String())
	}
	if list := s.CommandInfos(); len(list) != 1 || list[0].Name != "hello" || list[0].Source != "extension" {
		t.Errorf("%+v", list)
	}
}

// A tool of an extension that ignores its context cannot keep the session.
func TestReport_ABT01_AToolThatIgnoresAborts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		p := &llm{replies: []answerFunc{calling("c1", "stuck", "{}", 10), saying("done", 10)}}
		gate := make(chan struct{})
		s := extended(t, &d, p, session.Options{}, func(api *api) {
			_ = api.RegisterTool(&extension.Tool{Tool: &agent.Tool{Name: "stuck", Parameters: schema.Empty, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
				<-gate
				return agent.TextResult("late"), nil
			}}})
		})
		if _, err := s.Start(session.Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begin := time.Now()
		if err := s.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 5*time.Second || s.State().Busy {
			t.Errorf("the abort took %v", took)
		}
		close(gate)
	})
}

// The results of what a close aborts are stored before the extensions are told that the
// session ends, and they can still read it then.
func TestReport_ABT05_ShutdownComesAfterTheResults(t *testing.T) {
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

// A hidden tool is not for the model, but for other tools.
func TestHiddenTools(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "hidden", "{}", 10), calling("c2", "open", "{}", 10), saying("done", 10)}}
	s := extended(t, &d, p, session.Options{PlainTools: true}, func(api *api) {
		hidden := toolReturning("hidden", func() string { return "found" })
		hidden.Parameters, hidden.Hidden = schema.Empty, true
		open := &agent.Tool{Name: "open", Parameters: schema.Empty, Execute: func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
			o := call.RunTool(ctx, &ai.ToolCall{ID: "inner", Name: "hidden", Arguments: jsontext.Value("{}")}, nil)
			return o.Result, nil
		}}
		for _, tool := range []*agent.Tool{hidden, open} {
			if err := api.RegisterTool(&extension.Tool{Tool: tool}); err != nil {
				t.Error(err)
			}
		}
		extension.Observe(api, func(context.Context, *extx, *extension.AgentStart) error {
			return api.SetActiveTools([]string{"hidden", "open"})
		})
	}, observing(&d, func(e *extension.ToolExecutionEnd) string {
		return fmt.Sprintf("%s %v %s", e.ToolName, e.IsError, e.Result.Content.Text())
	}))
	mustPrompt(t, s, "go")
	if d.String() != "hidden true Tool hidden not found, open false found" {
		t.Error(d.String())
	}
	for _, req := range p.asked {
		if len(req.Context.Tools) != 1 || req.Context.Tools[0].Name != "open" {
			t.Errorf("the model is offered %+v", req.Context.Tools)
		}
	}
}
