package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

func TestRunYieldsTheEventsOfAPrompt(t *testing.T) {
	a := agent.New(answers(calls("x:1"), says("done")).stream, &agent.Options{Model: labModel("m"), Tools: []*agent.Tool{okTool("x")}})
	r := &recorder{}
	a.Subscribe(r.listen)
	var got []string
	for ev, err := range a.Run(t.Context(), agent.User("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if _, update := ev.(*agent.MessageUpdate); !update {
			got = append(got, label(ev))
			if !strings.HasSuffix(r.String(), label(ev)) {
				t.Errorf("the body has %s before the listeners are done with it", label(ev))
			}
		}
	}
	if strings.Join(got, " ") != r.String() {
		t.Errorf("the loop got  %v\nthe listener %s", got, r)
	}
}

func TestRunIsRefusedWhileBusy(t *testing.T) {
	a := agent.New(answers(says("one")).stream, &agent.Options{Model: labModel("m")})
	for ev, err := range a.Run(t.Context(), agent.User("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Type() == agent.EventAgentStart {
			for other, err := range a.Run(t.Context(), agent.User("me too")) {
				if other != nil || !errors.Is(err, agent.ErrBusy) {
					t.Errorf("%v %v", other, err)
				}
			}
		}
	}
}

func TestBreakingOutOfRunAbortsIt(t *testing.T) {
	a := agent.New(streamText(1000), &agent.Options{Model: labModel("m")})
	r := &recorder{}
	a.Subscribe(r.listen)
	for ev, err := range a.Run(t.Context(), agent.User("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Type() == agent.EventMessageUpdate {
			break
		}
	}
	if a.State().Streaming || !strings.HasSuffix(r.String(), "agent_end") {
		t.Errorf("after the loop: busy %v, events %s", a.State().Streaming, r)
	}
}

func TestRunSurvivesAPanicOfTheBody(t *testing.T) {
	a := agent.New(answers(says("one"), says("two")).stream, &agent.Options{Model: labModel("m")})
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("recovered %v", p)
			}
		}()
		for range a.Run(t.Context(), agent.User("go")) {
			panic("boom")
		}
	}()
	mustPrompt(t, a, "again")
	if last := a.State().Messages; last[len(last)-1].Role() != ai.RoleAssistant {
		t.Error("the agent does not answer any more")
	}
}
