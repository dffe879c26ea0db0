package compaction

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// drawItems draws a conversation as it may be found in a file: turns with calls whose results
// follow, records and notes in between, and what damaged files have, calls without results and
// results without calls.
func drawItems(t *rapid.T) []item {
	var items []item
	add := func(m agent.Message) {
		items = append(items, item{id: transcript.EntryID(fmt.Sprintf("%08x", len(items))), message: m})
	}
	text := rapid.StringN(0, 60, 200)
	calls := 0
	for range rapid.IntRange(0, 12).Draw(t, "messages") {
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0, 1:
			add(agent.User(text.Draw(t, "user")))
		case 2:
			add(&ai.AssistantMessage{Content: ai.TextContent(text.Draw(t, "answer")), StopReason: ai.StopEnd})
		case 3, 4:
			n := rapid.IntRange(1, 3).Draw(t, "calls")
			answer := &ai.AssistantMessage{StopReason: ai.StopToolUse}
			var ids []string
			for range n {
				calls++
				ids = append(ids, fmt.Sprint("c", calls))
				answer.Content = append(answer.Content, &ai.ToolCall{ID: ids[len(ids)-1], Name: "look", Arguments: []byte("{}")})
			}
			add(answer)
			for _, id := range ids {
				if rapid.IntRange(0, 9).Draw(t, "between") == 0 {
					add(agent.User("in between"))
				}
				if rapid.IntRange(0, 9).Draw(t, "answered") > 0 {
					add(&ai.ToolResultMessage{ToolCallID: id, ToolName: "look", Content: ai.TextContent(text.Draw(t, "result"))})
				}
			}
		case 5:
			add(&transcript.BashExecution{Command: text.Draw(t, "command")})
		case 6:
			add(&transcript.CustomMessage{CustomType: "x", Content: transcript.CustomContent{Text: text.Draw(t, "note")}})
		case 7:
			add(&ai.ToolResultMessage{ToolCallID: "nobody", ToolName: "look"})
		}
	}
	return items
}

func TestLaw_S4_ACutNeverSeparatesACallFromItsResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := drawItems(t)
		keep := rapid.IntRange(0, 100).Draw(t, "keep")
		for _, reason := range []Reason{Manual, Threshold, Overflow} {
			at := choose(items, &Job{Reason: reason, Bytes: rapid.Bool().Draw(t, "bytes")}, keep)
			if at == 0 {
				continue
			}
			made := make(map[string]bool)
			for _, it := range items[:at] {
				if answer, ok := it.message.(*ai.AssistantMessage); ok {
					for _, call := range answer.Content.ToolCalls() {
						made[call.ID] = true
					}
				}
			}
			if _, result := items[at].message.(*ai.ToolResultMessage); result {
				t.Fatalf("%s: the kept part begins with a result", reason)
			}
			for _, it := range items[at:] {
				if r, ok := it.message.(*ai.ToolResultMessage); ok && made[r.ToolCallID] {
					t.Fatalf("%s: the result of %s is kept, its call is not", reason, r.ToolCallID)
				}
			}
		}
	})
}

func TestACutKeepsAboutWhatItIsTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []item
		var sizes []int
		for i := range rapid.IntRange(1, 30).Draw(t, "n") {
			n := rapid.IntRange(1, 50).Draw(t, "size")
			items, sizes = append(items, item{message: agent.User(fmt.Sprint(i))}), append(sizes, n)
		}
		keep := rapid.IntRange(1, 500).Draw(t, "keep")
		at := cut(items, sizes, keep)
		kept := 0
		for _, n := range sizes[at:] {
			kept += n
		}
		switch {
		case at == 0: // all of it is needed
			if all := kept; all-sizes[0] >= keep {
				t.Fatalf("nothing is compacted although %d of %d would be enough", keep, all)
			}
		case kept < keep || kept-sizes[at] >= keep:
			t.Fatalf("%d are kept of the %d asked for", kept, keep)
		}
	})
}

// TestCutPoints has the shapes of conversations that cuts have gone wrong with.
func TestCutPoints(t *testing.T) {
	user, answer := agent.User("q"), &ai.AssistantMessage{Content: ai.TextContent("a")}
	calls := &ai.AssistantMessage{Content: ai.Content{&ai.ToolCall{ID: "c", Name: "look"}}}
	result := &ai.ToolResultMessage{ToolCallID: "c"}
	for name, c := range map[string]struct {
		messages []agent.Message
		sizes    []int
		Keep     int
		want     int
	}{
		"never reached":             {[]agent.Message{user, calls, result}, []int{1, 1, 1}, 10, 0},
		"at a result, newer answer": {[]agent.Message{user, answer, user, calls, result, answer}, []int{1, 1, 1, 1, 100, 1}, 50, 5},
		"at a result, nothing new":  {[]agent.Message{user, answer, user, calls, result}, []int{1, 1, 1, 1, 100}, 50, 3},
		"the call is the first":     {[]agent.Message{calls, result}, []int{1, 100}, 50, 0},
		"at an answer":              {[]agent.Message{user, answer, user, answer}, []int{1, 10, 1, 1}, 10, 1},
		"nothing":                   {nil, nil, 10, 0},
	} {
		var items []item
		for _, m := range c.messages {
			items = append(items, item{message: m})
		}
		if got := cut(items, c.sizes, c.Keep); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestShortenedTextsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + strings.Repeat("é日𝄞", rapid.IntRange(0, 300).Draw(t, "n"))
		n := rapid.IntRange(0, 500).Draw(t, "limit")
		short := shorten(text, n)
		if utf8.ValidString(text) && !utf8.ValidString(short) {
			t.Fatalf("a rune is broken: %q", short)
		}
		if len(text) <= n && short != text || len(short) > n+60 {
			t.Fatalf("%d bytes of %d, limit %d", len(short), len(text), n)
		}
	})
}

func TestListsOfFilesComeOffASummary(t *testing.T) {
	for _, d := range []Details{{}, {ReadFiles: []string{"a"}}, {ModifiedFiles: []string{"b", "c"}}, {ReadFiles: []string{"a"}, ModifiedFiles: []string{"b"}}} {
		const notes = "notes on <read-files>\n\nand more"
		if got := withoutFiles(appendFiles(notes, d)); got != notes {
			t.Errorf("%+v: %q", d, got)
		}
	}
}

func TestOverlay(t *testing.T) {
	one, two := "one", "two"
	decl := func(name, text string) ai.ToolDecl { return ai.ToolDecl{Name: name, Description: text} }
	got := overlay(
		&ai.SystemMessage{Content: "prompt", Sections: map[string]*string{"a": &one}, ToolsAdded: []ai.ToolDecl{decl("x", "old"), decl("y", "")}, ToolsRemoved: []string{"z"}},
		&ai.SystemMessage{Sections: map[string]*string{"a": nil, "b": &two}, ToolsAdded: []ai.ToolDecl{decl("x", "new"), decl("z", "")}, ToolsRemoved: []string{"y"}},
	)
	names := func(decls []ai.ToolDecl) (out []string) {
		for _, d := range decls {
			out = append(out, d.Name+d.Description)
		}
		return out
	}
	if got.Content != "prompt" || got.Sections["a"] != nil || *got.Sections["b"] != "two" ||
		!slices.Equal(names(got.ToolsAdded), []string{"xnew", "z"}) || !slices.Equal(got.ToolsRemoved, []string{"y"}) {
		t.Errorf("%+v %v %v", got, names(got.ToolsAdded), got.ToolsRemoved)
	}
}

func TestRequestsForSummariesTakeWhatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringN(1, 400, 2000), 1, 20).Draw(t, "pieces")
		budget := rapid.IntRange(1, 300).Draw(t, "budget")
		for n := 0; len(list) > 0; n++ {
			text, rest := take(list, budget)
			if len(rest) >= len(list) {
				t.Fatal("nothing was taken")
			}
			if len(list)-len(rest) > 1 && ai.EstimateMessage(agent.User(text)) > budget {
				t.Fatalf("%d tokens of %d", ai.EstimateMessage(agent.User(text)), budget)
			}
			list = rest
		}
	})
}
