package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

func TestLaw_L1_OrderOfARun(t *testing.T) {
	a := agent.New(answers(calls("x:1"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("x")}})
	r := &recorder{}
	a.Subscribe(r.listen)
	mustPrompt(t, a, "go")
	want := "agent_start turn_start start:user end:user start:assistant end:assistant run:1 done:1 start:toolResult end:toolResult turn_end " +
		"turn_start start:assistant end:assistant turn_end agent_end"
	if r.String() != want {
		t.Errorf("got  %s\nwant %s", r, want)
	}
}

func TestLaw_L2_FollowUpsWaitUntilTheRunWouldStop(t *testing.T) {
	model := answers(calls("x:1"), says("one"), says("two"), says("three"))
	a := agent.New(model.stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("x")}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if ev.Type() == agent.EventToolExecutionStart {
			a.FollowUp(agent.User("follow-up"))
			a.Steer(agent.User("steering"))
		}
		return nil
	})
	mustPrompt(t, a, "go")
	var roles []string
	for _, m := range a.State().Messages {
		if u, ok := m.(*ai.UserMessage); ok {
			roles = append(roles, u.Content.Text())
		} else {
			roles = append(roles, m.Role())
		}
	}
	want := "go assistant toolResult steering assistant follow-up assistant"
	if got := strings.Join(roles, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// stubborn ignores every cancellation.
func stubborn(name string, release <-chan struct{}) *agent.Tool {
	return toolOf(name, func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		<-release
		return agent.TextResult("too late"), nil
	})
}

func TestAToolThatIgnoresTheAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		model := answers(calls("stuck:1", "x:2"))
		a := agent.New(model.stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{stubborn("stuck", release), okTool("x")}, AbortGrace: 2 * time.Second})
		r := &recorder{}
		a.Subscribe(r.listen)
		time.AfterFunc(time.Second, a.Abort)
		begin := time.Now()
		mustPrompt(t, a, "go")
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("the run ended after %v", took)
		}
		if got := results(a); !strings.HasPrefix(got, "!1=Operation aborted") || !strings.Contains(got, "| 2=ok") {
			t.Errorf("results %s", got)
		}
		before := r.String()
		close(release)
		synctest.Wait()
		if r.String() != before || strings.Contains(results(a), "too late") {
			t.Error("the late result was delivered")
		}
	})
}

func TestLaw_L8_WhateverIgnoresTheAbortIsGivenUp(t *testing.T) {
	for _, stuck := range []string{"provider", "hook", "listener"} {
		t.Run(stuck, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				opts := &agent.Options{Model: labModel("m"), AbortGrace: 2 * time.Second}
				stream := answers(says("hi"), says("again")).stream
				if stuck == "provider" {
					stream = func(ctx context.Context, req *ai.Request) *ai.Stream {
						return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
							w.Append(w.StartText(), "half")
							<-release
							return errors.New("too late")
						})
					}
				}
				if stuck == "hook" {
					opts.Hooks.TransformContext = func(_ context.Context, m []agent.Message) ([]agent.Message, error) {
						<-release
						return m, nil
					}
				}
				a := agent.New(stream, opts)
				first := &recorder{}
				a.Subscribe(first.listen)
				late := &recorder{}
				a.Subscribe(func(ctx context.Context, ev agent.Event) error {
					if stuck == "listener" && ev.Type() == agent.EventTurnEnd && len(late.log) < 20 {
						<-release
					}
					return late.listen(ctx, ev)
				})
				time.AfterFunc(time.Second, a.Abort)
				err := a.Prompt(t.Context(), agent.User("go"))
				if !errors.Is(err, agent.ErrUnresponsive) {
					t.Fatalf("Prompt returned %v", err)
				}
				if a.State().Streaming {
					t.Error("still busy")
				}
				if got := first.String(); !strings.HasSuffix(got, "turn_end agent_end") {
					t.Errorf("the run does not end in order: %s", got)
				}
				close(release)
				synctest.Wait()
				if late.String() != first.String() {
					t.Errorf("the stuck listener got  %s\nthe other one got       %s", late, first)
				}
			})
		})
	}
}

// Whichever event a listener is stuck in, every listener gets every event once.
func TestLaw_L8_AStuckListenerCostsOthersNoEvent(t *testing.T) {
	for _, in := range []string{agent.EventAgentStart, agent.EventMessageEnd, agent.EventTurnEnd, agent.EventAgentEnd} {
		t.Run(in, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				a := agent.New(answers(says("hi")).stream, &agent.Options{Model: labModel("m"), AbortGrace: 2 * time.Second})
				before, stuck, behind := &recorder{}, &recorder{}, &recorder{}
				a.Subscribe(before.listen)
				waited := false
				a.Subscribe(func(ctx context.Context, ev agent.Event) error {
					if ev.Type() == in && !waited {
						waited = true
						<-release
					}
					return stuck.listen(ctx, ev)
				})
				a.Subscribe(behind.listen)
				time.AfterFunc(time.Second, a.Abort)
				if err := a.Prompt(t.Context(), agent.User("go")); !errors.Is(err, agent.ErrUnresponsive) {
					t.Fatalf("Prompt returned %v", err)
				}
				close(release)
				synctest.Wait()
				if n := strings.Count(before.String(), "agent_end"); n != 1 || behind.String() != before.String() || stuck.String() != before.String() {
					t.Errorf("before  %s\nstuck   %s\nbehind  %s", before, stuck, behind)
				}
			})
		})
	}
}

func TestLaw_L8_AnUnterminatedStreamIsAnError(t *testing.T) {
	stream := func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.StreamOf(func(yield func(ai.StreamEvent, error) bool) { yield(&ai.Start{}, nil) }, nil)
	}
	a := agent.New(stream, &agent.Options{Model: labModel("m")})
	mustPrompt(t, a, "go")
	last := a.State().Messages[1].(*ai.AssistantMessage)
	if last.StopReason != ai.StopError || !errors.Is(last.Err, ai.ErrUnterminated) {
		t.Errorf("%+v", last)
	}
}

func TestLaw_L9_ASecondPromptIsRefusedWithAdvice(t *testing.T) {
	a := agent.New(answers(says("hi")).stream, &agent.Options{Model: labModel("m")})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if ev.Type() == agent.EventAgentStart {
			err := a.Prompt(t.Context(), agent.User("me too"))
			if !errors.Is(err, agent.ErrBusy) || !strings.Contains(err.Error(), "Steer") || !strings.Contains(err.Error(), "FollowUp") {
				t.Errorf("%v", err)
			}
		}
		return nil
	})
	mustPrompt(t, a, "go")
}

func TestLaw_L11_ToolChangesAreRecorded(t *testing.T) {
	model := answers(says("one"), says("two"), says("three"))
	a := agent.New(model.stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("a")}, Transcript: agent.TranscriptToolChanges})
	mustPrompt(t, a, "first")
	a.SetTools([]*agent.Tool{okTool("b")})
	mustPrompt(t, a, "second")
	mustPrompt(t, a, "third")
	var changes []*ai.SystemMessage
	for _, m := range a.State().Messages {
		if sys, ok := m.(*ai.SystemMessage); ok {
			changes = append(changes, sys)
		}
	}
	if len(changes) != 1 || len(changes[0].ToolsAdded) != 1 || changes[0].ToolsAdded[0].Name != "b" || strings.Join(changes[0].ToolsRemoved, "") != "a" {
		t.Errorf("recorded %s", raw(changes))
	}
}

func TestANestedRunStopsWithItsParent(t *testing.T) {
	var a, inner *agent.Agent
	stopped := make(chan struct{})
	nested := toolOf("sub", func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
		inner = agent.New(func(ctx context.Context, req *ai.Request) *ai.Stream {
			return ai.NewStream(ctx, req.Model, func(ctx context.Context, _ *ai.Writer) error {
				a.Abort()
				<-ctx.Done()
				close(stopped)
				return ctx.Err()
			})
		}, &agent.Options{Model: labModel("m")})
		return nil, inner.Prompt(ctx, agent.User("nested"))
	})
	a = agent.New(answers(calls("sub:1")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{nested}})
	mustPrompt(t, a, "go")
	<-stopped
	if last := inner.State().Messages[1].(*ai.AssistantMessage); last.StopReason != ai.StopAborted {
		t.Errorf("the nested run ended with %s", last.StopReason)
	}
}

func TestAnAbortReachesLateHandlers(t *testing.T) {
	a := agent.New(answers(says("hi")).stream, &agent.Options{Model: labModel("m")})
	a.Subscribe(func(ctx context.Context, ev agent.Event) error {
		if ev.Type() == agent.EventAgentEnd {
			time.AfterFunc(5*time.Millisecond, a.Abort)
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), agent.ErrAborted) {
				t.Errorf("the cause is %v", context.Cause(ctx))
			}
		}
		return nil
	})
	mustPrompt(t, a, "go")
}

func TestAnAbortBeatsAnError(t *testing.T) {
	a := agent.New(answers(says("never")).stream, &agent.Options{Model: labModel("m"), Hooks: agent.Hooks{
		APIKey: func(ctx context.Context, _ string) (string, error) {
			<-ctx.Done()
			return "", errors.New("the token could not be refreshed")
		},
	}})
	time.AfterFunc(5*time.Millisecond, a.Abort)
	mustPrompt(t, a, "go")
	if last := a.State().Messages[1].(*ai.AssistantMessage); last.StopReason != ai.StopAborted {
		t.Errorf("the answer ended with %s", last.StopReason)
	}
}

func TestEveryCallIsAnsweredAfterAnAbort(t *testing.T) {
	for _, mode := range []agent.ExecutionMode{agent.Sequential, agent.Parallel} {
		t.Run(string(mode), func(t *testing.T) {
			var a *agent.Agent
			waits := toolOf("waits", func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
				a.Abort()
				<-ctx.Done()
				return nil, errors.New("stopped by the user")
			})
			model := answers(calls("waits:A", "x:B", "x:C"))
			a = agent.New(model.stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{waits, okTool("x")}, ToolExecution: mode})
			mustPrompt(t, a, "run it")
			got := strings.Split(results(a), " | ")
			if len(got) != 3 || got[0] != "!A=stopped by the user" || !strings.Contains(got[1], "B=") || !strings.Contains(got[2], "C=") {
				t.Errorf("results %q", got)
			}
		})
	}
}

func TestListenersAreDoneBeforeTheNextCall(t *testing.T) {
	stored := 0
	x := okTool("x")
	x.Mode = agent.Sequential
	a := agent.New(answers(calls("x:A", "x:B"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{x}, Hooks: agent.Hooks{
		BeforeToolCall: func(_ context.Context, c *agent.PendingCall) (agent.Decision, error) {
			if want := map[string]int{"A": 0, "B": 1}[c.Call.ID]; stored != want {
				t.Errorf("before %s: %d results stored", c.Call.ID, stored)
			}
			return agent.Decision{}, nil
		},
	}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if end, ok := ev.(*agent.MessageEnd); ok && end.Message.Role() == ai.RoleToolResult {
			time.Sleep(5 * time.Millisecond)
			stored++
		}
		return nil
	})
	mustPrompt(t, a, "go")
}

func TestASlowListenerKeepsTheOrder(t *testing.T) {
	a := agent.New(answers(calls("x:1"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("x")}})
	var order []string
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if end, ok := ev.(*agent.MessageEnd); ok {
			if end.Message.Role() == ai.RoleAssistant {
				time.Sleep(5 * time.Millisecond)
			}
			order = append(order, end.Message.Role())
		}
		return nil
	})
	mustPrompt(t, a, "go")
	if got := strings.Join(order, " "); got != "user assistant toolResult assistant" {
		t.Errorf("order %s", got)
	}
}

func TestSteeringReachesTheNextRequestOfTheRun(t *testing.T) {
	for _, queue := range []string{"steer", "followUp"} {
		model := answers(&ai.AssistantMessage{StopReason: ai.StopEnd}, says("better"))
		a := agent.New(model.stream, &agent.Options{Model: labModel("m")})
		runs := 0
		a.Subscribe(func(_ context.Context, ev agent.Event) error {
			switch ev := ev.(type) {
			case *agent.AgentStart:
				runs++
			case *agent.MessageEnd:
				if m, ok := ev.Message.(*ai.AssistantMessage); ok && len(m.Content) == 0 {
					if queue == "steer" {
						a.Steer(agent.User("continue"))
					} else {
						a.FollowUp(agent.User("continue"))
					}
				}
			}
			return nil
		})
		mustPrompt(t, a, "go")
		if runs != 1 || len(model.seen()) != 2 {
			t.Errorf("%s: %d runs, %d requests", queue, runs, len(model.seen()))
		}
	}
}
