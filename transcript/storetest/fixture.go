package storetest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// At places an entry in a tree: its id, its parent, and the second of its time.
func At[E transcript.Entry](id, parent transcript.EntryID, second int, e E) E {
	e.Base().ID, e.Base().ParentID = id, parent
	e.Base().Timestamp = transcript.Time{Time: time.Date(2025, 1, 1, 0, 0, second, 0, time.UTC)}
	return e
}

// Label returns an entry that labels another one.
func Label(target transcript.EntryID, text string) *transcript.LabelEntry {
	return &transcript.LabelEntry{TargetID: target, Label: text}
}

// Memory returns a store in memory with the entries.
func Memory(t testing.TB, entries ...transcript.Entry) transcript.Store {
	t.Helper()
	s := memory.New(transcript.NewHeader("/work"))
	if err := s.Append(entries...); err != nil {
		t.Fatal(err)
	}
	return s
}

// File creates a session file in a temporary folder and returns its path too.
func File(t testing.TB) (*jsonl.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	store, err := jsonl.Create(path, transcript.NewHeader("/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return store, path
}

// Reopen opens a session file until the end of the test.
func Reopen(t testing.TB, path string) transcript.Store {
	t.Helper()
	s, err := jsonl.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// WantContext compares the context at the leaf of a store, a line "role text" for each
// message, and returns it.
func WantContext(t testing.TB, s transcript.Store, want ...string) *transcript.Projection {
	t.Helper()
	p, err := transcript.Project(s, s.Leaf())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range p.Messages {
		text := ""
		switch m := m.(type) {
		case *ai.UserMessage:
			text = m.Content.Text()
		case *ai.AssistantMessage:
			text = m.Content.Text()
		case *ai.ToolResultMessage:
			text = m.Content.Text()
		case *ai.SystemMessage:
			text = m.Content
		case *transcript.CustomMessage:
			text = m.Content.Content().Text()
		case *transcript.CompactionSummary:
			text = m.Summary
		case *transcript.BranchSummary:
			text = m.Summary
		}
		got = append(got, m.Role()+" "+text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("context (-want +got):\n%s", diff)
	}
	return p
}
