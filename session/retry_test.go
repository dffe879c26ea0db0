package session_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func TestLaw_S3_ARetryRepeatsTheRequestAndNoTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		tool := toolReturning("look", func() string { ran++; return "seen" })
		p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), failsWith(errOverloaded), failsWith(errOverloaded), saying("done", 10)}}
		s := openOver(t, inMemory(), p, session.Options{Tools: []*agent.Tool{tool}})
		l := logPolicy(s)
		mustPrompt(t, s, "go")
		if want := "end(true), retry(1), end(true), retry(2), retried(2 true), end(false), settled"; l.String() != want {
			t.Errorf("events\n%s\nwant\n%s", l, want)
		}
		if ran != 1 {
			t.Errorf("the tool ran %d times", ran)
		}
		want := []string{"user:go", "assistant:(c1)", "toolResult:seen"}
		for i, req := range p.asked[1:] {
			if got := carried(req); !slices.Equal(got, want) {
				t.Errorf("request %d has %v", i+2, got)
			}
		}
		if got := inStore(t, s.Store()); !slices.Equal(got, []string{"user:go", "assistant:", "result", "assistant!:", "assistant!:", "assistant:done"}) {
			t.Errorf("stored %v", got)
		}
		if n := len(s.Messages()); n != 4 {
			t.Errorf("the transcript has %d messages", n)
		}
	})
}

func TestLaw_S3_RetryAfterIsHonoured(t *testing.T) {
	for name, c := range map[string]struct {
		asked time.Duration
		opts  session.Retry
		want  bool
	}{
		"longer than the backoff": {40 * time.Second, session.Retry{}, true},
		"longer than allowed":     {3 * time.Hour, session.Retry{}, false},
		"no bound":                {3 * time.Hour, session.Retry{MaxServerDelay: -1}, true},
		"own bound":               {20 * time.Second, session.Retry{MaxServerDelay: 10 * time.Second}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: []answerFunc{failsWith(&ai.StatusError{Status: 429, Message: "slow down", RetryAfter: c.asked}), saying("done", 10)}}
				s := openOver(t, inMemory(), p, session.Options{Retry: c.opts})
				l := logPolicy(s)
				var announced int64
				s.Subscribe(func(ev event.Event) {
					if ev, ok := ev.(*event.AutoRetryStart); ok {
						announced = ev.DelayMs
					}
				})
				began := time.Now()
				mustPrompt(t, s, "go")
				waited := time.Since(began)
				if !c.want {
					if l.String() != "end(false), settled" || waited != 0 {
						t.Errorf("%s after %s", l, waited)
					}
					return
				}
				if waited < c.asked || waited > c.asked+c.asked/10 || announced < c.asked.Milliseconds() {
					t.Errorf("waited %s, announced %d ms", waited, announced)
				}
			})
		})
	}
}

func TestQuotasAreNotRetried(t *testing.T) {
	for name, err := range map[string]error{
		"code 1308":          &ai.StatusError{Status: 429, Code: "1308", Message: "usage limit, resets at 18:00"},
		"insufficient_quota": &ai.StatusError{Status: 429, Code: "insufficient_quota", Message: "You exceeded your current quota"},
		"402":                &ai.StatusError{Status: 402, Message: "pay first"},
		"text":               errors.New("429 Too many requests: monthly usage limit reached"),
	} {
		p := &llm{replies: []answerFunc{failsWith(err)}}
		s := openOver(t, inMemory(), p, session.Options{})
		l := logPolicy(s)
		mustPrompt(t, s, "go")
		if l.String() != "end(false), settled" || !strings.Contains(s.Outcome().Error(), err.Error()) {
			t.Errorf("%s: %s, %v", name, l, s.Outcome())
		}
	}
}

func TestPhrasesMayBeAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := session.Options{Failures: ai.Classifier{Transient: []string{"the hamster sleeps"}, Limit: []string{"no more cheese"}}}
		p := &llm{replies: []answerFunc{failsWith(errors.New("sorry, the Hamster sleeps")), failsWith(errors.New("overloaded: no more cheese"))}}
		s := openOver(t, inMemory(), p, opts)
		l := logPolicy(s)
		mustPrompt(t, s, "go")
		if want := "end(true), retry(1), end(false), retried(1 false), settled"; l.String() != want {
			t.Errorf("%s", l)
		}
	})
}

func TestDelaysAreBoundedAndShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &llm{replies: []answerFunc{failsWith(errOverloaded)}}
		s := openOver(t, inMemory(), p, session.Options{Retry: session.Retry{MaxRetries: 10, BaseDelay: 5 * time.Second}})
		var announced, waited []time.Duration
		var at time.Time
		s.Subscribe(func(ev event.Event) {
			switch ev := ev.(type) {
			case *event.AutoRetryStart:
				announced, at = append(announced, time.Duration(ev.DelayMs)*time.Millisecond), time.Now()
			case *agent.AgentStart:
				if len(announced) > 0 {
					waited = append(waited, time.Since(at))
				}
			}
		})
		mustPrompt(t, s, "go")
		want := []time.Duration{5, 10, 20, 40, 60, 60, 60, 60, 60, 60}
		spread := false
		for i := range want {
			want[i] *= time.Second
			if i < len(waited) && (waited[i] > want[i] || waited[i] < want[i]*3/4) {
				t.Errorf("wait %d took %s", i+1, waited[i])
			}
			spread = spread || i < len(waited) && waited[i] != want[i]
		}
		if !slices.Equal(announced, want) || !spread {
			t.Errorf("announced %v, waited %v", announced, waited)
		}
	})
}

func TestAbortEndsTheWait(t *testing.T) {
	for name, end := range map[string]func(*session.Session){
		"abort":       func(s *session.Session) { _ = s.Abort(context.Background()) },
		"abort retry": func(s *session.Session) { s.AbortRetry() },
		"close":       func(s *session.Session) { _ = s.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: []answerFunc{failsWith(&ai.StatusError{Status: 429, Message: "wait", RetryAfter: time.Minute}), saying("done", 10)}}
				s := openOver(t, inMemory(), p, session.Options{})
				l := logPolicy(s)
				began := time.Now()
				a, err := s.Start(session.Prompt{Text: "go"})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				if !s.State().Retrying {
					t.Error("the state does not say that a retry is waited for")
				}
				end(s)
				if _, err := a.Wait(t.Context()); err != nil && !errors.Is(err, agent.ErrAborted) {
					t.Fatal(err)
				}
				if waited := time.Since(began); waited != time.Second {
					t.Errorf("it took %s", waited)
				}
				if want := "end(true), retry(1), retried(1 false), settled"; l.String() != want {
					t.Errorf("%s", l)
				}
				if last := s.LastAnswer(); last == nil || !last.Failed() {
					t.Error("the failed answer is gone although nothing follows it")
				}
			})
		})
	}
}

func TestManyRetriesLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &llm{replies: []answerFunc{failsWith(errOverloaded)}}
		s := openOver(t, inMemory(), p, session.Options{Retry: session.Retry{MaxRetries: 1000, BaseDelay: time.Millisecond, MaxDelay: time.Millisecond}})
		most := 0
		s.Subscribe(func(ev event.Event) {
			if ev.Type() == event.EventAutoRetryStart {
				most = max(most, runtime.NumGoroutine())
			}
		})
		mustPrompt(t, s, "go")
		if n, _ := p.counts(); n != 1001 || most > 50 {
			t.Errorf("%d requests, %d goroutines", n, most)
		}
		if n := len(s.Messages()); n != 2 {
			t.Errorf("the transcript has %d messages", n)
		}
	})
}

func TestABrokenAnswerRunsNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		tool := toolReturning("look", func() string { ran++; return "seen" })
		broken := func(_ context.Context, w *ai.Writer) error {
			i := w.StartToolCall("c1", "look")
			w.Append(i, "{}")
			w.End(i)
			return io.ErrUnexpectedEOF
		}
		p := &llm{replies: []answerFunc{broken}}
		s := openOver(t, inMemory(), p, session.Options{Tools: []*agent.Tool{tool}})
		l := logPolicy(s)
		mustPrompt(t, s, "go")
		if ran != 0 || l.count("retry(3)") != 1 || l.count("retry(4)") != 0 {
			t.Errorf("ran %d times: %s", ran, l)
		}
		for _, req := range p.asked {
			if got := carried(req); !slices.Equal(got, []string{"user:go"}) {
				t.Errorf("a request has %v", got)
			}
		}
	})
}

// TestAbortAtEveryPoint aborts during each event of a run with retries: whatever
// the moment, the session comes to rest, and each series of retries ends once.
func TestAbortAtEveryPoint(t *testing.T) {
	for name, abort := range map[string]func(*session.Session){
		"abort":       func(s *session.Session) { _ = s.Abort(context.Background()) },
		"abort retry": func(s *session.Session) { s.AbortRetry() },
	} {
		for point := 1; ; point++ {
			reached := false
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: []answerFunc{failsWith(errOverloaded), halfThen("half", errOverloaded), saying("done", 10)}}
				s := openOver(t, inMemory(), p, session.Options{})
				l := logPolicy(s)
				n := 0
				stop := s.Subscribe(func(event.Event) {
					if n++; n == point {
						reached = true
						go abort(s)
						synctest.Wait() // the abort has done what it can do now
					}
				})
				if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go"}); err != nil && !errors.Is(err, agent.ErrAborted) {
					t.Fatal(err)
				}
				stop()
				got := l.String()
				if l.count("settled") != 1 || s.State().Busy || s.State().Retrying {
					t.Errorf("%s at event %d: %s", name, point, got)
				}
				started := strings.Contains(got, "retry(1)")
				ended := strings.Count(got, "retried(")
				if started && ended != 1 || !started && ended != 0 {
					t.Errorf("%s at event %d: the retry ends %d times: %s", name, point, ended, got)
				}
				if strings.Count(got, "end(true)") != strings.Count(got, "retry(") {
					t.Errorf("%s at event %d: what was announced does not follow: %s", name, point, got)
				}
				mustPrompt(t, s, "again")
				if s.LastAnswer().Content.Text() != "done" {
					t.Errorf("%s at event %d: the next prompt is not answered: %s", name, point, l)
				}
			})
			if !reached || t.Failed() {
				break
			}
		}
	}
}

func TestAStreamThatEndsTooEarlyIsRetried(t *testing.T) {
	for name, err := range map[string]error{"EOF": io.ErrUnexpectedEOF, "no terminal event": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: []answerFunc{halfThen("half an ans", err), saying("done", 10)}}
				s := openOver(t, inMemory(), p, session.Options{})
				mustPrompt(t, s, "go")
				if s.Outcome() != nil || s.LastAnswer().Content.Text() != "done" {
					t.Errorf("%v", s.Outcome())
				}
			})
		})
	}
}

func TestAnAbortIsNoFailureOfTheProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := func(ctx context.Context, _ *ai.Writer) error { <-ctx.Done(); return ctx.Err() }
		p := &llm{replies: []answerFunc{failsWith(errOverloaded), held}}
		s := openOver(t, inMemory(), p, session.Options{})
		l := logPolicy(s)
		var final string
		s.Subscribe(func(ev event.Event) {
			if end, ok := ev.(*event.AutoRetryEnd); ok {
				final = end.FinalError
			}
		})
		a, err := s.Start(session.Prompt{Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second) // into the second attempt
		if err := s.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		waitAborted(t, a)
		if want := "end(true), retry(1), end(false), retried(1 false), settled"; l.String() != want {
			t.Errorf("%s", l)
		}
		if last := s.LastAnswer(); last.StopReason != ai.StopAborted || strings.Contains(final, "Overloaded") {
			t.Errorf("%s: %q", last.StopReason, final)
		}
	})
}

func TestAFailedAttemptIsEndedAndLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, path := storetest.File(t)
		p := &llm{replies: []answerFunc{halfThen(strings.Repeat("half ", 1000), io.ErrUnexpectedEOF), saying("the whole", 10)}}
		s := openOver(t, store, p, session.Options{})
		var ended []string
		s.Subscribe(func(ev event.Event) {
			if end, ok := ev.(*agent.MessageEnd); ok {
				if m, ok := end.Message.(*ai.AssistantMessage); ok {
					ended = append(ended, string(m.StopReason))
				}
			}
		})
		mustPrompt(t, s, "go")
		if !slices.Equal(ended, []string{"error", "stop"}) {
			t.Errorf("the answers end with %v", ended)
		}
		if got := carried(p.asked[1]); !slices.Equal(got, []string{"user:go"}) {
			t.Errorf("the retry carries %v", got)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := inStore(t, openAgain(t, path)); len(got) != 3 || !strings.HasPrefix(got[1], "assistant!:half") {
			t.Errorf("stored %v", got)
		}
	})
}

func TestAnEmptyAnswerIsAFailure(t *testing.T) {
	empty := func(_ context.Context, w *ai.Writer) error { w.Start(); w.Done(ai.StopEnd); return nil }
	blank := func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), " \n")
		w.Done(ai.StopEnd)
		return nil
	}
	callless := func(_ context.Context, w *ai.Writer) error { // LOOP-08
		w.Append(w.StartText(), "I will look.")
		w.Done(ai.StopToolUse)
		return nil
	}
	for name, bad := range map[string]answerFunc{"empty": empty, "blank": blank, "LOOP08 calls without a call": callless} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: []answerFunc{bad, saying("done", 10)}}
				s := openOver(t, inMemory(), p, session.Options{})
				mustPrompt(t, s, "go")
				if s.Outcome() != nil {
					t.Errorf("one is not repeated: %v", s.Outcome())
				}
				p = &llm{replies: []answerFunc{bad}}
				s = openOver(t, inMemory(), p, session.Options{})
				l := logPolicy(s)
				mustPrompt(t, s, "go")
				if n, _ := p.counts(); n != 4 || l.count("retried(3 false)") != 1 {
					t.Errorf("%d requests: %s", n, l)
				}
				if err := s.Outcome(); err == nil || !errors.Is(err, ai.ErrEmptyAnswer) {
					t.Errorf("the outcome is %v", err)
				}
				p.replies = []answerFunc{saying("done", 10)}
				p.asked = nil
				mustPrompt(t, s, "again")
				if got := carried(p.asked[0]); !slices.Equal(got, []string{"user:go", "user:again"}) {
					t.Errorf("the next request has %v", got)
				}
			})
		})
	}
}

func TestAStoreThatFailsIsNotRetried(t *testing.T) {
	full := errors.New("no space left on device; connection timed out")
	store := &failsOnce{Store: inMemory(), err: full}
	tool := toolReturning("look", func() string { store.once.Store(true); return "seen" })
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("done", 10)}}
	s := openOver(t, store, p, session.Options{Tools: []*agent.Tool{tool}})
	l := logPolicy(s)
	mustPrompt(t, s, "go") // what tells of the failure can be stored again
	if n, _ := p.counts(); n != 1 || l.String() != "end(false), settled" {
		t.Errorf("%d requests: %s", n, l)
	}
	if err := s.Outcome(); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// failsOnce is a store that fails once.
type failsOnce struct {
	transcript.Store
	err  error
	once atomic.Bool
}

func (b *failsOnce) Append(e ...transcript.Entry) error {
	if b.once.CompareAndSwap(true, false) {
		return b.err
	}
	return b.Store.Append(e...)
}

func TestRetryCanBeSwitched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &llm{replies: []answerFunc{failsWith(errOverloaded)}}
		s := openOver(t, inMemory(), p, session.Options{Retry: session.Retry{Disabled: true}})
		l := logPolicy(s)
		mustPrompt(t, s, "go")
		if s.State().AutoRetry || l.String() != "end(false), settled" {
			t.Errorf("%s", l)
		}
		s.SetAutoRetry(true)
		p.replies, p.asked = []answerFunc{failsWith(errOverloaded), saying("done", 10)}, nil
		mustPrompt(t, s, "again")
		if !s.State().AutoRetry || s.Outcome() != nil {
			t.Errorf("%v", s.Outcome())
		}
	})
	for name, r := range map[string]session.Retry{"none": {MaxRetries: -1}, "at once": {MaxRetries: 1, BaseDelay: -1}} {
		p := &llm{replies: []answerFunc{failsWith(errOverloaded)}}
		s := openOver(t, inMemory(), p, session.Options{Retry: r})
		mustPrompt(t, s, "go")
		if n, _ := p.counts(); n != 1+max(r.MaxRetries, 0) {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

func TestMessagesThatWaitGoOnAfterARetry(t *testing.T) {
	for name, end := range map[string]func(*session.Session){
		"retried": func(*session.Session) {}, "called off": func(s *session.Session) { s.AbortRetry() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &llm{replies: []answerFunc{failsWith(errOverloaded), saying("one", 10), saying("two", 10)}}
				s := openOver(t, inMemory(), p, session.Options{})
				l := logPolicy(s)
				a, err := s.Start(session.Prompt{Text: "go"})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				if err := s.Queue(session.Prompt{Text: "later"}, session.FollowUp); err != nil {
					t.Fatal(err)
				}
				end(s)
				if _, err := a.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				want := map[string]string{"retried": "[user:go assistant:one user:later]", "called off": "[user:go user:later]"}[name]
				if got := fmt.Sprint(carried(p.asked[len(p.asked)-1])); got != want || l.count("settled") != 1 {
					t.Errorf("the last request has %s: %s", got, l)
				}
			})
		})
	}
}
