package session_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

func TestAnInterruptTakesThePlaceOfTheRun(t *testing.T) {
	m := &model{replies: []func(context.Context, *ai.Writer) error{held("half", nil), text("two"), text("three")}}
	s := open(t, inMemory(), m, session.Options{})
	l, begun := record(s), streaming(s)
	first, err := s.Start(session.Prompt{Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := s.Queue(session.Prompt{Text: "queued"}, session.FollowUp); err != nil {
		t.Fatal(err)
	}
	var taken session.Disposition
	second, err := s.Start(session.Prompt{Text: "instead", WhileBusy: session.Interrupt, Accepted: func(d session.Disposition) { taken = d }})
	if err != nil || taken != session.Started {
		t.Fatalf("Start: %v, %q", err, taken)
	}
	if res, err := second.Wait(t.Context()); err != nil || res.Text() != "two" || res.Cause != session.CauseAnswered {
		t.Fatalf("the interrupting prompt came to %+v, %v", res, err)
	}
	if res, err := first.Wait(t.Context()); !errors.Is(err, agent.ErrAborted) || res.Text() != "half" || res.Cause != session.CauseAborted {
		t.Errorf("the interrupted prompt came to %+v, %v", res, err)
	}
	if got, want := spoken(s), []string{"one", "half", "instead", "two", "queued", "three"}; !slices.Equal(got, want) {
		t.Errorf("the transcript is %q, want %q", got, want)
	}
	settled := 0
	for _, ev := range l.list {
		if ev == event.EventAgentSettled {
			settled++
		}
	}
	if settled != 1 {
		t.Errorf("settled %d times: %q", settled, l.list)
	}
}

func TestInterruptOfAnIdleSessionIsAPrompt(t *testing.T) {
	s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{text("one")}}, session.Options{})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go", WhileBusy: session.Interrupt}); err != nil {
		t.Fatal(err)
	}
	if got := spoken(s); !slices.Equal(got, []string{"go", "one"}) {
		t.Errorf("the transcript is %q", got)
	}
	if err := s.Queue(session.Prompt{Text: "x"}, session.Interrupt); err == nil {
		t.Error("a queue has taken an interrupt")
	}
}

func TestLaw_S2_OfManyInterruptsNoneIsLost(t *testing.T) {
	replies := []func(context.Context, *ai.Writer) error{held("half", nil)}
	for range 20 {
		replies = append(replies, text("answer"))
	}
	s := open(t, inMemory(), &model{replies: replies}, session.Options{})
	begun := streaming(s)
	if _, err := s.Start(session.Prompt{Text: "one"}); err != nil {
		t.Fatal(err)
	}
	<-begun
	var wg sync.WaitGroup
	for _, text := range []string{"a", "b", "c", "d", "e", "f"} {
		wg.Go(func() {
			_, err := s.Prompt(t.Context(), session.Prompt{Text: text, WhileBusy: session.Interrupt})
			if err != nil && !errors.Is(err, agent.ErrAborted) { // the next one interrupts it
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "b", "c", "d", "e", "f"} {
		if n := len(slices.DeleteFunc(spoken(s), func(said string) bool { return said != text })); n != 1 {
			t.Errorf("%q was delivered %d times", text, n)
		}
	}
}

// An abort right after an interrupt is for both.
func TestAnAbortAfterAnInterruptStopsIt(t *testing.T) {
	stuck := make(chan struct{})
	m := &model{replies: []func(context.Context, *ai.Writer) error{
		func(ctx context.Context, w *ai.Writer) error {
			w.Append(w.StartText(), "half")
			<-stuck // so that the abort comes before the run has ended
			return ctx.Err()
		},
	}}
	s := open(t, inMemory(), m, session.Options{AbortGrace: 10 * time.Second})
	begun := streaming(s)
	a, err := s.Start(session.Prompt{Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := s.Start(session.Prompt{Text: "instead", WhileBusy: session.Interrupt}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Abort(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Abort did not wait: %v", err)
	}
	close(stuck)
	waitAborted(t, a)
	if got := s.LastAnswer(); got.StopReason != ai.StopAborted || !slices.Contains(spoken(s), "instead") {
		t.Errorf("the last answer is %s %q of %q", got.StopReason, got.ErrorMessage, spoken(s))
	}
}
