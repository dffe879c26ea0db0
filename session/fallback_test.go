package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

var (
	second = &ai.Model{ID: "second", Name: "second", API: "lab", Provider: "other", Input: []string{ai.InputText}, ContextWindow: 100_000, MaxTokens: 1_000}
	third  = &ai.Model{ID: "third", Name: "third", API: "lab", Provider: "other", Reasoning: true, Input: []string{ai.InputText}, ContextWindow: 100_000, MaxTokens: 1_000}
)

// cast answers by the model that is asked: failures first, as many as it has, then its name.
type cast struct {
	llm
	failures map[string][]error
	asked    []string
}

func (c *cast) stream(ctx context.Context, req *ai.Request) *ai.Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := req.Model.ID
	c.asked = append(c.asked, id)
	reply := saying("I am "+id, 10)
	if left := c.failures[id]; len(left) > 0 {
		c.failures[id], reply = left[1:], failsWith(left[0])
	}
	return ai.NewStream(ctx, req.Model, reply)
}

func (c *cast) asks() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.asked
	c.asked = nil
	return asked
}

// openCast opens a session whose model has two successors.
func openCast(t *testing.T, c *cast, opts session.Options) *session.Session {
	t.Helper()
	opts.Stream, opts.CWD = c.stream, "/"
	if opts.Model == nil {
		opts.Model = labModel
	}
	if opts.Successors == nil {
		opts.Successors = func(m *ai.Model) []session.ScopedModel {
			if m.ID != labModel.ID {
				return nil
			}
			return []session.ScopedModel{{Model: second}, {Model: third, Thinking: ai.ThinkingHigh}}
		}
	}
	s, err := session.New(inMemory(), &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// logFallback records switches beside what logPolicy does.
func logFallback(s *session.Session) *policyLog {
	l := logPolicy(s)
	s.Subscribe(func(ev event.Event) {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch ev := ev.(type) {
		case *event.ModelFallback:
			l.lines = append(l.lines, fmt.Sprintf("%s>%s(%s)", ev.From.ModelID, ev.To.ModelID, ev.Reason))
		case *event.ModelRestored:
			l.lines = append(l.lines, fmt.Sprintf("%s<%s", ev.To.ModelID, ev.From.ModelID))
		}
	})
	return l
}

func lastText(s *session.Session) string { return s.LastAnswer().Content.Text() }

// modelEntries lists the models that the store says, in order.
func modelEntries(t *testing.T, s *session.Session) []string {
	t.Helper()
	var ids []string
	for e, err := range s.Store().Entries(transcript.TypeModel) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.(*transcript.ModelEntry).ModelID)
	}
	return ids
}

func times(n int, err error) []error { return slices.Repeat([]error{err}, n) }

func TestFallback_AfterTheRetriesAnotherModelAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lab := labModel.ID
		c := &cast{failures: map[string][]error{lab: times(4, errOverloaded)}}
		s := openCast(t, c, session.Options{})
		l := logFallback(s)
		mustPrompt(t, s, "go")
		want := "end(true), retry(1), end(true), retry(2), end(true), retry(3), end(true), retried(3 false), " + lab + ">second(overload), end(false), " + lab + "<second, settled"
		if l.String() != want {
			t.Errorf("events\n%s\nwant\n%s", l, want)
		}
		if got := c.asks(); !slices.Equal(got, []string{lab, lab, lab, lab, "second"}) {
			t.Errorf("asked %v", got)
		}
		if err := s.Outcome(); err != nil || lastText(s) != "I am second" || len(s.Messages()) != 2 {
			t.Errorf("%v, %q, %d messages", err, lastText(s), len(s.Messages()))
		}
		if got := modelEntries(t, s); !slices.Equal(got, []string{lab, "second", lab}) {
			t.Errorf("entries %v", got)
		}
		if m := s.State().Model; m != labModel {
			t.Errorf("the session is left with %s", m.ID)
		}
	})
}

// TestFallback_TheModelThatFailedRests: prompts in that time begin with the other one, and then
// the chosen one is asked again.
func TestFallback_TheModelThatFailedRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lab := labModel.ID
		quota := &ai.StatusError{Status: 429, Code: "insufficient_quota", Message: "You exceeded your current quota", RetryAfter: 20 * time.Minute}
		c := &cast{failures: map[string][]error{lab: {quota}}}
		s := openCast(t, c, session.Options{})
		l := logFallback(s)
		for _, step := range []struct {
			wait  time.Duration
			asked []string
		}{
			{0, []string{lab, "second"}}, {0, []string{"second"}}, {19 * time.Minute, []string{"second"}}, {2 * time.Minute, []string{lab}}, {0, []string{lab}},
		} {
			time.Sleep(step.wait)
			mustPrompt(t, s, "go")
			if got := c.asks(); !slices.Equal(got, step.asked) {
				t.Errorf("asked %v, want %v", got, step.asked)
			}
			if s.State().Model != labModel {
				t.Errorf("the session is left with %s", s.State().Model.ID)
			}
		}
		if n := l.count(lab + ">second(quota)"); n != 3 {
			t.Errorf("%d switches: %s", n, l)
		}
	})
}

func TestFallback_WhatCallsForItAndWhatDoesNot(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"overloaded":   {errOverloaded, "overload"},
		"rate limit":   {&ai.StatusError{Status: 429, Message: "slow down"}, "overload"},
		"unavailable":  {&ai.StatusError{Status: 503, Message: "later"}, "overload"},
		"quota":        {&ai.StatusError{Status: 402, Message: "pay first"}, "quota"},
		"broken":       {&ai.StatusError{Status: 500, Message: "oops"}, "outage"},
		"refused":      {fmt.Errorf("dial: %w", syscall.ECONNREFUSED), "outage"},
		"too far away": {&ai.StatusError{Status: 429, Message: "slow down", RetryAfter: 10 * time.Hour}, "overload"},
		"bad key":      {&ai.StatusError{Status: 401, Message: "who are you"}, ""},
		"bad request":  {&ai.StatusError{Status: 400, Message: "what"}, ""},
		"unknown":      {errors.New("something else"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &cast{failures: map[string][]error{labModel.ID: times(4, test.err)}}
				s := openCast(t, c, session.Options{})
				l := logFallback(s)
				mustPrompt(t, s, "go")
				n := l.count(labModel.ID + ">second(" + test.want + ")")
				if (n == 1) != (test.want != "") || strings.Count(l.String(), ">") != n {
					t.Errorf("%s", l)
				}
				if err := s.Outcome(); (err == nil) != (test.want != "") {
					t.Errorf("outcome %v", err)
				}
			})
		})
	}
}

// TestFallback_TheNextSuccessorFollows, and when all have failed, the failure is the prompt's.
func TestFallback_TheNextSuccessorFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lab, down := labModel.ID, &ai.StatusError{Status: 500, Message: "down"}
		c := &cast{failures: map[string][]error{lab: times(99, down), "second": times(99, down), "third": times(1, down)}}
		s := openCast(t, c, session.Options{Retry: session.Retry{MaxRetries: 1}})
		l := logFallback(s)
		mustPrompt(t, s, "go")
		if lastText(s) != "I am third" || s.Outcome() != nil || l.count("second>third(outage)") != 1 || l.count(lab+"<third") != 1 {
			t.Errorf("%s, %v", l, s.Outcome())
		}
		if got := c.asks(); !slices.Equal(got, []string{lab, lab, "second", "second", "third", "third"}) {
			t.Errorf("asked %v", got)
		}
		c.failures["third"] = times(99, down)
		mustPrompt(t, s, "again") // third is at once the only one
		if got := c.asks(); !slices.Equal(got, []string{"third", "third"}) || s.Outcome() == nil {
			t.Errorf("asked %v, %v", got, s.Outcome())
		}
		mustPrompt(t, s, "once more") // all of them rest: the chosen one is asked
		if got := c.asks(); !slices.Equal(got, []string{lab, lab}) || s.State().Model != labModel {
			t.Errorf("asked %v", got)
		}
	})
}

func TestFallback_OneThatCannotBeAskedIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{failures: map[string][]error{labModel.ID: times(9, errOverloaded)}}
		s := openCast(t, c, session.Options{Retry: session.Retry{Disabled: true}, Ready: func(m *ai.Model) error {
			if m.ID == "second" {
				return errors.New("no key")
			}
			return nil
		}})
		var levels []ai.ThinkingLevel
		s.Subscribe(func(ev event.Event) {
			if ev, ok := ev.(*event.ThinkingLevelChanged); ok {
				levels = append(levels, ev.Level)
			}
		})
		mustPrompt(t, s, "go")
		if got := c.asks(); !slices.Equal(got, []string{labModel.ID, "third"}) {
			t.Errorf("asked %v", got)
		}
		if !slices.Equal(levels, []ai.ThinkingLevel{"high", "off"}) || s.State().Thinking != ai.ThinkingOff {
			t.Errorf("levels %v", levels)
		}
	})
}

// TestFallback_TheUsersChoiceWins: who selects a model while another one stands in keeps it.
func TestFallback_TheUsersChoiceWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{failures: map[string][]error{labModel.ID: times(9, errOverloaded)}}
		s := openCast(t, c, session.Options{Retry: session.Retry{Disabled: true}})
		l := logFallback(s)
		s.Subscribe(func(ev event.Event) {
			if _, ok := ev.(*event.ModelFallback); ok {
				if err := s.SetModel(third); err != nil {
					t.Error(err)
				}
			}
		})
		mustPrompt(t, s, "go")
		if s.State().Model != third || strings.Contains(l.String(), "<") {
			t.Errorf("left with %s: %s", s.State().Model.ID, l)
		}
	})
}

func TestFallback_AnAbortIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{failures: map[string][]error{labModel.ID: times(9, errOverloaded)}}
		s := openCast(t, c, session.Options{})
		l := logFallback(s)
		s.Subscribe(func(ev event.Event) {
			if _, ok := ev.(*event.AutoRetryStart); ok {
				s.AbortRetry()
			}
		})
		mustPrompt(t, s, "go")
		if got := c.asks(); len(got) != 1 || strings.Contains(l.String(), ">") {
			t.Errorf("asked %v: %s", got, l)
		}
	})
}

// TestFallback_ASmallerWindowIsMinded: the conversation is made to fit before the other model
// is asked.
func TestFallback_ASmallerWindowIsMinded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		small := *second
		small.ContextWindow, small.MaxTokens = 6_000, 500
		p := &llm{
			replies: []answerFunc{saying(strings.Repeat("word ", 8000), 11_000), saying("short", 11_100), failsWith(&ai.StatusError{Status: 402, Message: "pay first"}), saying("from the small one", 100)},
			summary: []answerFunc{saying("the summary", 100)},
		}
		opts := session.Options{
			Successors: func(*ai.Model) []session.ScopedModel { return []session.ScopedModel{{Model: &small}} },
			Compaction: compaction.Settings{ReserveTokens: 1_000, KeepRecentTokens: 2},
		}
		s := openOver(t, inMemory(), p, opts)
		l := logFallback(s)
		for range 3 {
			mustPrompt(t, s, "go")
		}
		if lastText(s) != "from the small one" || l.count("compact(threshold)") == 0 {
			t.Errorf("%q: %s", lastText(s), l)
		}
		last := p.asked[len(p.asked)-1]
		if last.Model.ID != "second" || !strings.Contains(strings.Join(carried(last), "\n"), "the summary") {
			t.Errorf("%s was asked with %v", last.Model.ID, len(carried(last)))
		}
	})
}

func TestFallback_EventsOnTheWire(t *testing.T) {
	for _, test := range []struct {
		ev   event.Event
		want string
	}{
		{&event.ModelFallback{From: event.ModelName{Provider: "a", ModelID: "b"}, To: event.ModelName{Provider: "c", ModelID: "d"}, Reason: event.FallbackQuota, ErrorMessage: "no"}, `{"type":"model_fallback","from":{"provider":"a","modelId":"b"},"to":{"provider":"c","modelId":"d"},"reason":"quota","errorMessage":"no"}`},
		{&event.ModelRestored{From: event.ModelName{Provider: "c", ModelID: "d"}, To: event.ModelName{Provider: "a", ModelID: "b"}}, `{"type":"model_restored","from":{"provider":"c","modelId":"d"},"to":{"provider":"a","modelId":"b"}}`},
	} {
		got := test.ev.AppendJSON(nil)
		var any map[string]any
		if err := json.Unmarshal(got, &any); err != nil || string(got) != test.want {
			t.Errorf("%s, %v", got, err)
		}
	}
}
