package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// worked is a session whose left branch has dealt with files; the right one is active.
func worked(t *testing.T) transcript.Store {
	t.Helper()
	calls := storetest.Assistant("I look.")
	m := calls.Message.(*ai.AssistantMessage)
	m.Content = append(m.Content,
		&ai.ToolCall{ID: "c1", Name: "read", Arguments: []byte(`{"path":"a.go"}`)},
		&ai.ToolCall{ID: "c2", Name: "edit", Arguments: []byte(`{"path":"b.go"}`)},
		&ai.ToolCall{ID: "c3", Name: "write", Arguments: []byte(`{"path":"failed.go"}`)})
	result := func(id string, failed bool) *transcript.MessageEntry {
		return &transcript.MessageEntry{Message: &ai.ToolResultMessage{ToolCallID: id, ToolName: "t", Content: ai.TextContent("RESULT " + id), IsError: failed}}
	}
	return storetest.Memory(t,
		storetest.At("q1", "", 1, storetest.User("first")), storetest.At("a1", "q1", 2, storetest.Assistant("one")),
		storetest.At("q2", "a1", 3, storetest.User("LEFT QUESTION")), storetest.At("a2", "q2", 4, calls),
		storetest.At("r1", "a2", 5, result("c1", false)), storetest.At("r2", "r1", 6, result("c2", false)), storetest.At("r3", "r2", 7, result("c3", true)),
		storetest.At("s1", "r3", 8, &transcript.MessageEntry{Message: &transcript.BashExecution{Command: "secret", ExcludeFromContext: true}}),
		storetest.At("a3", "s1", 9, storetest.Assistant("LEFT ANSWER")),
		storetest.At("l1", "a3", 10, storetest.Label("q1", "mark")),
	)
}

func TestBranchSummary(t *testing.T) {
	m := &model{replies: []func(context.Context, *ai.Writer) error{
		func(ctx context.Context, w *ai.Writer) error {
			w.SetUsage(spent(300, 30, 0.1))
			return text("What happened.")(ctx, w)
		},
		text("on the right"),
	}}
	store := worked(t)
	s := open(t, store, m, session.Options{SystemPrompt: "the agent's own prompt"})
	from := store.Leaf()
	got, err := s.Navigate(t.Context(), "q2", &session.Navigation{Summarize: true, Instructions: "DWELL ON FILES", Label: "tried"})
	if err != nil || got.Text != "LEFT QUESTION" {
		t.Fatalf("Navigate: %+v, %v", got, err)
	}
	const want = "What happened.\n\n<read-files>\na.go\n</read-files>\n\n<modified-files>\nb.go\n</modified-files>"
	if e := got.Summary; e.Summary != want || e.ParentID != "a1" || e.FromID != from || string(e.Details) != `{"readFiles":["a.go"],"modifiedFiles":["b.go"]}` || e.Usage.Input != 300 || e.FromHook {
		t.Errorf("the entry is %+v", e)
	}
	leaf, err := store.Entry(store.Leaf())
	if l, ok := leaf.(*transcript.LabelEntry); err != nil || !ok || l.TargetID != got.Summary.ID || l.Label != "tried" {
		t.Errorf("the leaf is %+v (%v)", leaf, err)
	}
	req := m.requests[0]
	asked := summaryText(req)
	for _, want := range []string{"LEFT QUESTION", "I look.", "a.go", "LEFT ANSWER", "DWELL ON FILES"} {
		if !strings.Contains(asked, want) {
			t.Errorf("%q is not in the request:\n%s", want, asked)
		}
	}
	for _, not := range []string{"[User]\nfirst", "RESULT", "secret", "the agent's own prompt"} {
		if strings.Contains(asked, not) || strings.Contains(req.Context.SystemPrompt, not) {
			t.Errorf("%q is in the request:\n%s", not, asked)
		}
	}
	if req.Options.MaxTokens != 4096 || len(req.Context.Tools) != 0 || req.Options.CacheRetention != "none" {
		t.Errorf("the request is made with %+v", req.Options)
	}
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "again"}); err != nil {
		t.Fatal(err)
	}
	storetest.WantContext(t, store, "user first", "assistant one", "branchSummary "+want, "user again", "assistant on the right")
	if last := transcript.ForModel(s.Messages()); len(last) != 5 {
		t.Errorf("%d messages", len(last))
	}
	if st := stats(t, s); st.Tokens.Input != 300 {
		t.Errorf("the summary does not count: %+v", st)
	}
}

func TestThePromptCanBeReplaced(t *testing.T) {
	m := &model{replies: []func(context.Context, *ai.Writer) error{text("x")}}
	s := open(t, worked(t), m, session.Options{})
	if _, err := s.Navigate(t.Context(), "a1", &session.Navigation{Summarize: true, Instructions: "ONLY THIS", ReplacePrompt: true}); err != nil {
		t.Fatal(err)
	}
	if asked := summaryText(m.requests[0]); !strings.HasSuffix(asked, "</conversation>\n\nONLY THIS") {
		t.Errorf("the request is\n%s", asked)
	}
}

func TestNothingToSumUp(t *testing.T) {
	store := worked(t)
	m := &model{}
	s := open(t, store, m, session.Options{})
	if err := store.SetLeaf("a1"); err != nil {
		t.Fatal(err)
	}
	for _, to := range []transcript.EntryID{"a3", "l1"} { // further along the same path
		got, err := s.Navigate(t.Context(), to, &session.Navigation{Summarize: true})
		if err != nil || got.Summary != nil || store.Leaf() != to || m.asked() != 0 {
			t.Errorf("to %s: %+v, %v, %d requests", to, got, err, m.asked())
		}
	}
}

func TestAFailedSummaryLeavesEverything(t *testing.T) {
	failing := func(context.Context, *ai.Writer) error { return errors.New("quota exceeded") }
	gate := make(chan struct{})
	m := &model{replies: []func(context.Context, *ai.Writer) error{failing, held("half", gate), held("half", gate)}}
	store := worked(t)
	s := open(t, store, m, session.Options{Retry: session.Retry{Disabled: true}})
	leaf, n, was := store.Leaf(), store.Len(), spoken(s)
	unchanged := func(what string) {
		t.Helper()
		if store.Leaf() != leaf || store.Len() != n || !slices.Equal(spoken(s), was) || s.State().Compacting {
			t.Errorf("%s has changed something: leaf %s, %d entries, %q", what, store.Leaf(), store.Len(), spoken(s))
		}
	}
	if _, err := s.Navigate(t.Context(), "a1", &session.Navigation{Summarize: true}); err == nil || !strings.Contains(err.Error(), "quota exceeded") {
		t.Errorf("Navigate: %v", err)
	}
	unchanged("a failure")

	// While the summary is made, nobody else gets in between.
	summing := func(end func()) error {
		done := make(chan error, 1)
		asked := m.asked()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			_, err := s.Navigate(ctx, "a1", &session.Navigation{Summarize: true})
			done <- err
		}()
		waitUntil(t, func() bool { return m.asked() > asked })
		if !s.State().Compacting {
			t.Error("the state says nothing of the summary")
		}
		if _, err := s.Start(session.Prompt{Text: "x"}); !errors.Is(err, session.ErrCompacting) {
			t.Errorf("a prompt meanwhile: %v", err)
		}
		if _, err := s.Navigate(t.Context(), "q1", nil); !errors.Is(err, session.ErrCompacting) {
			t.Errorf("another one meanwhile: %v", err)
		}
		if end == nil {
			cancel()
		} else {
			end()
		}
		return <-done
	}
	if err := summing(nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller has gone: %v", err)
	}
	unchanged("the end of the context")
	err := summing(func() {
		if err := s.Abort(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, agent.ErrAborted) {
		t.Errorf("an abort: %v", err)
	}
	unchanged("an abort")
}

func waitUntil(t *testing.T, is func() bool) {
	t.Helper()
	for !is() {
		select {
		case <-t.Context().Done():
			t.Fatal("it does not happen")
		default:
		}
	}
}

func TestTheNewestMessagesAreTakenAndSummariesCountMore(t *testing.T) {
	word := func(name string, tokens int) string { return name + strings.Repeat(" abc", tokens-1) }
	window := *labModel
	window.ContextWindow = 8192 // half of it is for the branch
	for name, c := range map[string]struct {
		entries []transcript.Entry // from the old to the new
		want    string
	}{
		"all":               {[]transcript.Entry{storetest.User(word("ONE", 1000)), storetest.User(word("TWO", 1000))}, "ONE TWO"},
		"the newest":        {[]transcript.Entry{storetest.User(word("ONE", 1000)), storetest.User(word("TWO", 2000)), storetest.User(word("THREE", 2000))}, "TWO THREE"},
		"none after a gap":  {[]transcript.Entry{storetest.User(word("ONE", 10)), storetest.User(word("TWO", 3000)), storetest.User(word("THREE", 2000))}, "THREE"},
		"a summary fits in": {[]transcript.Entry{&transcript.BranchSummaryEntry{Summary: word("ONE", 3000)}, storetest.User(word("TWO", 2000))}, "ONE TWO"},
		"unless it is full": {[]transcript.Entry{&transcript.BranchSummaryEntry{Summary: word("ONE", 3000)}, storetest.User(word("TWO", 3900))}, "TWO"},
	} {
		t.Run(name, func(t *testing.T) {
			store := storetest.Memory(t, storetest.At("q1", "", 1, storetest.User("first")))
			if err := store.Append(c.entries...); err != nil {
				t.Fatal(err)
			}
			var replies []func(context.Context, *ai.Writer) error
			for range 20 {
				replies = append(replies, text("x"))
			}
			m := &model{replies: replies}
			s, err := session.New(store, &session.Options{CWD: t.TempDir(), Stream: m.stream, Model: &window})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			if _, err := s.Navigate(t.Context(), "q1", &session.Navigation{Summarize: true}); err != nil {
				t.Fatal(err)
			}
			var asked strings.Builder
			for _, req := range m.requests {
				asked.WriteString(summaryText(req))
			}
			var got []string
			for _, word := range []string{"ONE", "TWO", "THREE"} {
				if strings.Contains(asked.String(), word) {
					got = append(got, word)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("asked about (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBranchSummariesAreRetried(t *testing.T) {
	overloaded := func(context.Context, *ai.Writer) error { return &ai.StatusError{Status: 529, Message: "overloaded"} }
	m := &model{replies: []func(context.Context, *ai.Writer) error{overloaded, text("ok")}}
	s := open(t, worked(t), m, session.Options{Retry: session.Retry{BaseDelay: 1}})
	var events []string
	s.Subscribe(func(ev event.Event) { events = append(events, string(ev.AppendJSON(nil))) })
	if _, err := s.Navigate(t.Context(), "a1", &session.Navigation{Summarize: true}); err != nil {
		t.Fatal(err)
	}
	if len(events) != 3 || !strings.Contains(events[0], "summarization_retry_scheduled") || events[1] != `{"type":"summarization_retry_attempt_start","source":"branchSummary"}` || !strings.Contains(events[2], "finished") {
		t.Errorf("events: %s", fmt.Sprint(events))
	}
}
