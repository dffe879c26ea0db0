package extension_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
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

// TestFactoryRolledBack: a factory that fails leaves nothing behind, and the
// others are loaded.
func TestFactoryRolledBack(t *testing.T) {
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

func TestNobodyToAsk(t *testing.T) {
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
