package session_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// spent is a usage with these counts and a cost.
func spent(input, output int, cost float64) ai.Usage {
	return ai.Usage{Input: input, Output: output, TotalTokens: input + output, Cost: ai.Cost{Total: cost}}
}

// counted is an answer with a usage.
func counted(text string, u ai.Usage) *transcript.MessageEntry {
	e := storetest.Assistant(text)
	e.Message.(*ai.AssistantMessage).Usage = u
	return e
}

func stats(t *testing.T, s *session.Session) *transcript.Stats {
	t.Helper()
	st, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestStatsCountTheWholeFile(t *testing.T) {
	summary, nested, other := spent(1000, 0, 10), spent(100, 7, 2), spent(5, 5, 1)
	nested.CacheRead, nested.CacheWrite = 3, 2
	answer := counted("two", spent(10, 5, 0.5))
	call := answer.Message.(*ai.AssistantMessage)
	call.Content = append(call.Content, &ai.ToolCall{ID: "c1", Name: "t"}, &ai.ToolCall{ID: "c2", Name: "t"})
	store := storetest.Memory(t,
		storetest.At("q1", "", 1, storetest.User("first")), storetest.At("a1", "q1", 2, counted("one", spent(10, 5, 0.5))),
		storetest.At("q2", "a1", 3, storetest.User("left branch")), storetest.At("a2", "q2", 4, answer),
		storetest.At("r1", "a2", 5, &transcript.MessageEntry{Message: &ai.ToolResultMessage{ToolCallID: "c1", ToolName: "t", Usage: &nested}}),
		storetest.At("c1", "r1", 6, &transcript.CompactionEntry{Summary: "s", FirstKeptEntryID: "q2", Usage: &summary}),
		storetest.At("b1", "a1", 7, &transcript.BranchSummaryEntry{Summary: "s", FromID: "c1", Usage: &summary}),
		storetest.At("u1", "b1", 8, &transcript.UsageEntry{Kind: "title", Usage: &other}),
		storetest.At("x1", "u1", 9, &transcript.CustomMessageEntry{CustomType: "x"}),
		storetest.At("s1", "x1", 10, &transcript.MessageEntry{Message: &transcript.BashExecution{Command: "ls"}}),
	)
	s := open(t, store, &model{}, session.Options{})
	want := &transcript.Stats{
		SessionID: s.ID(), UserMessages: 2, AssistantMessages: 2, ToolCalls: 2, ToolResults: 1, TotalMessages: 6,
		Tokens: transcript.TokenCounts{Input: 2125, Output: 22, CacheRead: 3, CacheWrite: 2, Total: 2152}, Cost: 24,
	}
	got := stats(t, s)
	got.ContextUsage = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func TestStatsFollowTheSession(t *testing.T) {
	store := &readCounter{Store: storetest.Memory(t, storetest.User("first"), counted("one", spent(10, 5, 0)))}
	answered := func(s string) func(context.Context, *ai.Writer) error {
		return func(ctx context.Context, w *ai.Writer) error {
			w.SetUsage(spent(100, 10, 0))
			return text(s)(ctx, w)
		}
	}
	s := open(t, store, &model{replies: []func(context.Context, *ai.Writer) error{answered("two"), answered("three")}}, session.Options{})
	if got := stats(t, s); got.TotalMessages != 2 || got.Tokens.Total != 15 {
		t.Errorf("at the beginning: %+v", got)
	}
	for n := range 2 {
		if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		store.read = 0
		got := stats(t, s)
		if got.TotalMessages != 4+2*n || got.Tokens.Total != 15+110*(n+1) || *got.ContextUsage.Tokens != 110 {
			t.Errorf("after prompt %d: %+v", n+1, got)
		}
		if store.read > 4 {
			t.Errorf("%d entries were read for the two that are new", store.read)
		}
		if again := stats(t, s); cmp.Diff(got, again) != "" {
			t.Errorf("asked again: %+v", again)
		}
	}
}

// readCounter counts the entries that are read.
type readCounter struct {
	transcript.Store
	read int
}

func (s *readCounter) After(id transcript.EntryID, types ...string) iter.Seq2[transcript.Entry, error] {
	return s.counting(s.Store.After(id, types...))
}

func (s *readCounter) Ancestors(id transcript.EntryID, types ...string) iter.Seq2[transcript.Entry, error] {
	return s.counting(s.Store.Ancestors(id, types...))
}

func (s *readCounter) counting(entries iter.Seq2[transcript.Entry, error]) iter.Seq2[transcript.Entry, error] {
	return func(yield func(transcript.Entry, error) bool) {
		for e, err := range entries {
			s.read++
			if !yield(e, err) {
				return
			}
		}
	}
}

func TestContextUsage(t *testing.T) {
	failed := func() transcript.Entry {
		e := counted("err", spent(5000, 1, 0))
		e.Message.(*ai.AssistantMessage).StopReason = ai.StopError
		return e
	}
	without := storetest.Assistant("four") // of a program that does not count
	for name, c := range map[string]struct {
		entries []transcript.Entry
		want    string
	}{
		"empty":                  {nil, "0"},
		"an answer":              {[]transcript.Entry{storetest.User("first"), counted("one", spent(10, 5, 0))}, "15"},
		"cached tokens":          {[]transcript.Entry{counted("one", ai.Usage{Input: 1, Output: 2, CacheRead: 30, CacheWrite: 400})}, "433"},
		"more since":             {[]transcript.Entry{counted("one", spent(10, 5, 0)), storetest.User(strings.Repeat("x", 4000))}, "1015"},
		"an image since":         {[]transcript.Entry{counted("one", spent(10, 5, 0)), &transcript.MessageEntry{Message: &ai.UserMessage{Content: ai.Content{&ai.Image{Data: "aGk="}}}}}, "1215"},
		"a command since":        {[]transcript.Entry{counted("one", spent(10, 5, 0)), &transcript.MessageEntry{Message: &transcript.BashExecution{Command: "ls", Output: "a\nb"}}}, "17"},
		"a hidden command since": {[]transcript.Entry{counted("one", spent(10, 5, 0)), &transcript.MessageEntry{Message: &transcript.BashExecution{Command: "ls", Output: "a\nb", ExcludeFromContext: true}}}, "15"},
		"others since":           {[]transcript.Entry{counted("one", spent(10, 5, 0)), &transcript.BranchSummaryEntry{Summary: "S"}, &transcript.CustomMessageEntry{Content: transcript.CustomContent{Text: "hello world"}}}, "19"},
		"a failed answer":        {[]transcript.Entry{counted("one", spent(10, 5, 0)), storetest.User(strings.Repeat("x", 400)), failed()}, "116"},
		"nothing was counted":    {[]transcript.Entry{storetest.User("four"), without, storetest.User("eight ch")}, "4"},
		"compacted":              {[]transcript.Entry{counted("one", spent(10, 5, 0)), &transcript.CompactionEntry{Summary: "s"}, storetest.User("x")}, "unknown"},
		"answered since":         {[]transcript.Entry{&transcript.CompactionEntry{Summary: "s"}, storetest.User("x"), counted("one", spent(20, 5, 0))}, "25"},
		"failed since":           {[]transcript.Entry{&transcript.CompactionEntry{Summary: "s"}, failed()}, "unknown"},
		"a negative count":       {[]transcript.Entry{counted("one", spent(10, 5, 0)), counted("four", ai.Usage{Input: -5, Output: 7, TotalTokens: 2})}, "16"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, storetest.Memory(t, c.entries...), &model{}, session.Options{})
			usage, err := s.ContextUsage()
			if err != nil {
				t.Fatal(err)
			}
			got := "unknown"
			if usage.Tokens != nil {
				got = fmt.Sprint(*usage.Tokens)
				if *usage.Percent != float64(*usage.Tokens)/100_000*100 {
					t.Errorf("%g percent", *usage.Percent)
				}
			}
			if got != c.want || usage.ContextWindow != 100_000 {
				t.Errorf("%s of %d tokens, want %s", got, usage.ContextWindow, c.want)
			}
		})
	}
}

func TestAWrongTotalIsNotBelievedAndNotRemembered(t *testing.T) {
	long := strings.Repeat("word ", 40_000) // about 50 000 tokens
	wrong := func() transcript.Entry { return counted("one", spent(110_000, 5, 0)) }
	s := open(t, storetest.Memory(t, storetest.User(long), wrong()), &model{}, session.Options{})
	if usage, err := s.ContextUsage(); err != nil || *usage.Tokens > 60_000 {
		t.Errorf("%d tokens (%v)", *usage.Tokens, err)
	}
	s = open(t, storetest.Memory(t, storetest.User(long), wrong(), storetest.User("x"), counted("two", spent(51_000, 5, 0))), &model{}, session.Options{})
	if usage, err := s.ContextUsage(); err != nil || *usage.Tokens != 51_005 {
		t.Errorf("%d tokens (%v)", *usage.Tokens, err)
	}
	// One that can be true counts, for instance after a change to a smaller model.
	longer := strings.Repeat("word ", 90_000)
	s = open(t, storetest.Memory(t, storetest.User(longer), wrong()), &model{}, session.Options{})
	if usage, err := s.ContextUsage(); err != nil || *usage.Tokens != 110_005 {
		t.Errorf("%d tokens (%v)", *usage.Tokens, err)
	}
}

func TestStatsOfAnswersWithoutUsage(t *testing.T) {
	s := open(t, storetest.Memory(t, storetest.User("x"), storetest.Assistant("y"), &transcript.CompactionEntry{Summary: "s"}), &model{}, session.Options{})
	if got := stats(t, s); got.AssistantMessages != 1 || got.Tokens.Total != 0 || got.Cost != 0 {
		t.Errorf("stats: %+v", got)
	}
}
