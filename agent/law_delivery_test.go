package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

func TestLaw_D1_StateChangesBeforeListeners(t *testing.T) {
	a := agent.New(answers(calls("x:1"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("x")}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		st := a.State()
		switch ev := ev.(type) {
		case *agent.MessageEnd:
			if st.Messages[len(st.Messages)-1] != ev.Message {
				t.Error("the message that ended is not in the transcript")
			}
		case *agent.MessageUpdate:
			if got := a.StreamingMessage(); string(raw(got)) != string(raw(ev.Message())) {
				t.Errorf("the state streams %s, the event %s", raw(got), raw(ev.Message()))
			}
		case *agent.ToolExecutionStart:
			if !slices.Contains(st.PendingToolCalls, ev.ToolCallID) {
				t.Error("a call that has started is not pending")
			}
		case *agent.ToolExecutionEnd:
			if slices.Contains(st.PendingToolCalls, ev.ToolCallID) {
				t.Error("a call that has ended is pending")
			}
		}
		return nil
	})
	mustPrompt(t, a, "go")
}

func TestLaw_D2_OrderOfSubscription(t *testing.T) {
	a := agent.New(answers(says("hi")).stream, &agent.Options{Model: labModel("m")})
	var order []string
	listen := func(name string) func() {
		return a.Subscribe(func(_ context.Context, ev agent.Event) error {
			if ev.Type() == agent.EventAgentStart {
				order = append(order, name)
			}
			return nil
		})
	}
	listen("a")
	removeB := listen("b")
	listen("c")
	removeB()
	mustPrompt(t, a, "go")
	if got := strings.Join(order, ""); got != "ac" {
		t.Errorf("order %q", got)
	}
}

func TestUnsubscribingInTheCallbackLosesNothing(t *testing.T) {
	a := agent.New(answers(says("hi")).stream, &agent.Options{Model: labModel("m")})
	var got []string
	var remove func()
	remove = a.Subscribe(func(_ context.Context, ev agent.Event) error {
		got = append(got, "first:"+ev.Type())
		remove()
		return nil
	})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		got = append(got, "second:"+ev.Type())
		return nil
	})
	mustPrompt(t, a, "go")
	if got[0] != "first:agent_start" || got[1] != "second:agent_start" || got[2] != "second:turn_start" {
		t.Errorf("%q", got[:3])
	}
}

func TestLaw_D3_PromptAndWaitReturnAfterTheLastListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := agent.New(answers(says("hi")).stream, &agent.Options{Model: labModel("m")})
		var settled atomic.Bool
		a.Subscribe(func(_ context.Context, ev agent.Event) error {
			if ev.Type() == agent.EventAgentEnd {
				time.Sleep(time.Minute)
				settled.Store(true)
			}
			return nil
		})
		var wg sync.WaitGroup
		wg.Go(func() { mustPrompt(t, a, "go") })
		synctest.Wait()
		wg.Go(func() {
			if err := a.Wait(t.Context()); err != nil || !settled.Load() {
				t.Errorf("Wait returned before the listener: %v", err)
			}
		})
		wg.Wait()
		if a.State().Streaming {
			t.Error("still busy")
		}
	})
}

func TestLaw_D4_ProgressNeverBlocksTheTool(t *testing.T) {
	release := make(chan struct{})
	tool := toolOf("x", func(_ context.Context, call *agent.Call) (*agent.ToolResult, error) {
		for range 1000 {
			call.Update(agent.TextResult("more"))
		}
		close(release) // the listener holds the first update until here
		return agent.TextResult("ok"), nil
	})
	a := agent.New(answers(calls("x:1"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{tool}})
	updates, ended := 0, false
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		switch ev.(type) {
		case *agent.ToolExecutionUpdate:
			<-release
			updates++
			if ended {
				t.Error("an update after the end")
			}
		case *agent.ToolExecutionEnd:
			ended = true
		}
		return nil
	})
	mustPrompt(t, a, "go")
	if updates != 1000 {
		t.Errorf("%d updates", updates)
	}
}

func TestLaw_D5_ToolsAreJoinedBeforeTheFailureIsReported(t *testing.T) {
	var running atomic.Int32
	slow := toolOf("slow", func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
		running.Add(1)
		defer running.Add(-1)
		<-ctx.Done()
		time.Sleep(10 * time.Millisecond)
		return nil, ctx.Err()
	})
	quick := okTool("quick")
	a := agent.New(answers(calls("slow:1", "quick:2")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{slow, quick}})
	boom := errors.New("boom")
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		switch ev := ev.(type) {
		case *agent.ToolExecutionEnd:
			return boom
		case *agent.TurnEnd:
			if running.Load() != 0 {
				t.Error("a tool still runs while the failure is reported")
			}
			if ev.Message.StopReason != ai.StopError || !errors.Is(ev.Message.Err, boom) {
				t.Errorf("the failure is %+v", ev.Message)
			}
		}
		return nil
	})
	mustPrompt(t, a, "go")
	if got := a.State().Error; got != "boom" {
		t.Errorf("error %q", got)
	}
}

func TestLaw_D5_AFailingFailureIsReturned(t *testing.T) {
	a := agent.New(answers(says("hi")).stream, &agent.Options{Model: labModel("m")})
	boom := errors.New("boom")
	a.Subscribe(func(context.Context, agent.Event) error { return boom })
	if err := a.Prompt(t.Context(), agent.User("go")); !errors.Is(err, boom) {
		t.Errorf("Prompt returned %v", err)
	}
	if a.State().Streaming {
		t.Error("still busy")
	}
}

func TestLaw_D5_PanicsAreFailures(t *testing.T) {
	for _, kind := range []string{"listener", "hook", "tool", "provider"} {
		t.Run(kind, func(t *testing.T) {
			opts := &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{toolOf("x", func(context.Context, *agent.Call) (*agent.ToolResult, error) {
				if kind == "tool" {
					panic("boom")
				}
				return nil, nil
			})}}
			if kind == "hook" {
				opts.Hooks.TransformContext = func(context.Context, []agent.Message) ([]agent.Message, error) { panic("boom") }
			}
			stream := answers(calls("x:1"), says("done")).stream
			if kind == "provider" {
				stream = func(ctx context.Context, req *ai.Request) *ai.Stream {
					return ai.NewStream(ctx, req.Model, func(context.Context, *ai.Writer) error { panic("boom") })
				}
			}
			a := agent.New(stream, opts)
			a.Subscribe(func(_ context.Context, ev agent.Event) error {
				if end, ok := ev.(*agent.MessageEnd); ok && kind == "listener" && end.Message.Role() == ai.RoleUser {
					panic("boom")
				}
				return nil
			})
			mustPrompt(t, a, "go")
			if st := a.State(); kind != "tool" && !strings.Contains(st.Error, "boom") {
				t.Errorf("error %q", st.Error)
			}
			if kind == "tool" && !strings.Contains(results(a), "boom") {
				t.Errorf("results %q", results(a))
			}
		})
	}
}

func TestLaw_D6_NoListenerOverlapsWithItself(t *testing.T) {
	var tools []*agent.Tool
	var names []string
	for _, n := range []string{"a", "b", "c", "d"} {
		names = append(names, n+":"+n)
		tools = append(tools, toolOf(n, func(_ context.Context, call *agent.Call) (*agent.ToolResult, error) {
			for range 50 {
				call.Update(agent.TextResult("x"))
			}
			return nil, nil
		}))
	}
	a := agent.New(answers(calls(names...), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: tools})
	var inside atomic.Int32
	a.Subscribe(func(context.Context, agent.Event) error {
		if inside.Add(1) != 1 {
			t.Error("two deliveries at once")
		}
		inside.Add(-1)
		return nil
	})
	mustPrompt(t, a, "go")
}

func TestLaw_D7_KeptEventsNeverChange(t *testing.T) {
	model := answers(&ai.AssistantMessage{Content: ai.Content{&ai.Text{Text: "one"}, &ai.Text{Text: "two"}}}, says("x"))
	a := agent.New(model.stream, &agent.Options{Model: labModel("m")})
	type kept struct {
		ev   agent.Event
		json string
	}
	var all []kept
	show := func(ev agent.Event) string {
		s := string(ev.AppendJSON(nil))
		if u, ok := ev.(*agent.MessageUpdate); ok {
			s += string(raw(u.Message()))
		}
		return s
	}
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		all = append(all, kept{ev, show(ev)})
		return nil
	})
	mustPrompt(t, a, "go")
	mustPrompt(t, a, "again")
	for _, k := range all {
		if now := show(k.ev); now != k.json {
			t.Errorf("%s has changed\n was %s\n is  %s", k.ev.Type(), k.json, now)
		}
	}
}

func TestSubscribersComeAndGo(t *testing.T) {
	a := agent.New(streamText(20_000), &agent.Options{Model: labModel("m")})
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				remove := a.Subscribe(func(context.Context, agent.Event) error { return nil })
				remove()
			}
		})
	}
	mustPrompt(t, a, "go")
	stop()
	wg.Wait()
}

func TestBreakingOutOfTheIteratorEndsTheRun(t *testing.T) {
	cfg := &agent.LoopConfig{Model: labModel("m"), Stream: streamText(100)}
	n := 0
	for ev, err := range agent.Iterate(t.Context(), []agent.Message{agent.User("hi")}, agent.Context{}, cfg) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; ev.Type() == agent.EventMessageUpdate {
			break
		}
	}
	if n != 6 { // agent_start turn_start, the prompt's two, message_start, first update
		t.Errorf("%d events", n)
	}
}
