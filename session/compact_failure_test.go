package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
)

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
		if _, err := s.Prompt(t.Context(), session.Prompt{Text: "now", WhileBusy: session.Interrupt}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		run, err := s.StartCompaction("")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := s.Prompt(t.Context(), session.Prompt{Text: "at once", WhileBusy: session.Interrupt}); err != nil {
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
		"between turns":              {[]answerFunc{saying("one", 10), calling("c1", "look", "{}", 90_000), saying("two", 10)}, []string{"first question", "second question"}, func(s *session.Session) { _ = s.Abort(context.Background()) }, 2},
		"between turns, it alone":    {[]answerFunc{saying("one", 10), calling("c1", "look", "{}", 90_000), saying("two", 10)}, []string{"first question", "second question"}, func(s *session.Session) { s.AbortCompaction() }, 3},
		"before a prompt":            {[]answerFunc{saying("one", 10), saying("two", 10), saying("three", 10)}, []string{"first question", "second question", wordsOf(90_000)}, func(s *session.Session) { _ = s.Abort(context.Background()) }, 2},
		"before a prompt, it alone":  {[]answerFunc{saying("one", 10), saying("two", 10), saying("three", 10)}, []string{"first question", "second question", wordsOf(90_000)}, func(s *session.Session) { s.AbortCompaction() }, 3},
		"for an overflow, it alone":  {[]answerFunc{saying("one", 10), failsWith(errTooLong)}, []string{"first question", "second question"}, func(s *session.Session) { s.AbortCompaction() }, 2},
		"for an overflow, all of it": {[]answerFunc{saying("one", 10), failsWith(errTooLong)}, []string{"first question", "second question"}, func(s *session.Session) { _ = s.Abort(context.Background()) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: c.replies, summary: []answerFunc{held}}
				s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(5), Tools: look})
				l := logPolicy(s)
				var a *session.Run
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
				if _, err := a.Wait(t.Context()); err != nil && !errors.Is(err, agent.ErrAborted) {
					t.Fatal(err)
				}
				asked, _ := p.counts()
				if asked != c.requests || l.count("compaction aborted") != 1 || l.count("settled") != len(c.prompts) {
					t.Errorf("%d requests: %s", asked, l)
				}
				for range s.Store().Entries(transcript.TypeCompaction) {
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
