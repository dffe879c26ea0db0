package session_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// The lines of a session whose program died in the middle of a batch.
const (
	crashHeader = `{"type":"session","version":3,"id":"s1","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/work"}` + "\n"
	crashUser   = `{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1}}` + "\n"
	crashAnswer = `{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"A","name":"bash","arguments":{"command":"./deploy.sh"}},{"type":"toolCall","id":"B","name":"read","arguments":{}}],"api":"fake","provider":"lab","model":"m","stopReason":"toolUse","timestamp":2}}` + "\n"
	crashResult = `{"type":"message","id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"2025-01-01T00:00:03.000Z","message":{"role":"toolResult","toolCallId":"B","toolName":"read","content":[{"type":"text","text":"text of B"}],"isError":false,"timestamp":3}}` + "\n"
)

// crashed writes the files of a session and opens it.
func crashed(t *testing.T, content, journal string, opts *jsonl.Options) (*jsonl.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for name, text := range map[string]string{path: content, path + ".results": journal} {
		if text != "" {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	store, err := jsonl.Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return store, path
}

// said is one line for each message: its role, its call and what it says.
func said(messages []agent.Message) []string {
	var lines []string
	for _, m := range messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			lines = append(lines, "user: "+m.Content.Text())
		case *ai.AssistantMessage:
			line := "assistant: " + m.Content.Text()
			for _, call := range m.Content.ToolCalls() {
				line += "[" + call.ID + "]"
			}
			if m.Failed() {
				line += "(" + string(m.StopReason) + ")"
			}
			lines = append(lines, line)
		case *ai.ToolResultMessage:
			text := m.Content.Text()
			if strings.Contains(text, "may or may not have") {
				text = "not known"
			}
			if m.IsError {
				text += " (error)"
			}
			lines = append(lines, fmt.Sprintf("result %s: %s", m.ToolCallID, text))
		case *transcript.BashExecution:
			lines = append(lines, "command: "+m.Command)
		default:
			lines = append(lines, m.Role())
		}
	}
	return lines
}

func stored(t *testing.T, path string) []string {
	t.Helper()
	var messages []agent.Message
	for _, e := range entries(t, path) {
		if m, ok := e.(*transcript.MessageEntry); ok {
			messages = append(messages, m.Message)
		}
	}
	return said(messages)
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestCallsOfACrashedRunAreSettledByAppending(t *testing.T) {
	content := crashHeader + crashUser + crashAnswer + crashResult
	store, path := crashed(t, content, "", nil)
	m := &model{replies: []func(context.Context, *ai.Writer) error{text("fine")}}
	s := open(t, store, m, session.Options{})
	settled := []string{"user: go", "assistant: [A][B]", "result B: text of B", "result A: not known (error)"}
	wantLines(t, "the conversation", said(s.Messages()), settled...)
	wantLines(t, "the file", stored(t, path), settled...)
	if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), content) {
		t.Errorf("what was there has changed: %v", err)
	}
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "hi"}); err != nil {
		t.Fatal(err)
	}
	s.Close(t.Context())
	again, err := jsonl.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	open(t, again, m, session.Options{})
	wantLines(t, "the file, opened once more", stored(t, path), append(settled, "user: hi", "assistant: fine")...)
}

func TestRequestsAfterACrashArePaired(t *testing.T) {
	store, _ := crashed(t, crashHeader+crashUser+crashAnswer, "", nil)
	m := &model{replies: []func(context.Context, *ai.Writer) error{text("fine")}}
	s := open(t, store, m, session.Options{})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "hi"}); err != nil {
		t.Fatal(err)
	}
	results := 0
	for _, message := range m.requests[0].Context.Messages {
		if _, ok := message.(*ai.ToolResultMessage); ok {
			results++
		}
	}
	if results != 2 {
		t.Errorf("%d results for two calls in the request", results)
	}
}

func TestTheResultOfACrashIsNeutral(t *testing.T) {
	store, _ := crashed(t, crashHeader+crashUser+crashAnswer, "", nil)
	s := open(t, store, &model{}, session.Options{})
	for _, message := range s.Messages()[2:] {
		r := message.(*ai.ToolResultMessage)
		text := strings.ToLower(r.Content.Text())
		for _, must := range []string{"not available", "may or may not", "check before"} {
			if !strings.Contains(text, must) {
				t.Errorf("the result does not say %q: %s", must, text)
			}
		}
		for _, never := range []string{"interrupt", "abort", "cancel", "user", "fail"} {
			if strings.Contains(text, never) {
				t.Errorf("the result says %q: %s", never, text)
			}
		}
	}
}

func TestRecovery_LeavesAloneWhatNeedsNoResult(t *testing.T) {
	failed := strings.Replace(crashAnswer, `"stopReason":"toolUse"`, `"stopReason":"error"`, 1)
	next := strings.Replace(strings.Replace(crashUser, "aaaaaaa1", "aaaaaaa4", 1), `"parentId":null`, `"parentId":"aaaaaaa2"`, 1)
	command := `{"type":"message","id":"aaaaaaa4","parentId":"aaaaaaa2","timestamp":"2025-01-01T00:00:04.000Z","message":{"role":"bashExecution","command":"ls","output":"","cancelled":false,"truncated":false,"timestamp":4}}` + "\n"
	compaction := `{"type":"compaction","id":"aaaaaaa4","parentId":"aaaaaaa2","timestamp":"2025-01-01T00:00:04.000Z","summary":"s","firstKeptEntryId":"aaaaaaa4","tokensBefore":1}` + "\n"
	for name, content := range map[string]string{
		"no message":              crashHeader,
		"no answer":               crashHeader + crashUser,
		"a failed answer":         crashHeader + crashUser + failed,
		"behind another prompt":   crashHeader + crashUser + crashAnswer + next, // requests repair it
		"behind a command":        crashHeader + crashUser + crashAnswer + command,
		"it has been compacted":   crashHeader + crashUser + crashAnswer + compaction,
		"a torn line is the last": crashHeader + crashUser + crashAnswer[:200],
	} {
		t.Run(name, func(t *testing.T) {
			store, path := crashed(t, content, "", nil)
			before := stored(t, path)
			open(t, store, &model{}, session.Options{})
			wantLines(t, "the file", stored(t, path), before...)
		})
	}
}

func TestLaw_S5_AReaderAddsNothing(t *testing.T) {
	for _, content := range []string{crashHeader + crashUser + crashAnswer, crashHeader + crashUser} {
		store, path := crashed(t, content, `{"answer":"aaaaaaa2","toolCallId":"A","result":{"content":[]}}`+"\n", &jsonl.Options{ReadOnly: true})
		s, err := session.New(store, &session.Options{Stream: (&model{}).stream})
		if err == nil {
			s.Close(t.Context())
		} else if !errors.Is(err, transcript.ErrReadOnly) {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != content {
			t.Errorf("the file has changed: %v\n%s", err, data)
		}
		if _, err := os.Stat(path + ".results"); err != nil {
			t.Errorf("the journal is gone: %v", err)
		}
	}
}

func TestTheJournalBelongsToOneAnswer(t *testing.T) {
	line := func(answer, call, text string) string {
		return fmt.Sprintf(`{"answer":%q,"toolCallId":%q,"toolName":"bash","result":{"content":[{"type":"text","text":%q}]}}`+"\n", answer, call, text)
	}
	store, path := crashed(t, crashHeader+crashUser+crashAnswer,
		line("aaaaaaa0", "A", "of an earlier answer, whose calls had the same ids")+line("aaaaaaa2", "B", "of this one")+line("aaaaaaa2", "A", "torn")[:50], nil)
	s := open(t, store, &model{}, session.Options{})
	wantLines(t, "the conversation", said(s.Messages())[2:], "result A: not known (error)", "result B: of this one")
	if _, err := os.Stat(path + ".results"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is still there: %v", err)
	}
}

// A command of the user's beside a run becomes an entry when the run ends; the user has seen
// its output long before.
func TestLaw_S5_CommandsBesideARunSurviveACrash(t *testing.T) {
	store, path := storetest.File(t)
	gate := make(chan struct{})
	m := &model{replies: []func(context.Context, *ai.Writer) error{held("slow", gate)}}
	s := open(t, store, m, session.Options{})
	stored1 := make(chan struct{})
	s.SubscribeStored(func(ev event.Event) {
		if _, ok := ev.(*agent.MessageEnd); ok && m.asked() == 0 {
			close(stored1)
		}
	})
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	<-stored1
	for _, command := range []string{"echo one", "echo two"} {
		if _, err := s.RunBash(t.Context(), session.BashCommand{Text: command}); err != nil {
			t.Fatal(err)
		}
	}
	died := filepath.Join(t.TempDir(), "s.jsonl")
	for _, suffix := range []string{"", ".results"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(died+suffix, data, 0o600)
	}
	close(gate)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".results"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is left behind: %v", err)
	}
	wantLines(t, "without a crash", stored(t, path), "user: go", "assistant: slow", "command: echo one", "command: echo two")

	journal, err := os.ReadFile(died + ".results")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time as if it had died before it could remove the journal
		os.WriteFile(died+".results", journal, 0o600)
		again, err := jsonl.Open(died, nil)
		if err != nil {
			t.Fatal(err)
		}
		open(t, again, &model{}, session.Options{}).Close(t.Context())
		wantLines(t, "after a crash", stored(t, died), "user: go", "command: echo one", "command: echo two")
	}
}

func TestLaw_S5_WhatIsPassedOnIsStored(t *testing.T) {
	store, path := storetest.File(t)
	tool := func(name string) *agent.Tool {
		return &agent.Tool{Name: name, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
			return agent.TextResult("result of " + name), nil
		}}
	}
	m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("a", "b"), text("done")}}
	s := open(t, store, m, session.Options{Tools: []*agent.Tool{tool("a"), tool("b")}})
	var order []string
	s.Subscribe(func(ev event.Event) { order = append(order, ev.Type()) })
	var shown []string
	s.SubscribeStored(func(ev event.Event) {
		shown = append(shown, ev.Type())
		switch ev := ev.(type) {
		case *agent.MessageEnd:
			all := entries(t, path)
			last, ok := all[len(all)-1].(*transcript.MessageEntry)
			if !ok || last.Message.Role() != ev.Message.Role() {
				t.Errorf("at the end of a message of %s the last entry is %#v", ev.Message.Role(), all[len(all)-1])
			}
		case *agent.ToolExecutionEnd:
			text, _ := os.ReadFile(path + ".results")
			if !strings.Contains(string(text), "result of "+ev.ToolCallID) {
				t.Errorf("at the end of %s the journal is %q", ev.ToolCallID, text)
			}
		}
	})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	wantLines(t, "the events of both kinds of subscribers", shown, order...)
}

// fullDisk is a store on a disk that is full for a while.
type fullDisk struct {
	transcript.Store
	full   atomic.Bool
	failed int
}

func (d *fullDisk) Append(e ...transcript.Entry) error {
	if d.full.Load() {
		d.failed++
		return &fs.PathError{Op: "write", Path: d.Path(), Err: syscall.ENOSPC}
	}
	return d.Store.Append(e...)
}

func TestASessionGoesOnWhenThereIsRoomAgain(t *testing.T) {
	file, path := storetest.File(t)
	disk := &fullDisk{Store: file}
	tool := &agent.Tool{Name: "a", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		disk.full.Store(true)
		return agent.TextResult("side effect"), nil
	}}
	m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("a"), text("on again")}}
	s := open(t, disk, m, session.Options{Tools: []*agent.Tool{tool}})
	l := record(s)
	_, err := s.Prompt(t.Context(), session.Prompt{Text: "go"})
	if unstored, ok := errors.AsType[*session.UnstoredError](err); !ok || unstored.Path != path || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the prompt returned %v", err)
	}
	if strings.Count(err.Error(), path) != 2 { // once for the session, once in the system's words
		t.Errorf("the error tells it twice: %v", err)
	}
	if events := l.String(); !strings.HasSuffix(events, "message_start message_end turn_end agent_end agent_settled") {
		t.Errorf("the run does not end in order: %s", events)
	}
	wantLines(t, "the full file", stored(t, path), "user: go", "assistant: [a]")
	if err := s.SetModel(labModel); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a setting that could not be stored was accepted: %v", err)
	}
	disk.full.Store(false)
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "and now"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"user: go", "assistant: [a]", "result a: side effect", "assistant: (error)", "user: and now", "assistant: on again"}
	wantLines(t, "the conversation", said(s.Messages()), want...)
	s.Close(t.Context())
	wantLines(t, "the file", stored(t, path), want...)
	wantLines(t, "its branch", branchOf(t, path), want...)
}

func branchOf(t *testing.T, path string) []string {
	t.Helper()
	store, err := jsonl.Open(path, &jsonl.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	past, err := transcript.Project(store, store.Leaf())
	if err != nil {
		t.Fatal(err)
	}
	return said(past.Messages)
}

func TestWhatIsOwedStaysOnItsBranch(t *testing.T) {
	file, path := storetest.File(t)
	disk := &fullDisk{Store: file}
	m := &model{replies: []func(context.Context, *ai.Writer) error{text("first"), text("other")}}
	s := open(t, disk, m, session.Options{})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "one"}); err != nil {
		t.Fatal(err)
	}
	root := file.Leaf()
	disk.full.Store(true)
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "lost?"}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	disk.full.Store(false)
	var user transcript.EntryID
	for e, err := range file.Ancestors(root, transcript.TypeMessage) {
		if err != nil {
			t.Fatal(err)
		}
		user = e.Base().ID
	}
	if err := file.SetLeaf(user); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "another way"}); err != nil {
		t.Fatal(err)
	}
	s.Close(t.Context())
	wantLines(t, "the branch", branchOf(t, path), "user: one", "user: another way", "assistant: other")
	if all := stored(t, path); !slices.Contains(all, "user: lost?") {
		t.Errorf("the file has %q", all)
	}
}

// What no file could hold must not be in the way of what comes after it.
func TestAResultThatIsNoJSONIsNotOwed(t *testing.T) {
	store, path := storetest.File(t)
	tool := &agent.Tool{Name: "a", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		return &agent.ToolResult{Content: ai.TextContent("x"), Details: []byte("{")}, nil
	}}
	m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("a"), text("on"), text("on")}}
	s := open(t, store, m, session.Options{Tools: []*agent.Tool{tool}})
	_, first := s.Prompt(t.Context(), session.Prompt{Text: "go"})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "more"}); err != nil {
		t.Errorf("after %v, the next prompt fails: %v", first, err)
	}
	if all := stored(t, path); !slices.Contains(all, "user: more") {
		t.Errorf("the file has %q", all)
	}
}

func TestJournal_DamageIsPassedOver(t *testing.T) {
	for _, bad := range []string{"\n", "null\n", "{}\n", "5\n", `{"answer":5}` + "\n", "\x00\x00", `{"command":null,"result":null}` + "\n", `{"answer":"aaaaaaa2","toolCallId":"A"}`} {
		store, _ := crashed(t, crashHeader+crashUser+crashAnswer, bad, nil)
		s := open(t, store, &model{}, session.Options{})
		wantLines(t, fmt.Sprintf("journal %q", bad), said(s.Messages())[2:], "result A: not known (error)", "result B: not known (error)")
	}
}
