package transcript_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func user(id transcript.EntryID, parent transcript.EntryID, text string) *transcript.MessageEntry {
	e := storetest.User(text)
	e.ID, e.ParentID = id, parent
	return e
}

func TestPlainPath(t *testing.T) {
	p := storetest.WantContext(t, storetest.Memory(t,
		&transcript.ModelEntry{Provider: "lab", ModelID: "m"},
		&transcript.ThinkingLevelEntry{ThinkingLevel: "low"},
		storetest.User("question"),
		&transcript.CustomEntry{CustomType: "x"},
		&transcript.CustomMessageEntry{CustomType: "x", Content: transcript.CustomContent{Text: "from an extension"}},
		storetest.Assistant("answer"),
		&transcript.ModelEntry{Provider: "lab", ModelID: "m2"},
		&transcript.BranchSummaryEntry{Summary: "LEFT"},
		&transcript.InfoEntry{Name: "n"},
		&transcript.ThinkingLevelEntry{ThinkingLevel: "high"},
	), "user question", "custom from an extension", "assistant answer", "branchSummary LEFT")
	if p.Provider != "lab" || p.ModelID != "m2" || p.ThinkingLevel != ai.ThinkingHigh {
		t.Errorf("settings %s/%s, %s", p.Provider, p.ModelID, p.ThinkingLevel)
	}
}

func TestModelOfTheLastAnswer(t *testing.T) {
	p := storetest.WantContext(t, storetest.Memory(t, storetest.User("q"), storetest.Assistant("a"), storetest.User("q2")), "user q", "assistant a", "user q2")
	if p.Provider != "lab" || p.ModelID != "m" || p.ThinkingLevel != "" {
		t.Errorf("settings %s/%s, %q", p.Provider, p.ModelID, p.ThinkingLevel)
	}
	storetest.WantContext(t, storetest.Memory(t))
}

func TestCompaction(t *testing.T) {
	compaction := func(kept transcript.EntryID) *transcript.CompactionEntry {
		e := &transcript.CompactionEntry{Summary: "SUM", FirstKeptEntryID: kept, TokensBefore: 9}
		e.ID, e.ParentID = "cccccccc", "aaaaaaa3"
		return e
	}
	for _, test := range []struct {
		name string
		kept transcript.EntryID
		want []string
	}{
		{"keeps the last", "aaaaaaa3", []string{"compactionSummary SUM", "user three", "user four"}},
		{"keeps two", "aaaaaaa2", []string{"compactionSummary SUM", "user two", "user three", "user four"}},
		{"keeps nothing (N-40)", "cccccccc", []string{"compactionSummary SUM", "user four"}},
		{"first kept is gone", "ffffffff", []string{"compactionSummary SUM", "user four"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := storetest.Memory(t,
				&transcript.ModelEntry{EntryBase: transcript.EntryBase{ID: "aaaaaaa0"}, Provider: "lab", ModelID: "m"},
				user("aaaaaaa1", "aaaaaaa0", "one"), user("aaaaaaa2", "aaaaaaa1", "two"), user("aaaaaaa3", "aaaaaaa2", "three"),
				compaction(test.kept), user("aaaaaaa4", "cccccccc", "four"))
			if p := storetest.WantContext(t, s, test.want...); p.ModelID != "m" {
				t.Errorf("the model before the compaction was lost: %q", p.ModelID)
			}
		})
	}
}

func TestOnlyTheNewestCompactionCounts(t *testing.T) {
	first := &transcript.CompactionEntry{Summary: "FIRST", FirstKeptEntryID: "aaaaaaa1"}
	first.ID, first.ParentID = "ccccccc1", "aaaaaaa1"
	second := &transcript.CompactionEntry{Summary: "SECOND", FirstKeptEntryID: "aaaaaaa1"}
	second.ID, second.ParentID = "ccccccc2", "aaaaaaa2"
	storetest.WantContext(t, storetest.Memory(t, user("aaaaaaa1", "", "one"), first, user("aaaaaaa2", "ccccccc1", "two"), second, user("aaaaaaa3", "ccccccc2", "three")),
		"compactionSummary SECOND", "user one", "user two", "user three")
}

func TestSystemMessageOfACompaction(t *testing.T) {
	storetest.WantContext(t, storetest.Memory(t,
		storetest.User("one"),
		&transcript.CompactionEntry{Summary: "SUM", SystemMessage: jsontext.Value(`{"role":"system","content":"rules","timestamp":1}`)},
	), "system rules", "compactionSummary SUM")
}

func TestContextEdits(t *testing.T) {
	edit := func(target transcript.EntryID, text string) *transcript.ContextEditEntry {
		e := &transcript.ContextEditEntry{TargetID: target}
		if text != "" {
			e.Replacement = &transcript.Replacement{Content: ai.TextContent(text)}
		}
		return e
	}
	s := storetest.Memory(t, user("aaaaaaa1", "", "one"), user("aaaaaaa2", "aaaaaaa1", "two"), user("aaaaaaa3", "aaaaaaa2", "three"),
		edit("aaaaaaa1", ""), edit("aaaaaaa2", "first try"), edit("aaaaaaa2", "rewritten"))
	storetest.WantContext(t, s, "user rewritten", "user three")
	e, err := s.Entry("aaaaaaa2")
	if err != nil || e.(*transcript.MessageEntry).Message.(*ai.UserMessage).Content.Text() != "two" {
		t.Errorf("the entry itself was changed: %v", err)
	}
	if err := s.SetLeaf("aaaaaaa3"); err != nil {
		t.Fatal(err)
	}
	storetest.WantContext(t, s, "user one", "user two", "user three") // edits of another path do not count
}

func TestOnlyTheActivePath(t *testing.T) {
	compaction := &transcript.CompactionEntry{Summary: "OF A", FirstKeptEntryID: "aaaaaaa2"}
	compaction.ID, compaction.ParentID = "cccccccc", "aaaaaaa2"
	s := storetest.Memory(t, user("aaaaaaa1", "", "root"), user("aaaaaaa2", "aaaaaaa1", "on A"), compaction, user("aaaaaaa3", "cccccccc", "more on A"))
	if err := s.SetLeaf("aaaaaaa1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(storetest.User("on B")); err != nil {
		t.Fatal(err)
	}
	storetest.WantContext(t, s, "user root", "user on B")
	if err := s.SetLeaf("aaaaaaa3"); err != nil {
		t.Fatal(err)
	}
	storetest.WantContext(t, s, "compactionSummary OF A", "user on A", "user more on A")
}

func TestProjectOfAnUnknownLeaf(t *testing.T) {
	if _, err := transcript.Project(storetest.Memory(t), "ffffffff"); !errors.Is(err, transcript.ErrNoEntry) {
		t.Errorf("error is %v", err)
	}
}

func TestProjectReadsNothingBeforeTheCompaction(t *testing.T) {
	s := storetest.Memory(t)
	for i := range 1000 {
		if err := s.Append(storetest.User(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	kept := s.Leaf()
	if err := s.Append(&transcript.ModelEntry{Provider: "p", ModelID: "m"}, &transcript.ThinkingLevelEntry{ThinkingLevel: "low"},
		&transcript.CompactionEntry{Summary: "SUM", FirstKeptEntryID: kept}); err != nil {
		t.Fatal(err)
	}
	storetest.WantContext(t, s, "compactionSummary SUM", "user 999")
}
