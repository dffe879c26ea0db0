package transcript_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// context is what a session comes to at an entry, as JSON.
func contextAt(t interface{ Fatal(...any) }, s transcript.Store, leaf transcript.EntryID) string {
	p, err := transcript.Project(s, leaf)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p, jsontext.WithIndent(" "))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// growth draws the next entry of a session that has the given ids on its path and in all.
func growth(t *rapid.T, n int, path, all []transcript.EntryID) transcript.Entry {
	some := func(ids []transcript.EntryID, what string) transcript.EntryID {
		if len(ids) == 0 {
			return ""
		}
		return rapid.SampledFrom(ids).Draw(t, what)
	}
	text := fmt.Sprintf("text %d", n)
	kind := rapid.IntRange(0, 11).Draw(t, "kind")
	if len(all) == 0 {
		kind = 0
	}
	switch kind {
	case 0, 1:
		return storetest.User(text)
	case 2:
		return storetest.Assistant(text)
	case 3:
		return &transcript.MessageEntry{Message: &ai.ToolResultMessage{ToolCallID: "c", ToolName: "t", Content: ai.TextContent(text)}}
	case 4, 5:
		return storetest.Label(some(all, "target"), rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "label"))
	case 6, 7:
		return &transcript.CompactionEntry{Summary: text, FirstKeptEntryID: some(path, "first kept"), TokensBefore: n}
	case 8:
		return &transcript.BranchSummaryEntry{Summary: text, FromID: some(all, "from")}
	case 9:
		return &transcript.CustomMessageEntry{CustomType: "x", Content: transcript.CustomContent{Text: text}}
	case 10:
		return &transcript.ModelEntry{Provider: "p", ModelID: text}
	}
	return &transcript.ThinkingLevelEntry{ThinkingLevel: rapid.SampledFrom(ai.ThinkingLevels).Draw(t, "level")}
}

func TestAForkHasTheContextOfItsSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := memory.New(transcript.NewHeader("/"))
		var all []transcript.EntryID
		for n := range rapid.IntRange(1, 30).Draw(t, "entries") {
			if len(all) > 0 && rapid.IntRange(0, 4).Draw(t, "move") == 0 {
				if err := src.SetLeaf(rapid.SampledFrom(all).Draw(t, "leaf")); err != nil {
					t.Fatal(err)
				}
			}
			branch, err := transcript.Branch(src, src.Leaf())
			if err != nil {
				t.Fatal(err)
			}
			var path []transcript.EntryID
			for _, e := range branch {
				path = append(path, e.Base().ID)
			}
			e := growth(t, n, path, all)
			if err := src.Append(e); err != nil {
				t.Fatal(err)
			}
			all = append(all, e.Base().ID)
		}
		leaf := rapid.SampledFrom(all).Draw(t, "fork at")
		want := contextAt(t, src, leaf)

		fork := memory.New(transcript.NewHeader("/"))
		if err := transcript.CopyBranch(fork, src, leaf); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contextAt(t, fork, fork.Leaf())); diff != "" {
			t.Errorf("the context of a fork (-source +fork):\n%s", diff)
		}
		if got, err := marks(fork); err != nil || len(got) > fork.Len() {
			t.Errorf("labels of the fork: %v, %v", got, err)
		}

		if err := src.SetLeaf(leaf); err != nil {
			t.Fatal(err)
		}
		whole := memory.New(transcript.NewHeader("/"))
		if err := transcript.CopyTree(whole, src); err != nil {
			t.Fatal(err)
		}
		last := transcript.EntryID("")
		for e := range whole.Entries() {
			last = e.Base().ID
		}
		if diff := cmp.Diff(want, contextAt(t, whole, last)); diff != "" {
			t.Errorf("the context of a whole copy, opened again (-source +copy):\n%s", diff)
		}
		before, _ := marks(src)
		if after, err := marks(whole); err != nil || cmp.Diff(before, after) != "" {
			t.Errorf("labels %v became %v (%v)", before, after, err)
		}
	})
}

func marks(s transcript.Store) (map[transcript.EntryID]string, error) {
	labels, err := transcript.Labels(s)
	set := make(map[transcript.EntryID]string)
	for _, l := range labels {
		if _, err := s.Entry(l.TargetID); err != nil {
			return nil, err
		}
		set[l.TargetID] = l.Label
	}
	return set, err
}

func TestLabelsAreTakenOutOfTheForkedPath(t *testing.T) {
	src := storetest.Memory(t,
		storetest.At("a", "", 1, storetest.User("one")),
		storetest.At("b", "a", 2, storetest.Label("a", "mark")),
		storetest.At("c", "b", 3, storetest.Assistant("two")),
		storetest.At("d", "c", 4, storetest.Label("c", "gone")),
		storetest.At("e", "d", 5, &transcript.CompactionEntry{Summary: "sum", FirstKeptEntryID: "b"}),
		storetest.At("f", "e", 6, storetest.User("three")),
		storetest.At("g", "f", 7, storetest.Label("c", "")),
		storetest.At("h", "a", 8, storetest.User("elsewhere")),
		storetest.At("i", "h", 9, storetest.Label("h", "not here")),
	)
	fork := storetest.Memory(t)
	if err := transcript.CopyBranch(fork, src, "g"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for e, err := range fork.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s<-%s %s@%d", e.Base().ID, e.Base().ParentID, e.Type(), e.Base().Timestamp.Second())
		switch e := e.(type) {
		case *transcript.CompactionEntry:
			line += " keeps " + string(e.FirstKeptEntryID)
		case *transcript.LabelEntry:
			line = fmt.Sprintf("label<-%s %s=%s@%d", e.ParentID, e.TargetID, e.Label, e.Timestamp.Second())
		}
		got = append(got, line)
	}
	want := []string{"a<- message@1", "c<-a message@3", "e<-c compaction@5 keeps c", "f<-e message@6", "label<-f a=mark@2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the fork (-want +got):\n%s", diff)
	}
	if contextAt(t, fork, fork.Leaf()) != contextAt(t, src, "f") {
		t.Error("the context has changed")
	}
}

func TestACopyGoesOnWhereTheSourceIs(t *testing.T) {
	src := storetest.Memory(t,
		storetest.At("a", "", 1, storetest.User("root")),
		storetest.At("b", "a", 2, storetest.User("active")),
		storetest.At("c", "a", 3, storetest.User("newest")),
	)
	if err := src.SetLeaf("b"); err != nil {
		t.Fatal(err)
	}
	store, path := storetest.File(t)
	if err := transcript.CopyTree(store, src); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	again := storetest.Reopen(t, path)
	storetest.WantContext(t, again, "user root", "user active")
	if _, err := again.Entry("c"); err != nil {
		t.Errorf("the other branch: %v", err)
	}
}

func TestWhatIsUnknownSurvivesACopy(t *testing.T) {
	src, _ := storetest.File(t)
	lines := []string{
		`{"type":"future","id":"aaaaaaa1","parentId":null,"timestamp":"2025-01-01T00:00:00.000Z","x":{"y":1.0}}`,
		`{"type":"label","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2025-01-01T00:00:00.000Z","targetId":"aaaaaaa1","label":"l"}`,
		`{"type":"message","id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"2025-01-01T00:00:00.000Z","message":{"role":"assistant","content":"as a text"},"later":[1]}`,
	}
	for _, line := range lines {
		e, err := transcript.DecodeEntry(jsontext.Value(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	fork := storetest.Memory(t)
	if err := transcript.CopyBranch(fork, src, src.Leaf()); err != nil {
		t.Fatal(err)
	}
	first, err := fork.Entry("aaaaaaa1")
	if err != nil || string(first.Base().Raw()) != lines[0] {
		t.Errorf("the unknown entry is %s (%v)", first.Base().Raw(), err)
	}
	second, err := fork.Entry("aaaaaaa3")
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(second.Base().Raw(), &fields); err != nil || fields["later"] == nil || fields["parentId"] != "aaaaaaa1" {
		t.Errorf("the entry that has moved is %s (%v)", second.Base().Raw(), err)
	}
	storetest.WantContext(t, fork, "assistant as a text")
}

func TestCopyIsMadeInSteps(t *testing.T) {
	src := storetest.Memory(t)
	big := string(make([]byte, 1<<20))
	for range 600 {
		if err := src.Append(&transcript.CustomEntry{CustomType: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		if err := src.Append(storetest.User(big)); err != nil {
			t.Fatal(err)
		}
	}
	steps := &stepCounter{Store: storetest.Memory(t)}
	if err := transcript.CopyBranch(steps, src, src.Leaf()); err != nil || steps.Len() != src.Len() {
		t.Fatalf("%d of %d entries (%v)", steps.Len(), src.Len(), err)
	}
	if steps.most > 256 || steps.steps < 4 {
		t.Errorf("%d steps of at most %d entries", steps.steps, steps.most)
	}
}

type stepCounter struct {
	transcript.Store
	steps, most int
}

func (s *stepCounter) Append(entries ...transcript.Entry) error {
	s.steps++
	s.most = max(s.most, len(entries))
	return s.Store.Append(entries...)
}
