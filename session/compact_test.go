package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
)

// windowOf returns a model with a context window.
func windowOf(tokens int) *ai.Model {
	m := *labModel
	m.ContextWindow = tokens
	return &m
}

// keeping are settings with which nearly everything is compacted.
func keeping(tokens int) session.Compaction { return session.Compaction{KeepRecentTokens: tokens} }

// wordsOf is a text of about n tokens.
func wordsOf(n int) string { return strings.Repeat("abc ", n) }

// summaryText is the text of a request for a summary.
func summaryText(req *ai.Request) string {
	return req.Context.Messages[0].(*ai.UserMessage).Content.Text()
}

func TestLaw_S4_CompactionBetweenRequests(t *testing.T) {
	for name, c := range map[string]struct {
		replies []answerFunc
		want    string
	}{
		"before a prompt": {[]answerFunc{saying("one", 10), saying("two", 20), saying("three", 10)}, "end(false), settled, end(false), settled, compact(threshold), compacted(false), end(false), settled"},
		"after a run":     {[]answerFunc{saying("one", 10), saying("two", 90000), saying("three", 10)}, "end(false), settled, end(false), compact(threshold), compacted(false), settled, end(false), settled"},
		"between turns":   {[]answerFunc{saying("one", 10), saying("two", 10), calling("c1", "look", "{}", 90000), saying("three", 10)}, "end(false), settled, end(false), settled, compact(threshold), compacted(false), end(false), settled"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &llm{replies: c.replies, summary: []answerFunc{saying("SUMMARY", 10)}}
			s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(5), Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}})
			l := logPolicy(s)
			mustPrompt(t, s, "first question")
			mustPrompt(t, s, "second question")
			last := "third question"
			if name == "before a prompt" {
				last = wordsOf(90000)
			}
			mustPrompt(t, s, last)
			if l.String() != c.want {
				t.Errorf("events\n%s\nwant\n%s", l, c.want)
			}
			if got := carried(p.asked[len(p.asked)-1]); !strings.Contains(got[0], "<summary>\nSUMMARY") || strings.Contains(fmt.Sprint(got), "first question") {
				t.Errorf("the last request has %.300v", got)
			}
		})
	}
}

func TestReport_CMP01_TheLimitIsCheckedBeforeEveryRequest(t *testing.T) {
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
		Model: windowOf(32_000), Compaction: session.Compaction{ReserveTokens: 8_000},
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

func TestReport_CMP02_AResultLargerThanTheWindowIsShortened(t *testing.T) {
	store, path := onDisk(t)
	huge := "BEGIN " + wordsOf(50_000) + " THE END"
	p := &llm{replies: []answerFunc{saying("hello", 10), calling("c1", "look", "{}", 100), saying("done", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, store, p, session.Options{
		Model: windowOf(32_000), Compaction: session.Compaction{ReserveTokens: 8_000},
		Tools: []*agent.Tool{toolReturning("look", func() string { return huge })},
	})
	mustPrompt(t, s, "hi")
	mustPrompt(t, s, "go")
	last := p.asked[len(p.asked)-1]
	if n := ai.EstimateTokens(last.Context); n > 28_000 {
		t.Errorf("the request has %d tokens", n)
	}
	got := carried(last)
	result := got[len(got)-1]
	if !strings.HasPrefix(result, "toolResult:BEGIN") || !strings.HasSuffix(result, "THE END") || !strings.Contains(result, "do not fit") && !strings.Contains(result, "does not fit") {
		t.Errorf("the model sees %d bytes: %.60s … %s", len(result), result, result[len(result)-60:])
	}
	if last.Options.MaxTokens != 0 && last.Options.MaxTokens < 1000 {
		t.Errorf("the answer may have %d tokens", last.Options.MaxTokens)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for e, err := range openAgain(t, path).Entries(session.TypeMessage) {
		if r, ok := session.EntryMessage(e).(*ai.ToolResultMessage); err != nil || ok && r.Content.Text() != huge {
			t.Errorf("the store has %d bytes of it, %v", len(r.Content.Text()), err)
		}
	}
}

func TestReport_CMP03_OneCompactionForAnOverflow(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10), failsWith(errTooLong)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(4), SystemPrompt: wordsOf(9000)})
	l := logPolicy(s)
	var why string
	s.Subscribe(func(ev session.Event) {
		if end, ok := ev.(*session.CompactionEnd); ok {
			why = end.ErrorMessage
		}
	})
	mustPrompt(t, s, "first question")
	mustPrompt(t, s, "second question")
	want := "end(false), settled, end(false), compact(overflow), compacted(true), end(false), compaction failed, settled"
	if l.String() != want {
		t.Errorf("events\n%s\nwant\n%s", l, want)
	}
	if asked, summed := p.counts(); asked != 3 || summed != 1 {
		t.Errorf("%d requests, %d for summaries", asked, summed)
	}
	if !strings.Contains(why, "9000 the system prompt and the tools") {
		t.Errorf("the reason does not name what is fixed: %s", why)
	}
	if err := s.Outcome(); err == nil {
		t.Error("the run counts as good")
	}
}

// TestReport_CMP03_AFixedPartThatIsTooLargeIsNotCompactedForever has a model that always
// reports a full window, as with a system prompt that fills it by itself.
func TestReport_CMP03_AFixedPartThatIsTooLargeIsNotCompactedForever(t *testing.T) {
	var replies []answerFunc
	for i := range 30 {
		replies = append(replies, calling(fmt.Sprint("c", i), "look", "{}", 90_000))
	}
	p := &llm{replies: append(replies, saying("done", 90_000)), summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(20), Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}})
	mustPrompt(t, s, "go")
	if asked, summed := p.counts(); asked != 31 || summed > 3 {
		t.Errorf("%d requests, %d for summaries", asked, summed)
	}
}

func TestReport_CMP03_ASummaryThatCannotBeHadIsNotAskedForForever(t *testing.T) {
	var replies []answerFunc
	for i := range 30 {
		replies = append(replies, calling(fmt.Sprint("c", i), "look", "{}", 90_000+i))
	}
	p := &llm{replies: append(replies, saying("done", 90_000)), summary: []answerFunc{failsWith(errors.New("no"))}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(20), Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}})
	mustPrompt(t, s, "go")
	if asked, summed := p.counts(); asked != 31 || summed > 1 {
		t.Errorf("%d requests, %d for summaries", asked, summed)
	}
}

func TestReport_CMP04_TheRequestForASummaryIsBounded(t *testing.T) {
	const size = 20_000
	store := inMemory()
	var list []session.Entry
	for i := range 40 { // three times the window
		list = append(list,
			&session.MessageEntry{Message: agent.User(fmt.Sprintf("question %d %s", i, wordsOf(1000)))},
			&session.MessageEntry{Message: &ai.AssistantMessage{Content: ai.Content{
				&ai.Thinking{Thinking: wordsOf(5000)}, &ai.ToolCall{ID: fmt.Sprint("c", i), Name: "write", Arguments: []byte(`{"path":"a","content":"` + wordsOf(2000) + `"}`)},
			}, StopReason: ai.StopToolUse}},
			&session.MessageEntry{Message: &ai.ToolResultMessage{ToolCallID: fmt.Sprint("c", i), ToolName: "write", Content: ai.TextContent(wordsOf(5000))}},
			&session.MessageEntry{Message: &ai.AssistantMessage{Content: ai.TextContent(fmt.Sprintf("answer %d", i)), StopReason: ai.StopEnd}},
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

func TestReport_CMP04_ASmallerWindowThanKnownIsRescued(t *testing.T) {
	// The server's window is an eighth of what the record says.
	real := func(text string) answerFunc {
		return func(_ context.Context, w *ai.Writer) error {
			w.Append(w.StartText(), text)
			w.Done(ai.StopEnd)
			return nil
		}
	}
	limited := func(ok answerFunc) func(req *ai.Request) answerFunc {
		return func(req *ai.Request) answerFunc {
			if ai.EstimateTokens(req.Context) > 12_000 {
				return failsWith(errTooLong)
			}
			return ok
		}
	}
	stream := func(ctx context.Context, req *ai.Request) *ai.Stream {
		answer := limited(real("fine"))
		if isSummary(req) {
			answer = limited(real("SUMMARY"))
		}
		return ai.NewStream(ctx, req.Model, answer(req))
	}
	s, err := session.New(inMemory(), &session.Options{CWD: "/", Model: labModel, Stream: stream})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	l := logPolicy(s)
	for i := range 8 {
		mustPrompt(t, s, fmt.Sprintf("question %d %s", i, wordsOf(3000)))
		if err := s.Outcome(); err != nil {
			t.Fatalf("question %d: %v; %s", i, err, l)
		}
	}
	if !strings.Contains(l.String(), "compact(overflow)") {
		t.Errorf("%s", l)
	}
}

func TestReport_USE04_ACountThatCannotBeTrueCausesNoCompaction(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 94_000)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{Model: windowOf(64_000), Compaction: keeping(4)})
	l := logPolicy(s)
	for _, text := range []string{"first question", "second question", "third question"} {
		mustPrompt(t, s, text)
	}
	if strings.Contains(l.String(), "compact") {
		t.Errorf("%s", l)
	}
	p.replies, p.asked = []answerFunc{saying("four", 60_000)}, nil // one that can be true
	mustPrompt(t, s, "fourth question")
	if l.count("compact(threshold)") != 1 {
		t.Errorf("%s", l)
	}
}

func TestReport_CMP05_ImagesAreLeftOutOfSummaries(t *testing.T) {
	refused := &ai.StatusError{Status: 413, Message: "Request Entity Too Large"}
	image := &ai.Image{Data: strings.Repeat("QUJD", 100_000), MIMEType: "image/png"}
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10), failsWith(refused), saying("three", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{KeepImageSize: true})
	l := logPolicy(s)
	for _, text := range []string{"first", "second"} {
		if err := s.Prompt(t.Context(), session.Prompt{Text: text, Images: []*ai.Image{image, image}}); err != nil {
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
	s.Subscribe(func(ev session.Event) {
		if end, ok := ev.(*session.CompactionEnd); ok && end.ErrorMessage != "" {
			why = end.ErrorMessage
		}
	})
	mustPrompt(t, s, "fourth")
	if s.Outcome() == nil || !strings.Contains(why, "images") {
		t.Errorf("%v, %q", s.Outcome(), why)
	}
}

func TestReport_CMP08_UsageFromBeforeACompactionDoesNotCount(t *testing.T) {
	store, path := onDisk(t)
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

func TestReport_CMP12_WhatTheModelHasNotSeenIsKept(t *testing.T) {
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
		Model: windowOf(32_000), Compaction: session.Compaction{ReserveTokens: 8_000}, ToolExecution: agent.Sequential,
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

func TestReport_CMP13_NoCutAtAResult(t *testing.T) {
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), failsWith(errors.New("no"))}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(20_000), Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}})
	mustPrompt(t, s, "go")
	n := s.Store().Len()
	if _, err := s.Compact(t.Context(), ""); !errors.Is(err, session.ErrNothingToCompact) {
		t.Errorf("%v", err)
	}
	if s.Store().Len() != n {
		t.Error("an entry was added")
	}
}

func TestReport_CMP14_OnlyTheActivePathIsCompacted(t *testing.T) {
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

// copiesOf returns the entries of a store, for another one.
func copiesOf(t *testing.T, store session.Store) []session.Entry {
	t.Helper()
	var out []session.Entry
	for e, err := range store.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := session.EncodeEntry(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := session.DecodeEntry(slices.Clone(raw))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, again)
	}
	return out
}

func TestReport_CMP17_NothingToCompactIsRefused(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(5)})
	refused := func(when string) {
		t.Helper()
		n := s.Store().Len()
		_, err := s.Compact(t.Context(), "")
		if !errors.Is(err, session.ErrNothingToCompact) || s.Store().Len() != n {
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

func TestReport_CMP18_OneCompactionAtATime(t *testing.T) {
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
		if err := a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		compactions := 0
		for range s.Store().Entries(session.TypeCompaction) {
			compactions++
		}
		if compactions != 1 || l.count("compacted(false)") != 1 || s.State().Compacting {
			t.Errorf("%d compactions: %s", compactions, l)
		}
	})
}

func TestReport_CMP20_TheRequestForASummary(t *testing.T) {
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

func TestReport_CMP22_TheAnswerIsClampedToTheWindow(t *testing.T) {
	m := windowOf(200_000)
	m.MaxTokens = 128_000
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 80_000), saying("three", 80_000), saying("four", 10)}}
	s := openOver(t, inMemory(), p, session.Options{Model: m})
	l := logPolicy(s)
	for _, text := range []string{"a", "b", "c", "d"} {
		mustPrompt(t, s, text)
	}
	if asked := p.asked[3].Options.MaxTokens; asked > 200_000-80_000-4_000 || asked < 100_000 {
		t.Errorf("%d tokens are asked for", asked)
	}
	if strings.Contains(l.String(), "compact") {
		t.Errorf("%s", l)
	}
}

func TestReport_CMP24_SwitchedOffIsOff(t *testing.T) {
	for name, last := range map[string]answerFunc{
		"overflow": failsWith(errTooLong), "threshold": saying("two", 90_000), "silent overflow": saying("two", 120_000),
		"cut": func(_ context.Context, w *ai.Writer) error {
			w.Append(w.StartText(), "half")
			w.Done(ai.StopLength)
			return nil
		},
	} {
		p := &llm{replies: []answerFunc{saying("one", 10), last, saying("three", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
		s := openOver(t, inMemory(), p, session.Options{Compaction: session.Compaction{Disabled: true, KeepRecentTokens: 5}})
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

func TestReport_QUE04_MessagesThatComeDuringACompactionAreDelivered(t *testing.T) {
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
			if err := a.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := carried(p.asked[len(p.asked)-1])
			if got[len(got)-1] != "user:x" || s.State().Pending != 0 || l.count("settled") != 2 {
				t.Errorf("%s: the last request has %v: %s", d, got, l)
			}
		})
	}
}

func TestManualCompaction(t *testing.T) {
	store, path := onDisk(t)
	p := &llm{replies: []answerFunc{calling("c1", "read", `{"path":"a.txt"}`, 10), calling("c2", "edit", `{"path":"b.txt"}`, 10), saying("one", 10)}, summary: []answerFunc{saying("SUMMARY", 300)}}
	tools := []*agent.Tool{toolReturning("read", func() string { return "A" }), toolReturning("edit", func() string { return "B" })}
	s := openOver(t, store, p, session.Options{Compaction: keeping(5), Tools: tools})
	mustPrompt(t, s, "first question")
	mustPrompt(t, s, "second question")
	result, err := s.Compact(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	want := "SUMMARY\n\n<read-files>\na.txt\n</read-files>\n\n<modified-files>\nb.txt\n</modified-files>"
	if result.Summary != want || string(result.Details) != `{"readFiles":["a.txt"],"modifiedFiles":["b.txt"]}` {
		t.Errorf("%q, %s", result.Summary, result.Details)
	}
	if result.Usage == nil || result.Usage.Input != 300 || result.TokensBefore != 15 {
		t.Errorf("%+v", result)
	}
	live := s.Messages()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := openAgain(t, path)
	past, err := session.Project(again, again.Leaf())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(transcriptJSON(t, live), transcriptJSON(t, past.Messages)); diff != "" {
		t.Errorf("the transcript is not what the file gives:\n%s", diff)
	}
	// The next summary goes on from this one, without its lists of files.
	s = openOver(t, again, p, session.Options{Compaction: keeping(5), Tools: tools})
	mustPrompt(t, s, "third question")
	if result, err = s.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if text := summaryText(p.summed[1]); !strings.Contains(text, "<previous-summary>\nSUMMARY\n</previous-summary>") || strings.Contains(text, "first question") || !strings.Contains(text, "second question") {
		t.Errorf("%s", text)
	}
	if result.Summary != want {
		t.Errorf("%q", result.Summary)
	}
}

func transcriptJSON(t *testing.T, messages []agent.Message) string {
	t.Helper()
	raw, err := json.Marshal(messages, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestASplitTurnHasTwoSummaries(t *testing.T) {
	p := &llm{
		replies: []answerFunc{saying("one", 10), calling("c1", "look", "{}", 10), calling("c2", "look", "{}", 10), saying("done with it", 10)},
		summary: []answerFunc{saying("HISTORY", 10), saying("PREFIX", 10), saying("PREFIX 2", 10)},
	}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(3), Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}})
	mustPrompt(t, s, "first question")
	mustPrompt(t, s, "second question")
	result, err := s.Compact(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(result.Summary, "HISTORY\n\n---\n\n**") || !strings.HasSuffix(result.Summary, "PREFIX") || result.Usage.Input != 20 {
		t.Errorf("%q, %+v", result.Summary, result.Usage)
	}
	if text := summaryText(p.summed[0]); !strings.Contains(text, "first question") || strings.Contains(text, "second question") {
		t.Errorf("the history is %s", text)
	}
	if text := summaryText(p.summed[1]); !strings.Contains(text, "second question") || strings.Contains(text, "done with it") {
		t.Errorf("the prefix is %s", text)
	}
	if roles := fmt.Sprint(len(s.Messages())); roles != "2" {
		t.Errorf("the transcript has %s messages", roles)
	}
	// What an earlier summary says is not lost when there is only a prefix to add.
	p.replies, p.asked = []answerFunc{saying("another answer that is longer", 10)}, nil
	mustPrompt(t, s, "third question")
	if result, err = s.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(result.Summary, "PREFIX") {
		t.Errorf("%q", result.Summary)
	}
}

func TestOverflowIsRecoveredOnce(t *testing.T) {
	half := func(_ context.Context, w *ai.Writer) error {
		w.SetUsage(ai.Usage{Input: 99_000, Output: 5, TotalTokens: 99_005})
		w.Append(w.StartText(), "half")
		w.Done(ai.StopLength)
		return nil
	}
	for name, bad := range map[string]answerFunc{"error": failsWith(errTooLong), "cut": half} {
		store, path := onDisk(t)
		p := &llm{replies: []answerFunc{saying("one", 10), bad, saying("two", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
		s := openOver(t, store, p, session.Options{Compaction: keeping(4)})
		l := logPolicy(s)
		mustPrompt(t, s, "first question")
		mustPrompt(t, s, "second question")
		if want := "end(false), settled, end(false), compact(overflow), compacted(true), end(false), settled"; l.String() != want {
			t.Errorf("%s: events\n%s\nwant\n%s", name, l, want)
		}
		if got := fmt.Sprint(carried(p.asked[2])); strings.Contains(got, "half") || !strings.Contains(got, "SUMMARY") || !strings.HasSuffix(got, "user:second question]") {
			t.Errorf("%s: the retry has %s", name, got)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := inStore(t, openAgain(t, path)); len(got) != 6 {
			t.Errorf("%s: stored %v", name, got)
		}
	}
}

func TestACutAnswerOfFullLengthIsNotRepeated(t *testing.T) {
	full := func(_ context.Context, w *ai.Writer) error {
		w.SetUsage(ai.Usage{Input: 100, Output: 4096, TotalTokens: 4196})
		w.Append(w.StartText(), "a lot")
		w.Done(ai.StopLength)
		return nil
	}
	p := &llm{replies: []answerFunc{saying("one", 10), full}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(4)})
	l := logPolicy(s)
	mustPrompt(t, s, "first question")
	mustPrompt(t, s, "second question")
	if strings.Contains(l.String(), "compact") {
		t.Errorf("%s", l)
	}
}

func TestCompactionWhileTheAgentWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := func(ctx context.Context, _ *ai.Writer) error { <-ctx.Done(); return ctx.Err() }
		p := &llm{replies: []answerFunc{saying("one", 10), held, saying("three", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
		s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(4)})
		l := logPolicy(s)
		mustPrompt(t, s, "first question")
		a, err := s.Start(session.Prompt{Text: "second question"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := s.Queue(session.Prompt{Text: "steered"}, session.Steer); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Compact(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if err := a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := "end(false), settled, end(false), compact(manual), compacted(false), end(false), settled"; l.String() != want {
			t.Errorf("events\n%s\nwant\n%s", l, want)
		}
		got := fmt.Sprint(carried(p.asked[len(p.asked)-1]))
		if !strings.Contains(got, "SUMMARY") || !strings.HasSuffix(got, "user:steered]") {
			t.Errorf("the last request has %s", got)
		}
	})
}

func TestCompactionIsAborted(t *testing.T) {
	held := func(ctx context.Context, _ *ai.Writer) error { <-ctx.Done(); return ctx.Err() }
	for name, abort := range map[string]func(*session.Session, context.CancelFunc){
		"abort":            func(s *session.Session, _ context.CancelFunc) { _ = s.Abort(context.Background()) },
		"abort compaction": func(s *session.Session, _ context.CancelFunc) { s.AbortCompaction() },
		"context":          func(_ *session.Session, cancel context.CancelFunc) { cancel() },
		"close":            func(s *session.Session, _ context.CancelFunc) { _ = s.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{held}}
				s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(4)})
				l := logPolicy(s)
				mustPrompt(t, s, "first question")
				mustPrompt(t, s, "second question")
				n := s.Store().Len()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := make(chan error)
				go func() { _, err := s.Compact(ctx, ""); done <- err }()
				synctest.Wait()
				if _, err := s.Start(session.Prompt{Text: "meanwhile"}); !errors.Is(err, session.ErrCompacting) {
					t.Errorf("a prompt meanwhile: %v", err)
				}
				abort(s, cancel)
				if err := <-done; !errors.Is(err, agent.ErrAborted) {
					t.Errorf("%v", err)
				}
				if s.Store().Len() != n || l.count("compaction aborted") != 1 || s.State().Compacting {
					t.Errorf("%d entries more: %s", s.Store().Len()-n, l)
				}
			})
		})
	}
}

func TestAnInterruptingPromptEndsACompaction(t *testing.T) {
	held := func(ctx context.Context, _ *ai.Writer) error { <-ctx.Done(); return ctx.Err() }
	synctest.Test(t, func(t *testing.T) {
		p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 90_000), saying("three", 10)}, summary: []answerFunc{held}}
		s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(4)})
		l := logPolicy(s)
		mustPrompt(t, s, "first question")
		a, err := s.Start(session.Prompt{Text: "second question"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := s.Prompt(t.Context(), session.Prompt{Text: "now", WhileBusy: session.Interrupt}); err != nil {
			t.Fatal(err)
		}
		if err := a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		run, err := s.StartCompaction("")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := s.Prompt(t.Context(), session.Prompt{Text: "at once", WhileBusy: session.Interrupt}); err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(t.Context()); !errors.Is(err, agent.ErrAborted) {
			t.Errorf("%v", err)
		}
		want := "end(false), settled, end(false), compact(threshold), compaction aborted, end(false), settled, compact(manual), compaction aborted, end(false), settled"
		if l.String() != want {
			t.Errorf("events\n%s\nwant\n%s", l, want)
		}
		if got := fmt.Sprint(carried(p.asked[len(p.asked)-1])); !strings.HasSuffix(got, "user:now assistant:three user:at once]") {
			t.Errorf("%s", got)
		}
	})
}

func TestAnAutomaticCompactionIsAborted(t *testing.T) {
	held := func(ctx context.Context, _ *ai.Writer) error { <-ctx.Done(); return ctx.Err() }
	look := []*agent.Tool{toolReturning("look", func() string { return "seen" })}
	for name, c := range map[string]struct {
		replies  []answerFunc
		prompts  []string
		abort    func(*session.Session)
		requests int
	}{
		"after a run":                {[]answerFunc{saying("one", 10), saying("two", 90_000)}, []string{"first question", "second question"}, func(s *session.Session) { _ = s.Abort(context.Background()) }, 2},
		"between turns":              {[]answerFunc{saying("one", 10), calling("c1", "look", "{}", 90_000), saying("two", 10)}, []string{"first question", "second question"}, func(s *session.Session) { _ = s.Abort(context.Background()) }, 3},
		"between turns, it alone":    {[]answerFunc{saying("one", 10), calling("c1", "look", "{}", 90_000), saying("two", 10)}, []string{"first question", "second question"}, func(s *session.Session) { s.AbortCompaction() }, 3},
		"before a prompt":            {[]answerFunc{saying("one", 10), saying("two", 10), saying("three", 10)}, []string{"first question", "second question", wordsOf(90_000)}, func(s *session.Session) { _ = s.Abort(context.Background()) }, 3},
		"before a prompt, it alone":  {[]answerFunc{saying("one", 10), saying("two", 10), saying("three", 10)}, []string{"first question", "second question", wordsOf(90_000)}, func(s *session.Session) { s.AbortCompaction() }, 3},
		"for an overflow, it alone":  {[]answerFunc{saying("one", 10), failsWith(errTooLong)}, []string{"first question", "second question"}, func(s *session.Session) { s.AbortCompaction() }, 2},
		"for an overflow, all of it": {[]answerFunc{saying("one", 10), failsWith(errTooLong)}, []string{"first question", "second question"}, func(s *session.Session) { _ = s.Abort(context.Background()) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: c.replies, summary: []answerFunc{held}}
				s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(5), Tools: look})
				l := logPolicy(s)
				var a *session.Activity
				for _, text := range c.prompts {
					var err error
					if a, err = s.Start(session.Prompt{Text: text}); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if !s.State().Compacting || !s.State().Busy {
					t.Fatalf("no compaction is under way: %s", l)
				}
				c.abort(s)
				if err := a.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				asked, _ := p.counts()
				if asked != c.requests || l.count("compaction aborted") != 1 || l.count("settled") != len(c.prompts) {
					t.Errorf("%d requests: %s", asked, l)
				}
				for range s.Store().Entries(session.TypeCompaction) {
					t.Error("an entry was added")
				}
			})
		})
	}
}

func TestRequestsForSummariesAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{failsWith(errOverloaded), failsWith(errOverloaded), saying("SUMMARY", 10)}}
		s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(4)})
		mustPrompt(t, s, "first question")
		mustPrompt(t, s, "second question")
		l := logPolicy(s)
		began := time.Now()
		if _, err := s.Compact(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if want := "compact(manual), summary retry(1), summary retry(2), summary retried, compacted(false)"; l.String() != want || time.Since(began) != 6*time.Second {
			t.Errorf("%s after %s", l, time.Since(began))
		}

		p.summary, p.summed = []answerFunc{failsWith(errOverloaded)}, nil
		mustPrompt(t, s, "third question")
		l = logPolicy(s)
		go func() {
			time.Sleep(time.Second)
			_ = s.Abort(context.Background())
		}()
		if _, err := s.Compact(t.Context(), ""); !errors.Is(err, agent.ErrAborted) {
			t.Errorf("%v", err)
		}
		if want := "compact(manual), summary retry(1), summary retried, compaction aborted"; l.String() != want {
			t.Errorf("%s", l)
		}
	})
}

func TestHooksSeeTheCompactedContext(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10), calling("c1", "look", "{}", 90_000), saying("two", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	var turns, requests []int
	level := ai.ThinkingOff
	s := openOver(t, inMemory(), p, session.Options{
		Compaction: keeping(10), Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })},
		Hooks: agent.Hooks{
			PrepareNextTurn: func(_ context.Context, turn *agent.Turn) (*agent.NextTurn, error) {
				turns = append(turns, len(turn.Context.Messages))
				return &agent.NextTurn{Thinking: &level}, nil
			},
			PrepareRequest: func(_ context.Context, plan *agent.RequestPlan) (*agent.RequestPatch, error) {
				requests = append(requests, len(plan.Context.Messages))
				return nil, nil
			},
		},
	})
	mustPrompt(t, s, "first question")
	mustPrompt(t, s, "second question")
	if !slices.Equal(turns, []int{4}) || !slices.Equal(requests, []int{1, 3, 4}) {
		t.Errorf("turns %v, requests %v", turns, requests)
	}
}

func TestASummaryThatFailsLeavesTheConversation(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{failsWith(errors.New("no summary today"))}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(4)})
	mustPrompt(t, s, "first question")
	mustPrompt(t, s, "second question")
	before, n := transcriptJSON(t, s.Messages()), s.Store().Len()
	if _, err := s.Compact(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "no summary today") {
		t.Errorf("%v", err)
	}
	if transcriptJSON(t, s.Messages()) != before || s.Store().Len() != n {
		t.Error("the conversation has changed")
	}
}

func TestLaw_L11_ToolChangesSurviveACompaction(t *testing.T) {
	store, path := onDisk(t)
	tool := toolReturning("later", func() string { return "seen" })
	p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	change := &ai.SystemMessage{ToolsAdded: []ai.ToolDecl{tool.Declaration()}, ToolsRemoved: []string{"gone"}}
	list := []session.Entry{
		&session.MessageEntry{Message: agent.User("first question")},
		&session.MessageEntry{Message: &ai.AssistantMessage{Content: ai.TextContent("one"), StopReason: ai.StopEnd}},
		&session.MessageEntry{Message: change},
		&session.MessageEntry{Message: agent.User("second question")},
		&session.MessageEntry{Message: &ai.AssistantMessage{Content: ai.TextContent("two"), StopReason: ai.StopEnd}},
	}
	if err := store.Append(list...); err != nil {
		t.Fatal(err)
	}
	s := openOver(t, store, p, session.Options{Compaction: keeping(2)})
	if _, err := s.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := openAgain(t, path)
	defer again.Close()
	past, err := session.Project(again, again.Leaf())
	if err != nil {
		t.Fatal(err)
	}
	got, ok := past.Messages[0].(*ai.SystemMessage)
	if !ok || len(got.ToolsAdded) != 1 || got.ToolsAdded[0].Name != "later" || !slices.Equal(got.ToolsRemoved, []string{"gone"}) {
		t.Errorf("the transcript begins with %#v", past.Messages[0])
	}
}

func TestLaw_S4_TheContextAfterwardsIsWhatTheStoreGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := inMemory()
		calls := 0
		for range rapid.IntRange(1, 12).Draw(t, "messages") {
			var m agent.Message
			text := rapid.StringN(1, 40, 100).Draw(t, "text")
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0, 1:
				m = agent.User(text)
			case 2:
				m = &ai.AssistantMessage{Content: ai.TextContent(text), StopReason: rapid.SampledFrom([]ai.StopReason{ai.StopEnd, ai.StopError, ai.StopAborted}).Draw(t, "end")}
			case 3:
				m = &session.BashExecution{Command: text, ExcludeFromContext: rapid.Bool().Draw(t, "hidden")}
			case 4:
				calls++
				id := fmt.Sprint("c", calls)
				if err := store.Append(&session.MessageEntry{Message: &ai.AssistantMessage{Content: ai.Content{&ai.ToolCall{ID: id, Name: "look"}}, StopReason: ai.StopToolUse}}); err != nil {
					t.Fatal(err)
				}
				m = &ai.ToolResultMessage{ToolCallID: id, ToolName: "look", Content: ai.TextContent(text)}
			}
			if err := store.Append(&session.MessageEntry{Message: m}); err != nil {
				t.Fatal(err)
			}
		}
		p := &llm{summary: []answerFunc{saying("SUMMARY", 10)}}
		s, err := session.New(store, &session.Options{CWD: "/", Model: labModel, Stream: p.stream, Compaction: keeping(rapid.IntRange(1, 40).Draw(t, "keep"))})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background())
		before := s.Messages()
		if _, err := s.Compact(context.Background(), ""); errors.Is(err, session.ErrNothingToCompact) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		past, err := session.Project(store, store.Leaf())
		if err != nil {
			t.Fatal(err)
		}
		model := func(messages []agent.Message) []ai.Message {
			return ai.Transform(labModel, session.ForModel(messages), nil)
		}
		after := model(s.Messages())
		if diff := cmp.Diff(asLines(model(past.Messages)), asLines(after)); diff != "" {
			t.Fatalf("the model sees something else than the store gives:\n%s", diff)
		}
		// Behind the summary is the end of what there was, unchanged.
		old := model(before)
		kept := after[1:]
		if diff := cmp.Diff(asLines(old[len(old)-len(kept):]), asLines(kept)); diff != "" {
			t.Fatalf("what is kept has changed:\n%s", diff)
		}
	})
}

// asLines lists messages with their texts.
func asLines(messages []ai.Message) []string {
	var out []string
	for _, m := range messages {
		raw, err := json.Marshal(m)
		if err != nil {
			raw = []byte(err.Error())
		}
		out = append(out, string(raw))
	}
	return out
}
