// Package storetest checks that a [transcript.Store] keeps its contract. Every implementation
// runs it:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) transcript.Store { return memory.New(transcript.NewHeader("/x")) })
//	}
package storetest

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Run runs the suite. open returns an empty store each time; the suite closes it.
func Run(t *testing.T, open func(t *testing.T) transcript.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, transcript.Store)
	}{
		{"Empty", testEmpty},
		{"AppendCompletesEntries", testAppend},
		{"AppendKeepsGivenIDs", testGivenIDs},
		{"AppendIsAllOrNothing", testAllOrNothing},
		{"LeafMoves", testLeaf},
		{"Types", testTypes},
		{"After", testAfter},
		{"LoopBodiesMayCallTheStore", testReentry},
		{"EveryKindSurvives", testKinds},
		{"BadUnicodeIsMended", testUnicode},
		{"Concurrent", testConcurrent},
		{"LongChain", testLongChain},
		{"Closed", testClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			defer s.Close()
			test.run(t, s)
		})
	}
}

// User returns an entry with a message of the user.
func User(text string) *transcript.MessageEntry {
	return &transcript.MessageEntry{Message: &ai.UserMessage{Content: ai.TextContent(text), Timestamp: 1}}
}

// Assistant returns an entry with an answer.
func Assistant(text string) *transcript.MessageEntry {
	return &transcript.MessageEntry{Message: &ai.AssistantMessage{
		Content: ai.TextContent(text), API: "openai-completions", Provider: "lab", Model: "m", StopReason: ai.StopEnd, Timestamp: 2,
	}}
}

// Texts returns what the entries say: the text of messages, the type of others.
func Texts(entries iter.Seq2[transcript.Entry, error]) ([]string, error) {
	var texts []string
	for e, err := range entries {
		if err != nil {
			return texts, err
		}
		texts = append(texts, text(e))
	}
	return texts, nil
}

func text(e transcript.Entry) string {
	if m, ok := e.(*transcript.MessageEntry); ok {
		switch m := m.Message.(type) {
		case *ai.UserMessage:
			return m.Content.Text()
		case *ai.AssistantMessage:
			return m.Content.Text()
		}
	}
	return e.Type()
}

func mustAppend(t *testing.T, s transcript.Store, entries ...transcript.Entry) {
	t.Helper()
	if err := s.Append(entries...); err != nil {
		t.Fatalf("Append: %v", err)
	}
}

func wantTexts(t *testing.T, entries iter.Seq2[transcript.Entry, error], want ...string) {
	t.Helper()
	got, err := Texts(entries)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("entries are %q, want %q", got, want)
	}
}

func testEmpty(t *testing.T, s transcript.Store) {
	if s.Header() == nil {
		t.Fatal("the store has no header")
	}
	if s.Len() != 0 || s.Leaf() != "" {
		t.Errorf("an empty store has %d entries and leaf %q", s.Len(), s.Leaf())
	}
	wantTexts(t, s.Entries())
	if _, err := s.Entry("00000000"); !errors.Is(err, transcript.ErrNoEntry) {
		t.Errorf("Entry of an unknown id: %v", err)
	}
	for _, err := range s.Ancestors("00000000") {
		if !errors.Is(err, transcript.ErrNoEntry) {
			t.Errorf("Ancestors of an unknown id: %v", err)
		}
	}
	if err := s.SetLeaf("00000000"); !errors.Is(err, transcript.ErrNoEntry) {
		t.Errorf("SetLeaf to an unknown id: %v", err)
	}
	mustAppend(t, s)
}

func testAppend(t *testing.T, s transcript.Store) {
	before := transcript.Now()
	a, b, c := User("a"), Assistant("b"), &transcript.InfoEntry{Name: "n"}
	mustAppend(t, s, a)
	mustAppend(t, s, b, c)
	parent := transcript.EntryID("")
	for _, e := range []transcript.Entry{a, b, c} {
		base := e.Base()
		if len(base.ID) != 8 || base.ParentID != parent {
			t.Errorf("id %q and parent %q, want eight digits and %q", base.ID, base.ParentID, parent)
		}
		if base.Timestamp.Before(before.Time) {
			t.Errorf("timestamp %v is before the call", base.Timestamp)
		}
		got, err := s.Entry(base.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Base().ID != base.ID || got.Base().ParentID != parent || !got.Base().Timestamp.Equal(base.Timestamp.Time) {
			t.Errorf("read back %+v, want %+v", got.Base(), base)
		}
		parent = base.ID
	}
	if s.Leaf() != c.ID || s.Len() != 3 {
		t.Errorf("leaf %q and length %d", s.Leaf(), s.Len())
	}
	wantTexts(t, s.Entries(), "a", "b", transcript.TypeInfo)
	if name, err := transcript.Name(s); name != "n" || err != nil {
		t.Errorf("Name: %q, %v", name, err)
	}
}

func testGivenIDs(t *testing.T, s transcript.Store) {
	root, child := User("root"), User("child")
	root.ID, child.ID, child.ParentID = "aaaaaaa1", "aaaaaaa2", "aaaaaaa1"
	mustAppend(t, s, root, child)
	wantTexts(t, s.Ancestors("aaaaaaa2"), "child", "root")

	again := User("again")
	again.ID = "aaaaaaa1"
	if err := s.Append(again); err == nil {
		t.Error("an id was taken twice")
	}
	orphan := User("orphan")
	orphan.ID, orphan.ParentID = "aaaaaaa3", "ffffffff"
	if err := s.Append(orphan); !errors.Is(err, transcript.ErrNoEntry) {
		t.Errorf("an entry without its parent: %v", err)
	}
	if s.Len() != 2 || s.Leaf() != "aaaaaaa2" {
		t.Errorf("refused entries left length %d and leaf %q", s.Len(), s.Leaf())
	}
}

func testAllOrNothing(t *testing.T, s transcript.Store) {
	mustAppend(t, s, User("a"))
	leaf := s.Leaf()
	good, bad := User("good"), User("bad")
	bad.ID, bad.ParentID = "aaaaaaa1", "ffffffff"
	if err := s.Append(good, bad); err == nil {
		t.Fatal("the bad entry was accepted")
	}
	if good.ID != "" || good.ParentID != "" || !good.Timestamp.IsZero() {
		t.Errorf("the other entry was left with %+v", good.EntryBase)
	}
	broken := &transcript.CustomEntry{CustomType: "x", Data: jsontext.Value("{")}
	if err := s.Append(good, broken); err == nil {
		t.Fatal("an entry that is no JSON was accepted")
	}
	if s.Len() != 1 || s.Leaf() != leaf {
		t.Errorf("length %d and leaf %q after a failure", s.Len(), s.Leaf())
	}
	mustAppend(t, s, good)
	wantTexts(t, s.Entries(), "a", "good")
}

func testLeaf(t *testing.T, s transcript.Store) {
	root := User("root")
	mustAppend(t, s, root, User("left"))
	left := s.Leaf()
	if err := s.SetLeaf(root.ID); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, User("right"))
	wantTexts(t, s.Ancestors(s.Leaf()), "right", "root")
	wantTexts(t, s.Ancestors(left), "left", "root")
	wantTexts(t, s.Entries(), "root", "left", "right")
	if err := s.SetLeaf(""); err != nil {
		t.Fatal(err)
	}
	second := User("second root")
	mustAppend(t, s, second)
	if second.ParentID != "" {
		t.Errorf("the second root has parent %q", second.ParentID)
	}
	path, err := transcript.Branch(s, left)
	if err != nil || len(path) != 2 || text(path[0]) != "root" {
		t.Errorf("Branch: %v, %v", path, err)
	}
}

func testTypes(t *testing.T, s transcript.Store) {
	mustAppend(t, s, &transcript.ModelEntry{Provider: "p", ModelID: "m"}, User("a"), &transcript.ThinkingLevelEntry{ThinkingLevel: "low"}, User("b"))
	wantTexts(t, s.Entries(transcript.TypeMessage), "a", "b")
	wantTexts(t, s.Entries(transcript.TypeModel, transcript.TypeThinkingLevel), transcript.TypeModel, transcript.TypeThinkingLevel)
	wantTexts(t, s.Ancestors(s.Leaf(), transcript.TypeMessage), "b", "a")
	wantTexts(t, s.Entries("nothing"))
}

func testAfter(t *testing.T, s transcript.Store) {
	mustAppend(t, s, User("a"), &transcript.InfoEntry{Name: "n"}, User("b"))
	leaf := s.Leaf()
	branch, err := transcript.Branch(s, leaf)
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, s.After(""), "a", transcript.TypeInfo, "b")
	wantTexts(t, s.After(branch[0].Base().ID), transcript.TypeInfo, "b")
	wantTexts(t, s.After(branch[0].Base().ID, transcript.TypeMessage), "b")
	wantTexts(t, s.After(leaf))
	if err := s.SetLeaf(""); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, User("another root"))
	wantTexts(t, s.After(leaf), "another root")
	for _, err := range s.After("nonesuch") {
		if !errors.Is(err, transcript.ErrNoEntry) {
			t.Errorf("After an unknown id: %v", err)
		}
	}
}

func testReentry(t *testing.T, s transcript.Store) {
	mustAppend(t, s, User("a"), User("b"))
	seen := 0
	for _, err := range s.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		mustAppend(t, s, User("more"))
	}
	if seen != 2 {
		t.Errorf("the loop saw %d entries, want the 2 that were there", seen)
	}
	for _, err := range s.Ancestors(s.Leaf()) {
		if err != nil {
			t.Fatal(err)
		}
		mustAppend(t, s, User("more"))
		break
	}
	if s.Len() != 5 {
		t.Errorf("%d entries", s.Len())
	}
}

func testKinds(t *testing.T, s transcript.Store) {
	code := 3
	details := jsontext.Value(`{"a":[1,2.50,"x"]}`)
	entries := []transcript.Entry{
		User("u"), Assistant("a"),
		&transcript.MessageEntry{Message: &ai.ToolResultMessage{ToolCallID: "c", ToolName: "t", Content: ai.TextContent("r"), Details: details}},
		&transcript.MessageEntry{Message: &transcript.BashExecution{Command: "ls", Output: "x\n", ExitCode: &code}},
		&transcript.MessageEntry{Message: &transcript.CustomMessage{CustomType: "t", Content: transcript.CustomContent{Text: "s"}, Details: details}},
		&transcript.ThinkingLevelEntry{ThinkingLevel: ai.ThinkingHigh},
		&transcript.ModelEntry{Provider: "p", ModelID: "m"},
		&transcript.CompactionEntry{Summary: "s", FirstKeptEntryID: "aaaaaaaa", TokensBefore: 10, Details: details, Usage: &ai.Usage{Input: 1}, FromHook: true},
		&transcript.BranchSummaryEntry{FromID: "aaaaaaaa", Summary: "s"},
		&transcript.CustomEntry{CustomType: "t", Data: details},
		&transcript.CustomMessageEntry{CustomType: "t", Content: transcript.CustomContent{Blocks: ai.TextContent("b")}, Display: true},
		&transcript.LabelEntry{TargetID: "aaaaaaaa", Label: "l"},
		&transcript.LabelEntry{TargetID: "aaaaaaaa"},
		&transcript.InfoEntry{Name: "n"},
		&transcript.UsageEntry{Kind: "k", Provider: "p", Model: "m", Usage: &ai.Usage{Output: 2}},
		&transcript.ContextEditEntry{TargetID: "aaaaaaaa"},
		&transcript.ContextEditEntry{TargetID: "aaaaaaaa", Replacement: &transcript.Replacement{Content: ai.TextContent("c")}},
	}
	future, err := transcript.DecodeEntry(jsontext.Value(`{"type":"future","id":"bbbbbbbb","parentId":null,"timestamp":"2025-01-01T00:00:00.000Z","x":{"y":1.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, append(entries, future)...)
	i := 0
	for got, err := range s.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		want := append(entries, future)[i]
		if diff := cmp.Diff(toJSON(t, want), toJSON(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Type(), diff)
		}
		if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) {
			t.Errorf("%T came back as %T", want, got)
		}
		i++
	}
}

func toJSON(t *testing.T, e transcript.Entry) string {
	t.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func testUnicode(t *testing.T, s transcript.Store) {
	mustAppend(t, s,
		User("cut \xf0\x9f"),
		&transcript.CustomEntry{CustomType: "x", Data: jsontext.Value("{\n \"a\": 1, \"a\": \"\\ud83d\"\n}")})
	for e, err := range s.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if raw := e.Base().Raw(); !raw.IsValid() || slices.Contains(raw, '\n') {
			t.Errorf("stored as %q, which is not one line of strict JSON", raw)
		}
		again, err := transcript.DecodeEntry(e.Base().Raw())
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := again.(*transcript.UnknownEntry); ok {
			t.Errorf("came back as %q: %v", u.Type(), u.Err)
		}
		if got := text(again); got != "cut \ufffd\ufffd" && got != transcript.TypeCustom {
			t.Errorf("came back as %q", got)
		}
	}
}

func testConcurrent(t *testing.T, s transcript.Store) {
	mustAppend(t, s, User("first"))
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := s.Append(User(fmt.Sprintf("%d/%d", w, i))); err != nil {
					t.Error(err)
				}
				for _, err := range s.Ancestors(s.Leaf()) {
					if err != nil {
						t.Error(err)
					}
					break
				}
			}
		})
	}
	wg.Wait()
	path, err := transcript.Branch(s, s.Leaf())
	if err != nil || len(path) != writers*each+1 {
		t.Errorf("the chain has %d entries, want %d (%v)", len(path), writers*each+1, err)
	}
}

func testLongChain(t *testing.T, s transcript.Store) {
	const n = 5_000
	entries := make([]transcript.Entry, n)
	for i := range entries {
		entries[i] = User("x")
	}
	mustAppend(t, s, entries...)
	path, err := transcript.Branch(s, s.Leaf())
	if err != nil || len(path) != n {
		t.Errorf("the path has %d entries, want %d (%v)", len(path), n, err)
	}
}

func testClosed(t *testing.T, s transcript.Store) {
	mustAppend(t, s, User("a"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(User("b")); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}
