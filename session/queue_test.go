package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

func TestLaw_S2_OfTwoPromptsAtOnceNoneIsLost(t *testing.T) {
	for range 50 {
		s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{text("one"), text("two")}}, session.Options{})
		l := record(s)
		var accepted atomic.Int32
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				a, err := s.Start(session.Prompt{Text: fmt.Sprint("p", i)})
				if err == nil {
					accepted.Add(1)
					if _, err := a.Wait(t.Context()); err != nil {
						t.Error(err)
					}
				} else if !errors.Is(err, session.ErrBusy) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		delivered := l.count("user:p0") + l.count("user:p1")
		if int(accepted.Load()) != delivered || l.count("agent_settled") != delivered {
			t.Fatalf("%d accepted, %d delivered, %d settled", accepted.Load(), delivered, l.count("agent_settled"))
		}
	}
}

func TestLaw_S2_APromptAfterSettledIsAccepted(t *testing.T) {
	s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{text("one"), text("two")}}, session.Options{})
	second := make(chan error, 1)
	var once sync.Once
	s.Subscribe(func(ev event.Event) {
		if ev.Type() == event.EventAgentSettled {
			once.Do(func() {
				_, err := s.Start(session.Prompt{Text: "again"})
				second <- err
			})
		}
	})
	l := record(s)
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Fatalf("a prompt from agent_settled is refused: %v", err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := l.String(); strings.Index(got, "agent_settled") > strings.LastIndex(got, "agent_start") {
		t.Errorf("the first run settles after the second began: %s", got)
	}
}

func TestALateSteeringMessageIsDeliveredOnce(t *testing.T) {
	for range 50 {
		s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{text("one"), text("two")}}, session.Options{})
		l := record(s)
		s.Subscribe(func(ev event.Event) {
			if ev.Type() == agent.EventTurnEnd && l.count("user:late") == 0 {
				go s.Queue(session.Prompt{Text: "late"}, session.Steer)
			}
		})
		if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		// Either it was in time, or it waits, visibly, for the next run.
		if n, waits := l.count("user:late"), s.State().Pending; n+waits > 1 {
			t.Fatalf("delivered %d times, %d wait", n, waits)
		}
	}
}

func TestSteeringGoesBeforeFollowUps(t *testing.T) {
	gate := make(chan struct{})
	s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{held("one", gate), text("two"), text("three")}}, session.Options{})
	l := record(s)
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		text string
		d    session.Delivery
	}{{"later", session.FollowUp}, {"now", session.Steer}} {
		if _, err := s.Start(session.Prompt{Text: q.text, WhileBusy: q.d}); err != nil {
			t.Fatal(err)
		}
	}
	close(gate)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := l.String()
	if now, later := strings.Index(got, "user:now"), strings.Index(got, "user:later"); now < 0 || later < now {
		t.Errorf("%s", got)
	}
}

func TestMessagesLeaveTheQueueByIdentity(t *testing.T) {
	gate := make(chan struct{})
	s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{held("one", gate), text("two"), text("three"), text("four")}}, session.Options{})
	l := record(s)
	a, err := s.Start(session.Prompt{Text: "same"})
	if err != nil {
		t.Fatal(err)
	}
	image := []*ai.Image{{Data: "aGVsbG8=", MIMEType: "image/png"}}
	for _, p := range []session.Prompt{{Images: image}, {Text: "same"}, {Text: "same"}} {
		if err := s.Queue(p, session.Steer); err != nil {
			t.Fatal(err)
		}
	}
	close(gate)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if pending := s.State().Pending; pending != 0 || l.count("user:same") != 3 {
		t.Errorf("%d still shown as pending: %s", pending, l)
	}
}

func TestAnAbortGivesTheQueueBack(t *testing.T) {
	var ran atomic.Int32
	tool := func(name string) *agent.Tool {
		return &agent.Tool{Name: name, Mode: agent.Sequential, Execute: func(ctx context.Context, _ *agent.Call) (*agent.ToolResult, error) {
			ran.Add(1)
			<-ctx.Done()
			return nil, ctx.Err()
		}}
	}
	m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("a", "b")}}
	s := open(t, inMemory(), m, session.Options{Tools: []*agent.Tool{tool("a"), tool("b")}})
	started := make(chan struct{})
	s.Subscribe(func(ev event.Event) {
		if start, ok := ev.(*agent.ToolExecutionStart); ok && start.ToolCallID == "a" {
			close(started)
		}
	})
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	<-started
	if err := s.Queue(session.Prompt{Text: "steer"}, session.Steer); err != nil {
		t.Fatal(err)
	}
	steering, _ := s.ClearQueue()
	if err := s.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitAborted(t, a)
	if !slices.Equal(steering, []string{"steer"}) || ran.Load() > 1 || m.asked() != 1 {
		t.Errorf("queue %v, %d tools ran, %d requests", steering, ran.Load(), m.asked())
	}
}

func TestQueueModesAreChecked(t *testing.T) {
	s := open(t, inMemory(), &model{}, session.Options{})
	if err := s.SetQueueModes("sometimes", ""); err == nil || !strings.Contains(err.Error(), "one-at-a-time") {
		t.Errorf("%v", err)
	}
	if err := s.SetQueueModes(agent.All, agent.All); err != nil {
		t.Error(err)
	}
}
