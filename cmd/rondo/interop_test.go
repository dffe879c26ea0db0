package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// sessionContext is what a session comes to.
type sessionContext struct {
	Messages      []string `json:"messages"`
	Model         string   `json:"model"`
	ThinkingLevel string   `json:"thinkingLevel"`
}

func contextOf(t *testing.T, s transcript.Store) sessionContext {
	t.Helper()
	past, err := transcript.Project(s, s.Leaf())
	if err != nil {
		t.Fatal(err)
	}
	c := sessionContext{Model: past.Provider + "/" + past.ModelID, ThinkingLevel: string(past.ThinkingLevel)}
	for _, m := range past.Messages {
		text := ""
		switch m := m.(type) {
		case *ai.UserMessage:
			text = m.Content.Text()
		case *ai.AssistantMessage:
			text = m.Content.Text()
		case *ai.ToolResultMessage:
			text = m.Content.Text()
		case *transcript.BashExecution:
			text = m.Command
		case *transcript.CustomMessage:
			text = m.Content.Content().Text()
		case *transcript.CompactionSummary:
			text = m.Summary
		case *transcript.BranchSummary:
			text = m.Summary
		}
		c.Messages = append(c.Messages, m.Role()+" "+text)
	}
	return c
}

// TestPiReadsOurSessionsAndWePis lets Pi's own session code, from npm, read a file that we
// have written and go on with it, and reads what has come of it.
func TestPiReadsOurSessionsAndWePis(t *testing.T) {
	node, client := piClient(t)
	header := transcript.NewHeader(t.TempDir())
	path := filepath.Join(t.TempDir(), jsonl.FileName(header))
	s, err := jsonl.Create(path, header, nil)
	if err != nil {
		t.Fatal(err)
	}
	code := 3
	first, kept := storetest.User("first \u2028 \U0001F600"), storetest.User("kept")
	for _, e := range []transcript.Entry{
		first, storetest.Assistant("one"),
		&transcript.CustomEntry{CustomType: "x"},
		&transcript.LabelEntry{TargetID: "", Label: "start"},
		&transcript.MessageEntry{Message: &ai.ToolResultMessage{ToolCallID: "c", ToolName: "t", Content: ai.TextContent("result")}},
		&transcript.ModelEntry{Provider: "lab", ModelID: "m"}, &transcript.ThinkingLevelEntry{ThinkingLevel: ai.ThinkingLow},
		kept, storetest.Assistant("two"),
		&transcript.MessageEntry{Message: &transcript.BashExecution{Command: "false", ExitCode: &code}},
		&transcript.CompactionEntry{Summary: "summary", TokensBefore: 7, FromHook: true, Usage: &ai.Usage{Input: 1}},
		&transcript.CustomMessageEntry{CustomType: "card", Content: transcript.CustomContent{Text: "card"}, Display: true},
		&transcript.InfoEntry{Name: "our name"},
		&transcript.BranchSummaryEntry{Summary: "branch"},
		&transcript.UsageEntry{Kind: "title", Usage: &ai.Usage{}},
		storetest.User("last"),
	} {
		switch e := e.(type) {
		case *transcript.LabelEntry:
			e.TargetID = first.ID
		case *transcript.CompactionEntry:
			e.FirstKeptEntryID = kept.ID
		case *transcript.BranchSummaryEntry:
			e.FromID = first.ID
		}
		if err := s.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	entries := s.Len()
	want := contextOf(t, s)
	s.Close()

	script, err := filepath.Abs("testdata/rpcclient/sessions.mjs")
	if err != nil {
		t.Fatal(err)
	}
	manager := filepath.Join(filepath.Dir(client), "..", "..", "core", "session-manager.js")
	cmd := exec.CommandContext(t.Context(), node, script, path)
	cmd.Env = append(os.Environ(), "SESSIONS=file://"+filepath.ToSlash(manager))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var told struct {
		Before struct {
			sessionContext `json:",inline"`
			Name           string `json:"name"`
			Label          string `json:"label"`
			Entries        int    `json:"entries"`
			ID             string `json:"id"`
			CWD            string `json:"cwd"`
		} `json:"before"`
		After sessionContext `json:"after"`
		Leaf  string         `json:"leaf"`
	}
	if err := json.Unmarshal(out, &told); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(want, told.Before.sessionContext); diff != "" {
		t.Errorf("the context of our session (-ours +Pi's):\n%s", diff)
	}
	if b := told.Before; b.Name != "our name" || b.Label != "start" || b.Entries != entries || b.ID != header.ID || b.CWD != header.CWD {
		t.Errorf("Pi reads %+v of %d entries", b, entries)
	}

	if s, err = jsonl.Open(path, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if problems := s.Problems(); len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	if diff := cmp.Diff(told.After, contextOf(t, s)); diff != "" {
		t.Errorf("the context of Pi's branch (-Pi's +ours):\n%s", diff)
	}
	name, err := transcript.Name(s)
	labels, err2 := transcript.Labels(s)
	if string(s.Leaf()) != told.Leaf || name != "named by Pi" || len(labels) != 0 || err != nil || err2 != nil {
		t.Errorf("leaf %s, name %q, labels %v (%v, %v)", s.Leaf(), name, labels, err, err2)
	}
}
