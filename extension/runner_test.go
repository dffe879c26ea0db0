package extension_test

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
)

type (
	api = extension.API
	x   = extension.Context
)

// recorder keeps what has happened.
type recorder struct {
	mu   sync.Mutex
	list []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, fmt.Sprintf(format, args...))
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.list, ", ")
}

// stage is a runner with what it has reported.
type stage struct {
	*extension.Runner
	*recorder
}

// load loads extensions named a, b, c, … Reports are recorded.
func load(t *testing.T, opts *extension.Options, factories ...func(api *api)) *stage {
	t.Helper()
	if opts == nil {
		opts = &extension.Options{}
	}
	s := &stage{recorder: &recorder{}}
	opts.OnError = func(err *extension.Error) { s.add("%s %s failed: %v", err.Path, err.Event, err.Err) }
	s.Runner = extension.NewRunner(opts)
	for i, factory := range factories {
		source := extension.Builtin(string(rune('a'+i)), func(_ context.Context, api *api) error { factory(api); return nil })
		for _, err := range s.Load(t.Context(), source) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// observe records when an extension is told of a turn.
func observe(s *recorder, name string) func(*api) {
	return func(api *api) {
		extension.Observe(api, func(_ context.Context, _ *x, e *extension.TurnStart) error {
			s.add("%s %d", name, e.TurnIndex)
			return nil
		})
	}
}

func TestHandlersRunInLoadOrder(t *testing.T) {
	var got recorder
	var first *api
	s := load(t, nil, func(api *api) { first = api; observe(&got, "a1")(api) }, observe(&got, "b"))
	off := extension.On(first, func(context.Context, *x, *extension.TurnStart) (extension.None, error) {
		got.add("a2")
		return extension.None{}, nil
	}) // late, and still before those of b
	s.Emit(t.Context(), &extension.TurnStart{TurnIndex: 1})
	off()
	s.Emit(t.Context(), &extension.TurnStart{TurnIndex: 2})
	if got.String() != "a1 1, a2, b 1, a1 2, b 2" {
		t.Error(got.String())
	}
}

// TestReport_EXT04_FactoryRolledBack: a factory that fails leaves nothing behind, and the
// others are loaded.
func TestReport_EXT04_FactoryRolledBack(t *testing.T) {
	broken := errors.New("cannot start")
	register := func(api *api) {
		extension.Observe(api, func(context.Context, *x, *extension.AgentStart) error { return nil })
		tool := agent.NewTool("t", "", func(context.Context, struct{}) (string, error) { return "", nil })
		if err := api.RegisterTool(&extension.Tool{Tool: tool}); err != nil {
			t.Error(err)
		}
		api.Events().On("c", func(any) { t.Error("the listener is left") })
	}
	r := extension.NewRunner(nil)
	defer r.Close(t.Context())
	failed := r.Load(t.Context(),
		extension.Builtin("a", func(_ context.Context, api *api) error { register(api); return broken }),
		extension.Builtin("b", func(_ context.Context, api *api) error { register(api); panic(broken) }),
		extension.Builtin("c", func(_ context.Context, api *api) error {
			extension.Observe(api, func(context.Context, *x, *extension.AgentEnd) error { return nil })
			api.Events().Emit("c", nil)
			return nil
		}),
		extension.Source{Path: "/nowhere/d.ts"})
	if len(failed) != 3 || !errors.Is(failed[0], broken) || !errors.Is(failed[1], broken) || failed[1].Stack == "" {
		t.Fatalf("failed: %v", failed)
	}
	if r.Has(extension.KindAgentStart) || len(r.Tools()) != 0 || !r.Has(extension.KindAgentEnd) {
		t.Error("something of the failed extensions is left, or that of the good one is gone")
	}
}

// A failing observer is reported and stops nobody; a panic is its failure alone.
func TestLaw_X2_FailuresAreIsolated(t *testing.T) {
	var got recorder
	s := load(t, nil, func(api *api) {
		extension.Observe(api, func(context.Context, *x, *extension.TurnStart) error { return errors.New("broken") })
		extension.Observe(api, func(context.Context, *x, *extension.TurnStart) error { panic("worse") })
	}, observe(&got, "b"))
	s.Emit(t.Context(), &extension.TurnStart{})
	if got.String() != "b 0" || s.String() != "<a> turn_start failed: broken, <a> turn_start failed: panic: worse" {
		t.Errorf("%s; %s", got.String(), s)
	}
}

// A handler that hangs is left behind at its deadline and not called again before it has
// returned. The others go on.
func TestLaw_X2_AHangIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got recorder
		gate := make(chan struct{})
		s := load(t, nil, func(api *api) {
			extension.Observe(api, func(_ context.Context, _ *x, e *extension.TurnStart) error {
				got.add("a %d", e.TurnIndex)
				if e.TurnIndex == 0 {
					<-gate // whatever its context says
				}
				return errors.New("late")
			})
		}, observe(&got, "b"))
		begin := time.Now()
		s.Emit(t.Context(), &extension.TurnStart{})
		if took, limit := time.Since(begin), extension.KindTurnStart.Policy().Deadline; took < limit || took > limit+2*time.Second {
			t.Errorf("it took %v", took)
		}
		s.Emit(t.Context(), &extension.TurnStart{TurnIndex: 1})
		close(gate)
		synctest.Wait()
		s.Emit(t.Context(), &extension.TurnStart{TurnIndex: 2})
		if got.String() != "a 0, b 0, b 1, a 2, b 2" {
			t.Error(got.String())
		}
		if !strings.Contains(s.String(), extension.ErrDeadline.Error()) || strings.Count(s.String(), "failed") != 2 || !strings.HasSuffix(s.String(), "late") {
			t.Error(s)
		}
	})
}

// Cancellation reaches the handlers, and one that ignores it holds nobody up.
func TestLaw_L8_CancellationWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		s := load(t, nil, func(api *api) {
			extension.On(api, func(ctx context.Context, _ *x, _ *extension.ToolCall) (*extension.ToolCallResult, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})
			extension.Observe(api, func(context.Context, *x, *extension.AgentEnd) error { <-gate; return nil })
		})
		aborted := errors.New("aborted")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(aborted) })
		if _, err := s.ToolCall(ctx, &extension.ToolCall{}); !errors.Is(err, aborted) {
			t.Errorf("ToolCall: %v", err)
		}
		begin := time.Now()
		s.Emit(ctx, &extension.AgentEnd{}) // of the run that was aborted
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
		close(gate)
	})
}

// What follows an abort is told nevertheless.
func TestEventsAfterAnAbortAreTold(t *testing.T) {
	var got recorder
	s := load(t, nil, observe(&got, "a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		s.Emit(ctx, &extension.TurnStart{})
	}
	if n := strings.Count(got.String(), "a 0"); n != 50 {
		t.Errorf("%d of 50 events", n)
	}
}

// No handler is called concurrently with itself, even while parallel tools report.
func TestLaw_D6_OneAtATime(t *testing.T) {
	var mu sync.Mutex
	s := load(t, nil, func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.ToolResult) (*extension.ToolResultPatch, error) {
			if !mu.TryLock() {
				t.Error("the handler overlaps with itself")
				return nil, nil
			}
			time.Sleep(time.Millisecond)
			mu.Unlock()
			return nil, nil
		})
	})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { s.ToolResult(t.Context(), &extension.ToolResult{}) })
	}
	wg.Wait()
}

// A handler that causes the event that it handles is called within itself.
func TestAHandlerMayCauseItsOwnEvent(t *testing.T) {
	var got recorder
	var s *stage
	s = load(t, nil, func(api *api) {
		extension.Observe(api, func(ctx context.Context, _ *x, e *extension.ModelSelect) error {
			got.add("%s", e.Source)
			if e.Source == "set" {
				s.Emit(ctx, &extension.ModelSelect{Source: "cycle"})
			}
			return nil
		})
	})
	s.Emit(t.Context(), &extension.ModelSelect{Source: "set"})
	if got.String() != "set, cycle" {
		t.Error(got.String())
	}
}

// slowPerson answers dialogs after a minute.
type slowPerson struct{ extension.NoUI }

func (slowPerson) Confirm(context.Context, string, string, time.Duration) bool {
	time.Sleep(time.Hour)
	return true
}

func (slowPerson) Select(context.Context, string, []string, time.Duration) (string, bool) {
	time.Sleep(time.Hour)
	return "red", true
}

// The time that a person takes does not count, and waiting is announced: of dialogs inside of
// dialogs the outermost.
func TestLaw_X4_WaitingForAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got recorder
		s := load(t, &extension.Options{UI: slowPerson{}, Mode: extension.ModeTUI}, func(api *api) {
			extension.Observe(api, func(_ context.Context, _ *x, e *extension.UIPromptStart) error {
				got.add("start %s %s %s", e.Reason, e.Prompt, e.Title)
				return nil
			})
			extension.Observe(api, func(_ context.Context, _ *x, e *extension.UIPromptEnd) error {
				got.add("end %s %s", e.Prompt, e.Title)
				return nil
			})
			extension.On(api, func(ctx context.Context, x *x, _ *extension.ToolCall) (*extension.ToolCallResult, error) {
				var wg sync.WaitGroup
				wg.Go(func() { time.Sleep(time.Minute); x.UI().Select(ctx, "inner", []string{"red"}, 0) })
				ok := x.UI().Confirm(ctx, "outer", "sure?", 0)
				wg.Wait()
				return &extension.ToolCallResult{Block: !ok}, ctx.Err()
			})
		})
		res, err := s.ToolCall(t.Context(), &extension.ToolCall{})
		synctest.Wait()
		if err != nil || res.Block {
			t.Errorf("%+v %v", res, err)
		}
		if got.String() != "start ui_prompt confirm outer, end confirm outer" {
			t.Error(got.String())
		}
	})
}

func TestReport_RPC18_NobodyToAsk(t *testing.T) {
	s := load(t, nil, func(api *api) {
		extension.On(api, func(ctx context.Context, x *x, _ *extension.ToolCall) (*extension.ToolCallResult, error) {
			if !x.HasUI() && !x.UI().Confirm(ctx, "Run it?", "", 0) {
				return &extension.ToolCallResult{Block: true, Reason: "nobody can allow it"}, nil
			}
			return nil, nil
		})
	})
	if res, err := s.ToolCall(t.Context(), &extension.ToolCall{}); err != nil || !res.Block {
		t.Errorf("%+v %v", res, err)
	}
}

// Who fires an event waits for a moment, and no longer, so that what handlers do at once comes
// before what follows.
func TestFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got recorder
		gate := make(chan struct{})
		s := load(t, nil, func(api *api) {
			extension.Observe(api, func(_ context.Context, _ *x, e *extension.SessionInfoChanged) error {
				if e.Name == "slow" {
					<-gate
				}
				got.add("%s", e.Name)
				return nil
			})
		})
		s.Fire(t.Context(), &extension.SessionInfoChanged{Name: "quick"}, extension.FireGrace)
		if got.String() != "quick" {
			t.Errorf("got %s", got.String())
		}
		begin := time.Now()
		s.Fire(t.Context(), &extension.SessionInfoChanged{Name: "slow"}, extension.FireGrace)
		s.Fire(t.Context(), &extension.SessionInfoChanged{Name: "after"}, 0)
		if took := time.Since(begin); took != extension.FireGrace {
			t.Errorf("it took %v", took)
		}
		close(gate)
		synctest.Wait()
		if got.String() != "quick, slow, after" {
			t.Error(got.String())
		}
	})
}

func TestLaw_X3_ContextIsACopy(t *testing.T) {
	messages := []agent.Message{agent.User("secret"), agent.User("open")}
	s := load(t, nil, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ContextEvent) (*extension.ContextResult, error) {
			return &extension.ContextResult{Messages: slices.Delete(e.Messages, 0, 1)}, nil
		})
	}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ContextEvent) (*extension.ContextResult, error) {
			e.Messages = append(e.Messages, agent.User("in place"))
			return nil, nil
		})
	})
	got := s.Context(t.Context(), messages)
	if len(messages) != 2 || messages[0] == nil || text(got) != "open in place" || text(messages) != "secret open" {
		t.Errorf("%q, and the history is %q", text(got), text(messages))
	}
}

func text(messages []agent.Message) string {
	var parts []string
	for _, m := range messages {
		parts = append(parts, m.(*ai.UserMessage).Content.Text())
	}
	return strings.Join(parts, " ")
}

func TestLaw_X3_MessageEndReplacesTheSameRole(t *testing.T) {
	replace := func(m agent.Message) func(*api) {
		return func(api *api) {
			extension.On(api, func(context.Context, *x, *extension.MessageEnd) (*extension.MessageEndResult, error) {
				return &extension.MessageEndResult{Message: m}, nil
			})
		}
	}
	other := agent.User("other")
	s := load(t, nil, replace(&ai.AssistantMessage{}), replace(other))
	if got := s.MessageEnd(t.Context(), agent.User("one")); got != agent.Message(other) {
		t.Errorf("%v", got)
	}
	if !strings.HasPrefix(s.String(), "<a> message_end failed: a user message cannot be replaced by a assistant message") {
		t.Error(s)
	}
}

func TestToolCall(t *testing.T) {
	var got recorder
	s := load(t, nil, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			e.Input = jsontext.Value(`{"command":"one two"}`)
			return nil, nil
		})
		js := func(_ context.Context, _ *x, e *extension.Envelope) (extension.Reply, error) {
			got.add("%s", e.JSON)
			return extension.Reply{Mutated: jsontext.Value(`{"command":"one two three"}`)}, nil
		}
		if _, err := api.OnJSON("tool_call", js); err != nil {
			t.Error(err)
		}
		if _, err := api.OnJSON("nothing", js); err == nil {
			t.Error("there is an event called nothing")
		}
	}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			got.add("%s", e.Input)
			return &extension.ToolCallResult{Block: true, Reason: "no", Terminate: true}, nil
		})
		extension.On(api, func(context.Context, *x, *extension.ToolCall) (*extension.ToolCallResult, error) {
			t.Error("a blocked call is shown to later handlers")
			return nil, nil
		})
	})
	e := &extension.ToolCall{ToolCallID: "c1", ToolName: "bash", Input: jsontext.Value(`{"command":"one"}`)}
	res, err := s.ToolCall(t.Context(), e)
	if err != nil || !res.Block || res.Reason != "no" || !res.Terminate || string(e.Input) != `{"command":"one two three"}` {
		t.Errorf("%+v %v %s", res, err, e.Input)
	}
	if got.String() != `{"type":"tool_call","toolCallId":"c1","toolName":"bash","input":{"command":"one two"}}, {"command":"one two three"}` {
		t.Error(got.String())
	}
}

// What goes on in a session that is being closed finds that its extensions have ended:
// nothing is run, and a call that they would have judged is blocked.
func TestEventsAfterTheEnd(t *testing.T) {
	var own *api
	s := load(t, nil, func(api *api) {
		own = api
		extension.On(api, func(context.Context, *x, *extension.ToolCall) (*extension.ToolCallResult, error) { return nil, nil })
		extension.Observe(api, func(context.Context, *x, *extension.AgentStart) error { return nil })
		extension.Observe(api, func(context.Context, *x, *extension.SessionInfoChanged) error { return nil })
	})
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	own.Go(func(context.Context) error { panic("run after the end") })
	s.Emit(t.Context(), &extension.AgentStart{})
	s.Fire(t.Context(), &extension.SessionInfoChanged{}, time.Second)
	if _, err := s.ToolCall(t.Context(), &extension.ToolCall{ToolName: "bash"}); !errors.Is(err, extension.ErrStale) {
		t.Errorf("the call is not blocked: %v", err)
	}
	if err := s.Close(t.Context()); err != nil || s.String() != "" {
		t.Errorf("%v; %s", err, s)
	}
}

// An error of a tool_call handler blocks the call, and a panic is reported as well.
func TestLaw_X2_ToolCallFailsClosed(t *testing.T) {
	s := load(t, nil, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			if e.ToolName == "panic" {
				panic("guard is gone")
			}
			return nil, errors.New("guard is broken")
		})
		extension.On(api, func(context.Context, *x, *extension.ToolCall) (*extension.ToolCallResult, error) {
			t.Error("later handlers are called")
			return nil, nil
		})
	})
	if _, err := s.ToolCall(t.Context(), &extension.ToolCall{ToolName: "bash"}); err == nil || err.Error() != "guard is broken" || s.String() != "" {
		t.Errorf("%v; %s", err, s)
	}
	if _, err := s.ToolCall(t.Context(), &extension.ToolCall{ToolName: "panic"}); err == nil || s.String() != "<a> tool_call failed: panic: guard is gone" {
		t.Errorf("%v; %s", err, s)
	}
}

func TestReport_EXT05_ToolResultPatchesAreChained(t *testing.T) {
	var got recorder
	isError := true
	s := load(t, nil, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolResult) (*extension.ToolResultPatch, error) {
			return &extension.ToolResultPatch{Content: ai.TextContent(e.Content.Text() + " more")}, nil
		})
	}, func(api *api) {
		_, _ = api.OnJSON("tool_result", func(_ context.Context, _ *x, e *extension.Envelope) (extension.Reply, error) {
			got.add("%s", e.Event.(*extension.ToolResult).Content.Text())
			return extension.Reply{Result: jsontext.Value(`{"details":{"by":"b"}}`)}, nil
		})
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolResult) (*extension.ToolResultPatch, error) {
			got.add("%s", e.Details)
			return &extension.ToolResultPatch{IsError: &isError}, nil
		})
	})
	patch := s.ToolResult(t.Context(), &extension.ToolResult{Content: ai.TextContent("text")})
	if patch.Content.Text() != "text more" || string(patch.Details) != `{"by":"b"}` || !*patch.IsError || got.String() != `text more, {"by":"b"}` {
		t.Errorf("%+v; %s", patch, got.String())
	}
}

// What a handler of another language returns is checked.
func TestAResultOfTheWrongForm(t *testing.T) {
	reply := func(result string) func(*api) {
		return func(api *api) {
			_, _ = api.OnJSON("input", func(context.Context, *x, *extension.Envelope) (extension.Reply, error) {
				return extension.Reply{Result: jsontext.Value(result)}, nil
			})
		}
	}
	s := load(t, nil, reply(`"yes"`), reply(`null`), reply(`{"action":"transform","text":"b"}`), reply(`{"action":"swallow"}`))
	res := s.Input(t.Context(), &extension.Input{Text: "a"})
	if res.Action != "continue" || res.Text != "b" || strings.Count(s.String(), "failed") != 2 {
		t.Errorf("%+v; %s", res, s)
	}
}

func TestInputIsChained(t *testing.T) {
	var got recorder
	handler := func(name string, fn func(text string) *extension.InputResult) func(*api) {
		return func(api *api) {
			extension.On(api, func(_ context.Context, _ *x, e *extension.Input) (*extension.InputResult, error) {
				got.add("%s %s", name, e.Text)
				return fn(e.Text), nil
			})
		}
	}
	s := load(t, nil,
		handler("a", func(text string) *extension.InputResult {
			if text == "ping" {
				return &extension.InputResult{Action: "handled"}
			}
			return &extension.InputResult{Action: "transform", Text: text + "!"}
		}),
		handler("b", func(string) *extension.InputResult { return nil }))
	if res := s.Input(t.Context(), &extension.Input{Text: "hello"}); res.Action != "continue" || res.Text != "hello!" {
		t.Errorf("%+v", res)
	}
	if res := s.Input(t.Context(), &extension.Input{Text: "ping"}); res.Action != "handled" {
		t.Errorf("%+v", res)
	}
	if got.String() != "a hello, b hello!, a ping" {
		t.Error(got.String())
	}
}

func TestUserBashFailsClosed(t *testing.T) {
	s := load(t, nil, func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.UserBash) (*extension.UserBashResult, error) {
			return nil, errors.New("the container is gone")
		})
	})
	if _, err := s.UserBash(t.Context(), &extension.UserBash{Command: "ls"}); err == nil {
		t.Error("the command is run where it should not be")
	}
}

func TestAnswersEndTheChain(t *testing.T) {
	yes := func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.ProjectTrust) (*extension.ProjectTrustResult, error) {
			return &extension.ProjectTrustResult{Trusted: "yes"}, nil
		})
		extension.On(api, func(context.Context, *x, *extension.SessionBeforeSwitch) (*extension.SwitchResult, error) {
			return &extension.SwitchResult{Cancel: true}, nil
		})
		extension.On(api, func(context.Context, *x, *extension.SessionBeforeCompact) (*extension.CompactResult, error) {
			return &extension.CompactResult{Cancel: true}, nil
		})
	}
	never := func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.ProjectTrust) (*extension.ProjectTrustResult, error) {
			t.Error("asked about trust")
			return nil, nil
		})
		extension.On(api, func(context.Context, *x, *extension.SessionBeforeSwitch) (*extension.SwitchResult, error) {
			t.Error("asked about the switch")
			return nil, nil
		})
		extension.On(api, func(context.Context, *x, *extension.SessionBeforeCompact) (*extension.CompactResult, error) {
			t.Error("asked about the compaction")
			return nil, nil
		})
	}
	s := load(t, nil, func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.ProjectTrust) (*extension.ProjectTrustResult, error) {
			return &extension.ProjectTrustResult{Trusted: "undecided"}, nil
		})
	}, yes, never)
	if answer := s.Trust(t.Context(), "/"); answer == nil || answer.Trusted != "yes" {
		t.Errorf("%+v", answer)
	}
	if !s.BeforeSwitch(t.Context(), &extension.SessionBeforeSwitch{}) {
		t.Error("the switch goes on")
	}
	if answer := s.BeforeCompact(t.Context(), &extension.SessionBeforeCompact{}); answer == nil || !answer.Cancel {
		t.Errorf("%+v", answer)
	}
}
