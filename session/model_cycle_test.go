package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

func thinker(id string) *ai.Model {
	m := *labModel
	m.ID, m.Reasoning = id, true
	return &m
}

func TestCycleModel(t *testing.T) {
	a, b, c := thinker("a"), thinker("b"), thinker("c")
	plain := *labModel
	plain.ID = "plain"
	for name, test := range map[string]struct {
		opts  session.Options
		start *ai.Model
		want  []string
	}{
		"nothing to choose from":   {session.Options{}, a, []string{"-"}},
		"one model":                {session.Options{Available: func() []*ai.Model { return []*ai.Model{a} }}, a, []string{"-"}},
		"all that are available":   {session.Options{Available: func() []*ai.Model { return []*ai.Model{a, b, c} }}, b, []string{"c medium", "a medium", "b medium"}},
		"a level is clamped":       {session.Options{Available: func() []*ai.Model { return []*ai.Model{a, &plain} }}, a, []string{"plain off", "a off"}},
		"one in the scope":         {session.Options{Scope: []session.ScopedModel{{Model: b}}, Available: func() []*ai.Model { return []*ai.Model{a, b, c} }}, a, []string{"-"}},
		"the levels of the scope":  {session.Options{Scope: []session.ScopedModel{{a, ""}, {b, "high"}, {c, "low"}}}, a, []string{"b high scoped", "c low scoped", "a low scoped", "b high scoped"}},
		"not in the scope":         {session.Options{Scope: []session.ScopedModel{{b, ""}, {c, ""}}}, a, []string{"c medium scoped", "b medium scoped"}},
		"some cannot be asked":     {session.Options{Scope: []session.ScopedModel{{a, ""}, {b, ""}, {c, ""}}, Ready: notReady("b")}, a, []string{"c medium scoped", "a medium scoped"}},
		"the user prefers a level": {session.Options{Scope: []session.ScopedModel{{a, ""}, {b, ""}}, LevelFor: func(m *ai.Model) ai.ThinkingLevel { return map[string]ai.ThinkingLevel{"b": "high"}[m.ID] }}, a, []string{"b high scoped", "a high scoped"}},
	} {
		t.Run(name, func(t *testing.T) {
			store := inMemory()
			opts := test.opts
			opts.Stream, opts.Model, opts.Thinking, opts.CWD = (&model{}).stream, test.start, ai.ThinkingMedium, t.TempDir()
			s, err := session.New(store, &opts)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			for _, want := range test.want {
				next, err := s.CycleModel()
				if err != nil {
					t.Fatal(err)
				}
				got := "-"
				if next != nil {
					got = fmt.Sprintf("%s %s", next.Model.ID, next.Thinking)
					if next.Scoped {
						got += " scoped"
					}
					past, err := transcript.Project(store, store.Leaf())
					if err != nil || past.ModelID != next.Model.ID || past.ThinkingLevel != next.Thinking {
						t.Errorf("recorded are %s %s (%v)", past.ModelID, past.ThinkingLevel, err)
					}
				}
				if got != want {
					t.Errorf("the next model is %s, want %s", got, want)
				}
			}
		})
	}
}

func notReady(id string) func(*ai.Model) error {
	return func(m *ai.Model) error {
		if m.ID == id {
			return errors.New("no key")
		}
		return nil
	}
}

func TestCycleThinking(t *testing.T) {
	s := open(t, inMemory(), &model{}, session.Options{})
	if level, err := s.CycleThinking(); level != "" || err != nil {
		t.Errorf("a model that cannot think: %q, %v", level, err)
	}
	if err := s.SetModel(thinker("a")); err != nil {
		t.Fatal(err)
	}
	var changes []ai.ThinkingLevel
	s.Subscribe(func(ev event.Event) {
		if ev, ok := ev.(*event.ThinkingLevelChanged); ok {
			changes = append(changes, ev.Level)
		}
	})
	want := []ai.ThinkingLevel{"minimal", "low", "medium", "high", "off"}
	for _, w := range want {
		if level, err := s.CycleThinking(); level != w || err != nil {
			t.Errorf("the next level is %q (%v), want %q", level, err, w)
		}
	}
	if !slices.Equal(changes, want) {
		t.Errorf("the changes are %q", changes)
	}
	s.Close(t.Context())
	if _, err := s.CycleThinking(); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestASessionWithoutALevelGetsTheDefault(t *testing.T) {
	store := talked(t)
	opts := &session.Options{Stream: (&model{}).stream, CWD: t.TempDir(), Model: thinker("a"), DefaultThinking: func(*ai.Model) ai.ThinkingLevel { return ai.ThinkingHigh }}
	s, err := session.New(store, opts)
	if err != nil {
		t.Fatal(err)
	}
	if past, err := transcript.Project(store, store.Leaf()); err != nil || s.State().Thinking != ai.ThinkingHigh || past.ThinkingLevel != ai.ThinkingHigh {
		t.Errorf("the level is %s, recorded is %s (%v)", s.State().Thinking, past.ThinkingLevel, err)
	}
	n := store.Len()
	opts.DefaultThinking = func(*ai.Model) ai.ThinkingLevel { return ai.ThinkingLow }
	if s, err = session.New(store, opts); err != nil || s.State().Thinking != ai.ThinkingHigh || store.Len() != n {
		t.Errorf("opened again at %s with %d more entries (%v)", s.State().Thinking, store.Len()-n, err)
	}
}
