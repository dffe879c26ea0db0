package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func TestAResultLargerThanTheWindowIsShortened(t *testing.T) {
	store, path := storetest.File(t)
	huge := "BEGIN " + wordsOf(50_000) + " THE END"
	p := &llm{replies: []answerFunc{saying("hello", 10), calling("c1", "look", "{}", 100), saying("done", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, store, p, session.Options{
		Model: windowOf(32_000), Compaction: compaction.Settings{ReserveTokens: 8_000},
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
	for e, err := range openAgain(t, path).Entries(transcript.TypeMessage) {
		if r, ok := transcript.EntryMessage(e).(*ai.ToolResultMessage); err != nil || ok && r.Content.Text() != huge {
			t.Errorf("the store has %d bytes of it, %v", len(r.Content.Text()), err)
		}
	}
}

func TestOneCompactionForAnOverflow(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10), failsWith(errTooLong)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(4), SystemPrompt: wordsOf(9000)})
	l := logPolicy(s)
	var why string
	s.Subscribe(func(ev event.Event) {
		if end, ok := ev.(*event.CompactionEnd); ok {
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

func TestAFixedPartThatIsTooLargeIsNotCompactedForever(t *testing.T) {
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

func TestASummaryThatCannotBeHadIsNotAskedForForever(t *testing.T) {
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

func TestASmallerWindowThanKnownIsRescued(t *testing.T) {
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

func TestACountThatCannotBeTrueCausesNoCompaction(t *testing.T) {
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

func TestTheAnswerIsClampedToTheWindow(t *testing.T) {
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
