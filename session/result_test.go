package session_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

// costing answers with a text that took tokens.
func costing(s string, tokens int) func(context.Context, *ai.Writer) error {
	return func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), s)
		w.SetUsage(ai.Usage{Output: tokens, TotalTokens: tokens, Cost: ai.Cost{Total: float64(tokens) / 100, Reported: true}})
		w.Done(ai.StopEnd)
		return nil
	}
}

// noop is a tool that does nothing.
func noop(name string) *agent.Tool {
	return &agent.Tool{Name: name, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		return &agent.ToolResult{Content: ai.TextContent("done")}, nil
	}}
}

func start(t *testing.T, s *session.Session, p session.Prompt) *session.Run {
	t.Helper()
	run, err := s.Start(p)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func wait(t *testing.T, run *session.Run) *session.Result {
	t.Helper()
	res, err := run.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestTwoPromptsOfOneRunHaveTheirOwnAnswers(t *testing.T) {
	for _, mode := range []agent.QueueMode{agent.OneAtATime, agent.All} {
		synctest.Test(t, func(t *testing.T) {
			gate := make(chan struct{})
			first := func(ctx context.Context, w *ai.Writer) error {
				w.SetUsage(ai.Usage{Output: 3, TotalTokens: 3})
				return held("one", gate)(ctx, w)
			}
			m := &model{replies: []func(context.Context, *ai.Writer) error{first, costing("two", 5), costing("three", 7)}}
			s := open(t, inMemory(), m, session.Options{FollowUpMode: mode})
			a := start(t, s, session.Prompt{Text: "a"})
			synctest.Wait()
			b := start(t, s, session.Prompt{Text: "b", WhileBusy: session.FollowUp})
			c := start(t, s, session.Prompt{Text: "c", WhileBusy: session.FollowUp})
			if a.Disposition != session.Started || b.Disposition != session.Queued {
				t.Errorf("dispositions %s and %s", a.Disposition, b.Disposition)
			}
			close(gate)
			ra, rb, rc := wait(t, a), wait(t, b), wait(t, c)
			want := []string{"one", "two", "three"}
			if mode == agent.All { // both are delivered before one request
				want = []string{"one", "two", "two"}
			}
			if got := []string{ra.Text(), rb.Text(), rc.Text()}; !slices.Equal(got, want) {
				t.Errorf("%s: the answers are %q, want %q", mode, got, want)
			}
			if mode == agent.OneAtATime && (ra.Usage.Output != 3 || rb.Usage.Output != 5 || rc.Usage.Output != 7) {
				t.Errorf("usage %d, %d, %d", ra.Usage.Output, rb.Usage.Output, rc.Usage.Output)
			}
			for _, r := range []*session.Result{ra, rb, rc} {
				if r.Cause != session.CauseAnswered || r.StopReason != ai.StopEnd || r.Err() != nil {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func TestASteeredPromptSharesTheAnswerOfARunWithTools(t *testing.T) {
	reached, gate := make(chan struct{}), make(chan struct{})
	tool := &agent.Tool{Name: "A", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		close(reached)
		<-gate
		return &agent.ToolResult{Content: ai.TextContent("done")}, nil
	}}
	m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("A"), text("both")}}
	s := open(t, inMemory(), m, session.Options{Tools: []*agent.Tool{tool}})
	a := start(t, s, session.Prompt{Text: "a"})
	<-reached
	b := start(t, s, session.Prompt{Text: "b", WhileBusy: session.Steer})
	close(gate)
	if ra, rb := wait(t, a), wait(t, b); ra.Text() != "both" || rb.Text() != "both" || ra.Turns != 2 || rb.Turns != 1 {
		t.Errorf("%+v and %+v", ra, rb)
	}
}

func TestAPromptThatIsCancelledIsAnError(t *testing.T) {
	m := &model{replies: []func(context.Context, *ai.Writer) error{held("half", nil)}}
	s := open(t, inMemory(), m, session.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	s.Subscribe(func(ev event.Event) {
		if ev.Type() == agent.EventMessageUpdate {
			cancel()
		}
	})
	res, err := s.Prompt(ctx, session.Prompt{Text: "a"})
	if !errors.Is(err, agent.ErrAborted) || !errors.Is(err, context.Canceled) && res == nil {
		t.Fatalf("Prompt: %v", err)
	}
	if res.Cause != session.CauseAborted || res.Text() != "half" || !errors.Is(res.Err(), agent.ErrAborted) {
		t.Errorf("%+v", res)
	}
}

func TestACancelledPromptLeavesTheQueueAndNotTheRunOfAnother(t *testing.T) {
	gate, begun := make(chan struct{}), make(chan struct{})
	first := func(ctx context.Context, w *ai.Writer) error {
		close(begun)
		return held("one", gate)(ctx, w)
	}
	m := &model{replies: []func(context.Context, *ai.Writer) error{first}}
	s := open(t, inMemory(), m, session.Options{})
	a := start(t, s, session.Prompt{Text: "a"})
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res, err := s.Prompt(ctx, session.Prompt{Text: "b", WhileBusy: session.FollowUp})
	if !errors.Is(err, session.ErrDropped) || !errors.Is(err, context.Canceled) || res.Cause != session.CauseDropped {
		t.Errorf("the queued prompt: %+v, %v", res, err)
	}
	close(gate)
	if res := wait(t, a); res.Text() != "one" {
		t.Errorf("the other prompt: %+v", res)
	}
	if s.State().Pending != 0 || m.asked() != 1 {
		t.Errorf("%d messages wait after %d requests", s.State().Pending, m.asked())
	}
}

func TestPromptsOfAClearedQueueAreDropped(t *testing.T) {
	gate, begun := make(chan struct{}), make(chan struct{})
	first := func(ctx context.Context, w *ai.Writer) error {
		close(begun)
		return held("one", gate)(ctx, w)
	}
	s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{first}}, session.Options{})
	a := start(t, s, session.Prompt{Text: "a"})
	<-begun
	b := start(t, s, session.Prompt{Text: "b", WhileBusy: session.Steer})
	if steering, _ := s.ClearQueue(); !slices.Equal(steering, []string{"b"}) {
		t.Errorf("the queue had %q", steering)
	}
	if res, err := b.Wait(t.Context()); !errors.Is(err, session.ErrDropped) || res.Cause != session.CauseDropped {
		t.Errorf("%+v, %v", res, err)
	}
	close(gate)
	wait(t, a)
}

func TestACauseSaysWhyThePromptHasEnded(t *testing.T) {
	fails := func(context.Context, *ai.Writer) error { return errors.New("it broke") }
	cut := func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), "cut")
		w.Done(ai.StopLength)
		return nil
	}
	stop := agent.Hooks{FinishTurn: func(context.Context, *agent.Turn) (agent.TurnAction, error) { return agent.TurnEndRun, nil }}
	for name, c := range map[string]struct {
		replies []func(context.Context, *ai.Writer) error
		opts    session.Options
		want    session.Cause
	}{
		"an answer":              {[]func(context.Context, *ai.Writer) error{text("x")}, session.Options{}, session.CauseAnswered},
		"a failure":              {[]func(context.Context, *ai.Writer) error{fails}, session.Options{}, session.CauseFailed},
		"a cut answer":           {[]func(context.Context, *ai.Writer) error{cut}, session.Options{Compaction: keeping(5)}, session.CauseFailed},
		"a hook that stops":      {[]func(context.Context, *ai.Writer) error{toolCalls("A")}, session.Options{Hooks: stop}, session.CauseStopped},
		"the budget of turns":    {[]func(context.Context, *ai.Writer) error{toolCalls("A")}, session.Options{Budget: session.Budget{Turns: 1}}, session.CauseBudget},
		"an answer in budget":    {[]func(context.Context, *ai.Writer) error{costing("x", 5)}, session.Options{Budget: session.Budget{Turns: 1, Tokens: 5}}, session.CauseAnswered},
		"a tool, then an answer": {[]func(context.Context, *ai.Writer) error{toolCalls("A"), text("x")}, session.Options{Budget: session.Budget{Turns: 2}}, session.CauseAnswered},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Tools = []*agent.Tool{noop("A")}
			s := open(t, inMemory(), &model{replies: c.replies}, c.opts)
			res, err := s.Prompt(t.Context(), session.Prompt{Text: "go"})
			if err != nil || res.Cause != c.want {
				t.Fatalf("%+v, %v", res, err)
			}
			if (res.Err() == nil) != (c.want == session.CauseAnswered || c.want == session.CauseStopped) {
				t.Errorf("Err: %v", res.Err())
			}
		})
	}
}

func TestEachBudgetEndsTheRunInOrderAndSaysWhich(t *testing.T) {
	spending := func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartToolCall("A", "A"), "{}")
		w.SetUsage(ai.Usage{Output: 40, TotalTokens: 40, Cost: ai.Cost{Total: 0.4, Reported: true}})
		w.Done(ai.StopToolUse)
		return nil
	}
	for name, budget := range map[string]session.Budget{
		session.BudgetTurns:  {Turns: 2},
		session.BudgetTokens: {Tokens: 50},
		session.BudgetCost:   {Cost: 0.5},
		session.BudgetTime:   {Time: 90 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := &agent.Tool{Name: "A", Execute: func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
					select {
					case <-time.After(time.Minute):
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					return &agent.ToolResult{Content: ai.TextContent("done")}, nil
				}}
				m := &model{replies: []func(context.Context, *ai.Writer) error{spending, spending, spending, spending}}
				s := open(t, inMemory(), m, session.Options{Tools: []*agent.Tool{slow}})
				var reached *event.BudgetReached
				var last string
				s.Subscribe(func(ev event.Event) {
					last = ev.Type()
					if ev, ok := ev.(*event.BudgetReached); ok {
						reached = ev
					}
				})
				res, err := s.Prompt(t.Context(), session.Prompt{Text: "go", Budget: &budget})
				if err != nil || res.Cause != session.CauseBudget {
					t.Fatalf("%+v, %v", res, err)
				}
				if over, ok := errors.AsType[*session.BudgetError](res.Err()); !ok || over.Budget != name || over.Spent < over.Limit {
					t.Errorf("Err: %v", res.Err())
				}
				if reached == nil || reached.Budget != name || last != event.EventAgentSettled {
					t.Errorf("event %+v, then %s", reached, last)
				}
				for _, m := range s.Messages() { // every call has its result
					if answer, ok := m.(*ai.AssistantMessage); ok && len(answer.Content.ToolCalls()) > 0 && results(s) < 2 {
						t.Errorf("%d results", results(s))
					}
				}
				if m.asked() != 2 && name != session.BudgetTime {
					t.Errorf("%d requests", m.asked())
				}
			})
		})
	}
}

// results counts the results of tools in the transcript.
func results(s *session.Session) int {
	n := 0
	for _, m := range s.Messages() {
		if m.Role() == ai.RoleToolResult {
			n++
		}
	}
	return n
}

func TestMisuseIsRefusedInNew(t *testing.T) {
	stream := (&model{}).stream
	for name, opts := range map[string]*session.Options{
		"no options":            nil,
		"no stream":             {},
		"a tool without a name": {Stream: stream, Tools: []*agent.Tool{{}}},
		"no tool":               {Stream: stream, Tools: []*agent.Tool{nil}},
		"two tools of a name":   {Stream: stream, Tools: []*agent.Tool{noop("A"), noop("A")}},
		"a negative budget":     {Stream: stream, Budget: session.Budget{Turns: -1}},
	} {
		if s, err := session.New(inMemory(), opts); err == nil {
			s.Close(t.Context())
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := session.New(nil, &session.Options{Stream: stream}); err == nil {
		t.Error("no store: accepted")
	}
}
