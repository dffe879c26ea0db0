package session_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

func TestAReaderOfEventsGetsAllInOrderHoweverSlowItIs(t *testing.T) {
	m := &model{replies: []func(context.Context, *ai.Writer) error{text("one"), text("two")}}
	s := open(t, inMemory(), m, session.Options{})
	var want []event.Event
	s.SubscribeStored(func(ev event.Event) { want = append(want, ev) })
	events := s.Events(t.Context())
	for _, p := range []string{"a", "b"} {
		mustPrompt(t, s, p)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []event.Event
	for ev, err := range events { // nothing was read while the session worked
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev)
	}
	if !slices.Equal(got, want) || len(got) < 20 {
		t.Errorf("%d events were read, %d were delivered", len(got), len(want))
	}
}

func TestAReaderThatFallsBehindIsAnErrorAndCostsTheRunNothing(t *testing.T) {
	long := func(_ context.Context, w *ai.Writer) error {
		i := w.StartText()
		for range 20_000 {
			w.Append(i, "x")
		}
		w.Done(ai.StopEnd)
		return nil
	}
	s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{long}}, session.Options{})
	events := s.Events(t.Context())
	mustPrompt(t, s, "go")
	n := 0
	for ev, err := range events {
		n++
		if !errors.Is(err, session.ErrBehind) || ev != nil {
			t.Fatalf("%v, %v", ev, err)
		}
	}
	if n != 1 {
		t.Errorf("%d values after the error", n-1)
	}
}

func TestReadersOfEventsEndWithTheirContextAndWithTheSession(t *testing.T) {
	s := open(t, inMemory(), &model{}, session.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := s.Events(ctx), s.Events(t.Context())
	cancel()
	for _, err := range first {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a reader whose context is done gets %v", err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for ev, err := range second {
		t.Errorf("a reader of a closed session gets %v, %v", ev, err)
	}
	for ev, err := range s.Events(t.Context()) {
		t.Errorf("a reader that comes late gets %v, %v", ev, err)
	}
}
