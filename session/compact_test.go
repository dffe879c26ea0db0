package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// windowOf returns a model with a context window.
func windowOf(tokens int) *ai.Model {
	m := *labModel
	m.ContextWindow = tokens
	return &m
}

// keeping are settings with which nearly everything is compacted.
func keeping(tokens int) compaction.Settings { return compaction.Settings{KeepRecentTokens: tokens} }

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

// TestAFixedPartThatIsTooLargeIsNotCompactedForever has a model that always
// reports a full window, as with a system prompt that fills it by itself.
// copiesOf returns the entries of a store, for another one.
func copiesOf(t *testing.T, store transcript.Store) []transcript.Entry {
	t.Helper()
	var out []transcript.Entry
	for e, err := range store.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := transcript.EncodeEntry(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := transcript.DecodeEntry(slices.Clone(raw))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, again)
	}
	return out
}

func TestManualCompaction(t *testing.T) {
	store, path := storetest.File(t)
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
	past, err := transcript.Project(again, again.Leaf())
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
		store, path := storetest.File(t)
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
		if _, err := a.Wait(t.Context()); err != nil {
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

func TestHooksSeeTheCompactedContext(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10), calling("c1", "look", "{}", 90_000), saying("two", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	var turns, requests []int
	level := ai.ThinkingOff
	s := openOver(t, inMemory(), p, session.Options{
		Compaction: keeping(5), Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })},
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

func TestLaw_L11_ToolChangesSurviveACompaction(t *testing.T) {
	store, path := storetest.File(t)
	tool := toolReturning("later", func() string { return "seen" })
	p := &llm{replies: []answerFunc{saying("one", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	change := &ai.SystemMessage{ToolsAdded: []ai.ToolDecl{tool.Declaration()}, ToolsRemoved: []string{"gone"}}
	list := []transcript.Entry{
		&transcript.MessageEntry{Message: agent.User("first question")},
		&transcript.MessageEntry{Message: &ai.AssistantMessage{Content: ai.TextContent("one"), StopReason: ai.StopEnd}},
		&transcript.MessageEntry{Message: change},
		&transcript.MessageEntry{Message: agent.User("second question")},
		&transcript.MessageEntry{Message: &ai.AssistantMessage{Content: ai.TextContent("two"), StopReason: ai.StopEnd}},
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
	past, err := transcript.Project(again, again.Leaf())
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
				m = &transcript.BashExecution{Command: text, ExcludeFromContext: rapid.Bool().Draw(t, "hidden")}
			case 4:
				calls++
				id := fmt.Sprint("c", calls)
				if err := store.Append(&transcript.MessageEntry{Message: &ai.AssistantMessage{Content: ai.Content{&ai.ToolCall{ID: id, Name: "look"}}, StopReason: ai.StopToolUse}}); err != nil {
					t.Fatal(err)
				}
				m = &ai.ToolResultMessage{ToolCallID: id, ToolName: "look", Content: ai.TextContent(text)}
			}
			if err := store.Append(&transcript.MessageEntry{Message: m}); err != nil {
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
		if _, err := s.Compact(context.Background(), ""); errors.Is(err, compaction.ErrNothingToCompact) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		past, err := transcript.Project(store, store.Leaf())
		if err != nil {
			t.Fatal(err)
		}
		model := func(messages []agent.Message) []ai.Message {
			return ai.Transform(labModel, transcript.ForModel(messages), nil)
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
