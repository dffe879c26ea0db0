package scripted_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
)

// execute makes a tool's function out of what it does.
func execute(f func()) func(context.Context, *agent.Call) (*agent.ToolResult, error) {
	return func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		f()
		return agent.TextResult("ok"), nil
	}
}

func TestPace(t *testing.T) {
	three := []scripted.Block{scripted.Text("1234", "12345678", "1234")}
	for name, c := range map[string]struct {
		reply scripted.Reply
		want  time.Duration
	}{
		"none":    {scripted.Reply{Blocks: three}, 0},
		"latency": {scripted.Reply{Blocks: three, Latency: 2 * time.Second}, 2 * time.Second},
		"pace":    {scripted.Reply{Blocks: three, Pace: 50 * time.Millisecond}, 150 * time.Millisecond},
		"tokens":  {scripted.Reply{Blocks: three, TokensPerSecond: 2}, 2 * time.Second},
		"all":     {scripted.Reply{Blocks: three, Latency: time.Second, Pace: time.Second, TokensPerSecond: 2}, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, m := ask(t, scripted.New(c.reply).Stream, t.Context())
				diff(t, "time", c.want, time.Since(start))
				diff(t, "stop", ai.StopEnd, m.StopReason)
			})
		})
	}
}

func TestAbort(t *testing.T) {
	words := scripted.Text("One ", "two ", "three")
	tired := errors.New("the user is tired of waiting")
	for name, c := range map[string]struct {
		reply scripted.Reply
		want  string
	}{
		"before the start": {scripted.Reply{Blocks: []scripted.Block{words}, Latency: time.Minute}, "aborted; the user is tired of waiting"},
		"at the hold":      {scripted.Reply{Blocks: []scripted.Block{words}, Hold: "never"}, "aborted; the user is tired of waiting"},
		"between pieces":   {scripted.Reply{Blocks: []scripted.Block{words}, Pace: 400 * time.Millisecond}, `text "One two "; aborted; the user is tired of waiting`},
		"at a gate":        {scripted.Reply{Blocks: []scripted.Block{words}, Gates: []scripted.Gate{{Name: "never", At: 1}}}, `text "One "; aborted; the user is tired of waiting`},
		"at the last gate": {scripted.Reply{Blocks: []scripted.Block{words}, Gates: []scripted.Gate{{Name: "never", At: 9}}}, `text "One two three"; aborted; the user is tired of waiting`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, tired)
				defer cancel()
				_, m := ask(t, scripted.New(c.reply).Stream, ctx)
				diff(t, "answer", c.want, show(m))
			})
		})
	}
}

func TestAbort_BeforeTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := scripted.New(scripted.Say("one"))
	events, answer := ask(t, m.Stream, ctx)
	diff(t, "answer", "aborted; the request was aborted: context canceled", show(answer))
	diff(t, "events", 1, len(events))
	if !errors.Is(answer.Err, context.Canceled) {
		t.Errorf("the cause is %v", answer.Err)
	}
}

func TestReaderThatLeaves(t *testing.T) {
	m := scripted.New(scripted.Reply{Blocks: []scripted.Block{scripted.Text("One ", "two")}, Gates: []scripted.Gate{{Name: "never", At: 1}}})
	for ev := range m.Stream(t.Context(), &ai.Request{}).Events() {
		if _, ok := ev.(*ai.TextDelta); ok {
			break // the gate must not be waited at
		}
	}
}

// The reply stops at each gate, with exactly the pieces before it.
func TestGates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.New(scripted.Reply{
			Blocks: []scripted.Block{scripted.Text("One ", "two "), scripted.Call("c1", "t", nil)},
			Hold:   "hold",
			Gates:  []scripted.Gate{{"end", 9}, {"start", 0}, {"two", 1}, {"call", 2}},
		})
		kinds := []string{}
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			for ev := range m.Stream(t.Context(), &ai.Request{}).Events() {
				kinds = append(kinds, ev.Type())
			}
		}()
		seen := 0
		for _, step := range []struct {
			gate string
			want []string
		}{
			{"hold", []string{}},
			{"start", []string{"start"}},
			{"two", []string{"text_start", "text_delta"}},
			{"call", []string{"text_delta", "text_end"}},
			{"end", []string{"toolcall_start", "toolcall_delta", "toolcall_end"}},
		} {
			<-m.Waiting(step.gate)
			synctest.Wait()
			diff(t, "events before "+step.gate, step.want, kinds[seen:])
			seen = len(kinds)
			m.Release(step.gate)
		}
		<-finished
		diff(t, "last events", []string{"done"}, kinds[seen:])
	})
}

func TestGates_ReleasedEarlyAndTwice(t *testing.T) {
	held := scripted.Say("Hi.")
	held.Hold = "g"
	m := scripted.New(held, held)
	m.Release("g")
	m.Release("g")
	for range 2 {
		_, answer := ask(t, m.Stream, t.Context())
		diff(t, "answer", `text "Hi."; stop`, show(answer))
	}
	<-m.Waiting("g")
}

// A user steers while the model is in the middle of its answer.
func TestGates_SteeringInTheMiddle(t *testing.T) {
	m := scripted.New(
		scripted.Reply{Blocks: []scripted.Block{scripted.Text("I will ", "paint it red.")}, Gates: []scripted.Gate{{"middle", 1}}},
		scripted.Func(func(req *ai.Request) scripted.Reply {
			last := req.Context.Messages[len(req.Context.Messages)-1].(*ai.UserMessage)
			return scripted.Say("Very well: " + last.Content.Text())
		}),
	)
	a := agent.New(m.Stream, &agent.Options{Model: scripted.Record()})
	done := make(chan error, 1)
	go func() { done <- a.Prompt(t.Context(), agent.User("Paint the shed.")) }()
	<-m.Waiting("middle")
	a.Steer(agent.User("green"))
	m.Release("middle")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	messages := a.State().Messages
	diff(t, "answer", `text "Very well: green"; stop`, show(messages[len(messages)-1].(*ai.AssistantMessage)))
}
