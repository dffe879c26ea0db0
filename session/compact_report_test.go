package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func TestTheLimitIsCheckedBeforeEveryRequest(t *testing.T) {
	const turns = 10
	var replies []answerFunc
	for i := range turns {
		replies = append(replies, func(_ context.Context, w *ai.Writer) error { // without any usage
			w.Append(w.StartToolCall(fmt.Sprint("c", i), "look"), "{}")
			w.Done(ai.StopToolUse)
			return nil
		})
	}
	p := &llm{replies: append(replies, saying("done", 10)), summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{
		Model: windowOf(32_000), Compaction: compaction.Settings{ReserveTokens: 8_000},
		Tools: []*agent.Tool{toolReturning("look", func() string { return wordsOf(10_500) })},
	})
	mustPrompt(t, s, "go")
	if s.LastAnswer().Content.Text() != "done" {
		t.Fatalf("%v", s.Outcome())
	}
	for i, req := range p.asked {
		if n := ai.EstimateTokens(req.Context); n > 32_000-4_000 {
			t.Errorf("request %d has %d tokens", i+1, n)
		}
	}
	if len(p.asked) != turns+1 || len(p.summed) == 0 || len(p.summed) > turns {
		t.Errorf("%d requests, %d for summaries", len(p.asked), len(p.summed))
	}
}

func TestTheRequestForASummaryIsBounded(t *testing.T) {
	const size = 20_000
	store := inMemory()
	var list []transcript.Entry
	for i := range 40 { // three times the window
		list = append(list,
			&transcript.MessageEntry{Message: agent.User(fmt.Sprintf("question %d %s", i, wordsOf(1000)))},
			&transcript.MessageEntry{Message: &ai.AssistantMessage{Content: ai.Content{
				&ai.Thinking{Thinking: wordsOf(5000)}, &ai.ToolCall{ID: fmt.Sprint("c", i), Name: "write", Arguments: []byte(`{"path":"a","content":"` + wordsOf(2000) + `"}`)},
			}, StopReason: ai.StopToolUse}},
			&transcript.MessageEntry{Message: &ai.ToolResultMessage{ToolCallID: fmt.Sprint("c", i), ToolName: "write", Content: ai.TextContent(wordsOf(5000))}},
			&transcript.MessageEntry{Message: &ai.AssistantMessage{Content: ai.TextContent(fmt.Sprintf("answer %d", i)), StopReason: ai.StopEnd}},
		)
	}
	if err := store.Append(list...); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	p := &llm{summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, store, p, session.Options{Model: windowOf(size), Compaction: keeping(100)})
	if _, err := s.Compact(t.Context(), "mind the bananas"); err != nil {
		t.Fatal(err)
	}
	for i, req := range p.summed {
		if n := ai.EstimateTokens(req.Context); n > size*3/4 {
			t.Errorf("request %d has %d tokens", i+1, n)
		}
		text := summaryText(req)
		goesOn := i > 0 && i < len(p.summed)-1 // the last one is about the turn that is split
		if goesOn != strings.Contains(text, "<previous-summary>\nSUMMARY") || !strings.Contains(text, "mind the bananas") {
			t.Errorf("request %d: %.200s", i+1, text)
		}
		seen.WriteString(text)
	}
	for i := range 39 {
		if !strings.Contains(seen.String(), fmt.Sprintf("question %d ", i)) {
			t.Errorf("question %d is in no request", i)
		}
	}
	if len(p.summed) < 2 {
		t.Errorf("%d requests", len(p.summed))
	}
}

func TestImagesAreLeftOutOfSummaries(t *testing.T) {
	refused := &ai.StatusError{Status: 413, Message: "Request Entity Too Large"}
	image := &ai.Image{Data: strings.Repeat("QUJD", 100_000), MIMEType: "image/png"}
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10), failsWith(refused), saying("three", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{KeepImageSize: true})
	l := logPolicy(s)
	for _, text := range []string{"first", "second"} {
		if _, err := s.Prompt(t.Context(), session.Prompt{Text: text, Images: []*ai.Image{image, image}}); err != nil {
			t.Fatal(err)
		}
	}
	mustPrompt(t, s, "third")
	if s.Outcome() != nil || !strings.Contains(l.String(), "compact(overflow), compacted(true)") {
		t.Fatalf("%v: %s", s.Outcome(), l)
	}
	bytes := func(req *ai.Request) int {
		raw, err := json.Marshal(req.Context.Messages)
		if err != nil {
			t.Fatal(err)
		}
		return len(raw)
	}
	if n := bytes(p.summed[0]); n > 10_000 || !strings.Contains(summaryText(p.summed[0]), "(an image)") {
		t.Errorf("the request for the summary has %d bytes", n)
	}
	if before, after := bytes(p.asked[2]), bytes(p.asked[3]); after > before*3/4 {
		t.Errorf("the request had %d bytes and has %d", before, after)
	}
	// Where nothing helps, the reason is the size and not the window.
	p.replies = []answerFunc{failsWith(refused)}
	var why string
	s.Subscribe(func(ev event.Event) {
		if end, ok := ev.(*event.CompactionEnd); ok && end.ErrorMessage != "" {
			why = end.ErrorMessage
		}
	})
	mustPrompt(t, s, "fourth")
	if s.Outcome() == nil || !strings.Contains(why, "images") {
		t.Errorf("%v, %q", s.Outcome(), why)
	}
}

func TestUsageFromBeforeACompactionDoesNotCount(t *testing.T) {
	store, path := storetest.File(t)
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 90_000), saying("three", 50)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, store, p, session.Options{Compaction: keeping(5)})
	mustPrompt(t, s, "first question")
	mustPrompt(t, s, "second question") // compacts
	if _, err := s.RunBash(t.Context(), session.BashCommand{Text: "echo hi"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = openOver(t, openAgain(t, path), p, session.Options{Compaction: keeping(5)})
	l := logPolicy(s)
	mustPrompt(t, s, "third question")
	if l.String() != "end(false), settled" {
		t.Errorf("%s", l)
	}
}

func TestWhatTheModelHasNotSeenIsKept(t *testing.T) {
	var calls, names []string
	for i := range 12 {
		calls = append(calls, fmt.Sprint("c", i))
		names = append(names, "look")
	}
	batch := func(_ context.Context, w *ai.Writer) error {
		w.SetUsage(ai.Usage{Input: 100, Output: 50, TotalTokens: 150})
		for i, id := range calls {
			w.Append(w.StartToolCall(id, names[i]), fmt.Sprintf(`{"n":%d}`, i))
		}
		w.Done(ai.StopToolUse)
		return nil
	}
	p := &llm{replies: []answerFunc{saying("hello", 10), batch, saying("done", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	n := 0
	s := openOver(t, inMemory(), p, session.Options{
		Model: windowOf(32_000), Compaction: compaction.Settings{ReserveTokens: 8_000}, ToolExecution: agent.Sequential,
		Tools: []*agent.Tool{toolReturning("look", func() string { n++; return fmt.Sprintf("result %d: %s", n, wordsOf(4000)) })},
	})
	mustPrompt(t, s, wordsOf(3000))
	mustPrompt(t, s, "go")
	last := p.asked[len(p.asked)-1]
	got := fmt.Sprint(carried(last))
	for i := range calls {
		if !strings.Contains(got, fmt.Sprintf("result %d:", i+1)) {
			t.Errorf("result %d has not reached the model", i+1)
		}
	}
	if size := ai.EstimateTokens(last.Context); size > 28_000 {
		t.Errorf("the request has %d tokens", size)
	}
}

func TestNoCutAtAResult(t *testing.T) {
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), failsWith(errors.New("no"))}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(20_000), Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}})
	mustPrompt(t, s, "go")
	n := s.Store().Len()
	if _, err := s.Compact(t.Context(), ""); !errors.Is(err, compaction.ErrNothingToCompact) {
		t.Errorf("%v", err)
	}
	if s.Store().Len() != n {
		t.Error("an entry was added")
	}
}

func TestOnlyTheActivePathIsCompacted(t *testing.T) {
	store := inMemory()
	p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, store, p, session.Options{Compaction: keeping(5)})
	mustPrompt(t, s, "first question")
	fork := store.Leaf()
	mustPrompt(t, s, "on branch A")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := inMemory()
	if err := other.Append(copiesOf(t, store)...); err != nil {
		t.Fatal(err)
	}
	if err := other.SetLeaf(fork); err != nil {
		t.Fatal(err)
	}
	s = openOver(t, other, p, session.Options{Compaction: keeping(5)})
	mustPrompt(t, s, "on branch B")
	if _, err := s.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if text := summaryText(p.summed[0]); strings.Contains(text, "branch A") || !strings.Contains(text, "first question") {
		t.Errorf("%s", text)
	}
}

func TestNothingToCompactIsRefused(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(5)})
	refused := func(when string) {
		t.Helper()
		n := s.Store().Len()
		_, err := s.Compact(t.Context(), "")
		if !errors.Is(err, compaction.ErrNothingToCompact) || s.Store().Len() != n {
			t.Errorf("%s: %v, %d entries more", when, err, s.Store().Len()-n)
		}
	}
	refused("empty")
	mustPrompt(t, s, "first question")
	refused("a single exchange")
	mustPrompt(t, s, "second question")
	if _, err := s.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	refused("compacted just now")
	p.summary = []answerFunc{failsWith(nil), saying("", 10)}
	p.summed = nil
	mustPrompt(t, s, "third question")
	n := s.Store().Len()
	s.SetAutoRetry(false)
	if _, err := s.Compact(t.Context(), ""); err == nil || s.Store().Len() != n {
		t.Errorf("an empty summary: %v", err)
	}
}

func TestOneCompactionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		slow := func(_ context.Context, w *ai.Writer) error {
			<-gate
			w.Append(w.StartText(), "SUMMARY")
			w.Done(ai.StopEnd)
			return nil
		}
		p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 90_000)}, summary: []answerFunc{slow}}
		s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(5)})
		l := logPolicy(s)
		mustPrompt(t, s, "first question")
		a, err := s.Start(session.Prompt{Text: "second question"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !s.State().Compacting {
			t.Fatal("no compaction is under way")
		}
		if _, err := s.Compact(t.Context(), ""); !errors.Is(err, session.ErrCompacting) {
			t.Errorf("a second one: %v", err)
		}
		close(gate)
		if _, err := a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		compactions := 0
		for range s.Store().Entries(transcript.TypeCompaction) {
			compactions++
		}
		if compactions != 1 || l.count("compacted(false)") != 1 || s.State().Compacting {
			t.Errorf("%d compactions: %s", compactions, l)
		}
	})
}

func TestTheRequestForASummary(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{
		Compaction: keeping(5), Tools: []*agent.Tool{toolReturning("look", func() string { return "" })},
		Request: ai.Options{ToolChoice: "auto", CacheRetention: "long"},
	})
	mustPrompt(t, s, "first question")
	mustPrompt(t, s, "second question")
	if _, err := s.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	req := p.summed[0]
	if len(req.Context.Tools) != 0 || req.Options.ToolChoice != "" || req.Options.CacheRetention != "none" {
		t.Errorf("%d tools, choice %q, cache %q", len(req.Context.Tools), req.Options.ToolChoice, req.Options.CacheRetention)
	}
	if id := req.Options.SessionID; id == "" || id == s.ID() {
		t.Errorf("session id %q", id)
	}
	for name, bad := range map[string]answerFunc{
		"tool call": calling("c1", "look", "{}", 10),
		"cut": func(_ context.Context, w *ai.Writer) error {
			w.Append(w.StartText(), "SUM")
			w.Done(ai.StopLength)
			return nil
		},
	} {
		p.summary, p.summed = []answerFunc{bad}, nil
		mustPrompt(t, s, "and another question")
		n := s.Store().Len()
		if _, err := s.Compact(t.Context(), ""); err == nil || s.Store().Len() != n || len(p.summed) != 1 {
			t.Errorf("%s: %v, %d requests", name, err, len(p.summed))
		}
	}
}

func TestSwitchedOffIsOff(t *testing.T) {
	for name, last := range map[string]answerFunc{
		"overflow": failsWith(errTooLong), "threshold": saying("two", 90_000), "silent overflow": saying("two", 120_000),
		"cut": func(_ context.Context, w *ai.Writer) error {
			w.Append(w.StartText(), "half")
			w.Done(ai.StopLength)
			return nil
		},
	} {
		p := &llm{replies: []answerFunc{saying("one", 10), last, saying("three", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
		s := openOver(t, inMemory(), p, session.Options{Compaction: compaction.Settings{Disabled: true, KeepRecentTokens: 5}})
		l := logPolicy(s)
		for _, text := range []string{"first question", "second question", "third question"} {
			mustPrompt(t, s, text)
		}
		if strings.Contains(l.String(), "compact") || s.State().AutoCompaction {
			t.Errorf("%s: %s", name, l)
		}
		if _, err := s.Compact(t.Context(), ""); err != nil {
			t.Errorf("%s: on demand: %v", name, err)
		}
	}
}

func TestMessagesThatComeDuringACompactionAreDelivered(t *testing.T) {
	for _, d := range []session.Delivery{session.Steer, session.FollowUp} {
		synctest.Test(t, func(t *testing.T) {
			slow := func(_ context.Context, w *ai.Writer) error {
				time.Sleep(time.Minute)
				w.Append(w.StartText(), "SUMMARY")
				w.Done(ai.StopEnd)
				return nil
			}
			p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 90_000), saying("three", 10)}, summary: []answerFunc{slow}}
			s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(5)})
			l := logPolicy(s)
			mustPrompt(t, s, "first question")
			a, err := s.Start(session.Prompt{Text: "second question"})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if _, err := s.Start(session.Prompt{Text: "refused"}); !errors.Is(err, session.ErrBusy) {
				t.Errorf("a prompt during a compaction: %v", err)
			}
			if _, err := s.Start(session.Prompt{Text: "x", WhileBusy: d}); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := carried(p.asked[len(p.asked)-1])
			if got[len(got)-1] != "user:x" || s.State().Pending != 0 || l.count("settled") != 2 {
				t.Errorf("%s: the last request has %v: %s", d, got, l)
			}
		})
	}
}
