package session_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// talked is a session with two branches: q1 a1 (q2 a2 | q3 a3), of which the second is active.
func talked(t *testing.T, entries ...transcript.Entry) transcript.Store {
	t.Helper()
	return storetest.Memory(t, append([]transcript.Entry{
		storetest.At("q1", "", 1, storetest.User("first")), storetest.At("a1", "q1", 2, storetest.Assistant("one")),
		storetest.At("q2", "a1", 3, storetest.User("second")), storetest.At("a2", "q2", 4, storetest.Assistant("two")),
		storetest.At("q3", "a1", 5, storetest.User("third")), storetest.At("a3", "q3", 6, storetest.Assistant("three")),
	}, entries...)...)
}

func spoken(s *session.Session) []string {
	var texts []string
	for _, m := range s.Messages() {
		switch m := m.(type) {
		case *ai.UserMessage:
			texts = append(texts, m.Content.Text())
		case *ai.AssistantMessage:
			texts = append(texts, m.Content.Text())
		}
	}
	return texts
}

func TestNavigate(t *testing.T) {
	for name, c := range map[string]struct {
		to   transcript.EntryID
		text string
		said []string
	}{
		"an answer":               {"a2", "", []string{"first", "one", "second", "two"}},
		"a message of the user":   {"q2", "second", []string{"first", "one"}},
		"the first message":       {"q1", "first", nil},
		"an earlier answer":       {"a1", "", []string{"first", "one"}},
		"an extension's message":  {"x", "a card", []string{"first", "one"}},
		"the leaf":                {"a3", "", []string{"first", "one", "third", "three"}},
		"an entry without a text": {"l", "", []string{"first", "one", "second", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			store := talked(t,
				storetest.At("l", "a2", 7, storetest.Label("q1", "mark")),
				storetest.At("x", "a1", 8, &transcript.CustomMessageEntry{CustomType: "card", Content: transcript.CustomContent{Text: "a card"}}),
			)
			if err := store.SetLeaf("a3"); err != nil {
				t.Fatal(err)
			}
			s := open(t, store, &model{replies: []func(context.Context, *ai.Writer) error{text("new")}}, session.Options{})
			if err := store.SetLeaf("a3"); err != nil { // opening has recorded the level
				t.Fatal(err)
			}
			n := store.Len()
			result, err := s.Navigate(t.Context(), c.to, nil)
			if err != nil || result.Text != c.text {
				t.Fatalf("Navigate: %+v, %v; want the text %q", result, err, c.text)
			}
			if got := spoken(s); !slices.Equal(got, c.said) {
				t.Errorf("the transcript is %q, want %q", got, c.said)
			}
			if store.Len() != n {
				t.Errorf("going to another place has stored %d entries", store.Len()-n)
			}
			if _, err := s.Prompt(t.Context(), session.Prompt{Text: "on"}); err != nil {
				t.Fatal(err)
			}
			if got, want := spoken(s), append(slices.Clone(c.said), "on", "new"); !slices.Equal(got, want) {
				t.Errorf("the transcript is %q, want %q", got, want)
			}
		})
	}
}

func TestNavigateRefuses(t *testing.T) {
	store := talked(t)
	gate := make(chan struct{})
	s := open(t, store, &model{replies: []func(context.Context, *ai.Writer) error{held("x", gate)}}, session.Options{})
	leaf := store.Leaf()
	if _, err := s.Navigate(t.Context(), "nonesuch", nil); !errors.Is(err, transcript.ErrNoEntry) {
		t.Errorf("an unknown entry: %v", err)
	}
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Navigate(t.Context(), "q1", nil); !errors.Is(err, session.ErrBusy) {
		t.Errorf("while the agent works: %v", err)
	}
	close(gate)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Entry(leaf); err != nil || len(spoken(s)) != 6 {
		t.Errorf("%q, %v", spoken(s), err)
	}
	s.Close(t.Context())
	if _, err := s.Navigate(t.Context(), "q1", nil); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestALabelMarksTheEntryThatWasGoneTo(t *testing.T) {
	store := talked(t)
	s := open(t, store, &model{}, session.Options{})
	if _, err := s.Navigate(t.Context(), "q2", &session.Navigation{Label: "try again"}); err != nil {
		t.Fatal(err)
	}
	e, err := store.Entry(store.Leaf())
	if l, ok := e.(*transcript.LabelEntry); err != nil || !ok || l.TargetID != "q2" || l.Label != "try again" || l.ParentID != "a1" {
		t.Errorf("the leaf is %+v, %v", e, err)
	}
}

// The model that answers is the one that the branch says, also for who opens it again.
func TestNavigationRecordsTheModelWithTheNextPrompt(t *testing.T) {
	store := storetest.Memory(t,
		storetest.At("m1", "", 1, &transcript.ModelEntry{Provider: "lab", ModelID: "older"}),
		storetest.At("t1", "m1", 1, &transcript.ThinkingLevelEntry{ThinkingLevel: ai.ThinkingHigh}),
		storetest.At("q1", "t1", 1, storetest.User("first")), storetest.At("a1", "q1", 2, storetest.Assistant("one")),
		storetest.At("m2", "a1", 3, &transcript.ModelEntry{Provider: "lab", ModelID: "m"}),
		storetest.At("t2", "m2", 3, &transcript.ThinkingLevelEntry{ThinkingLevel: ai.ThinkingOff}),
	)
	s := open(t, store, &model{replies: []func(context.Context, *ai.Writer) error{text("two")}}, session.Options{})
	if _, err := s.Navigate(t.Context(), "a1", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "on"}); err != nil {
		t.Fatal(err)
	}
	past, err := transcript.Project(store, store.Leaf())
	if err != nil || past.ModelID != "m" || past.ThinkingLevel != ai.ThinkingOff {
		t.Errorf("the branch says %s at %s (%v)", past.ModelID, past.ThinkingLevel, err)
	}
}

func TestNamesAndLabels(t *testing.T) {
	store := talked(t)
	s := open(t, store, &model{}, session.Options{})
	var names []string
	s.Subscribe(func(ev event.Event) {
		if ev, ok := ev.(*event.InfoChanged); ok {
			names = append(names, ev.Name)
		}
	})
	for _, name := range []string{"  a\r\n\nname ", "", " \n "} {
		if err := s.SetName(name); (err != nil) != (name != "  a\r\n\nname ") {
			t.Errorf("SetName(%q): %v", name, err)
		}
	}
	if name, err := transcript.Name(store); name != "a name" || err != nil || !slices.Equal(names, []string{"a name"}) {
		t.Errorf("the name is %q (%v), events say %q", name, err, names)
	}
	if name, err := s.Name(); name != "a name" || err != nil {
		t.Errorf("the session says %q (%v)", name, err)
	}
	again := open(t, store, &model{}, session.Options{})
	if name, err := again.Name(); name != "a name" || err != nil {
		t.Errorf("opened again, it says %q (%v)", name, err)
	}
	if err := s.SetLabel("q1", "start"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetLabel("nonesuch", "x"); !errors.Is(err, transcript.ErrNoEntry) {
		t.Errorf("a label of nothing: %v", err)
	}
	if labels, err := transcript.Labels(store); err != nil || len(labels) != 1 || labels[0].Label != "start" {
		t.Errorf("labels: %v, %v", labels, err)
	}
	if err := s.SetLabel("q1", ""); err != nil {
		t.Fatal(err)
	}
	if labels, _ := transcript.Labels(store); len(labels) != 0 {
		t.Errorf("labels: %v", labels)
	}
}

func TestForkMessages(t *testing.T) {
	store := talked(t, storetest.At("q4", "a3", 9, &transcript.MessageEntry{Message: &ai.UserMessage{Content: ai.Content{&ai.Image{Data: "aGk=", MIMEType: "image/png"}}}}))
	messages, err := session.ForkMessages(store)
	var got []string
	for _, m := range messages {
		got = append(got, string(m.EntryID)+" "+m.Text)
	}
	if want := []string{"q1 first", "q2 second", "q3 third"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("messages are %q (%v), want %q", got, err, want)
	}
}
