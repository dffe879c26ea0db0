package html_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	markup "golang.org/x/net/html"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/toolview"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/html"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
)

var update = flag.Bool("update", false, "write the golden page anew")

func fixture(t testing.TB) transcript.Store {
	t.Helper()
	s, err := jsonl.Open(filepath.Join("testdata", "session.jsonl"), &jsonl.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if problems := s.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// views are those of the built-in tools.
var views = tools.Views(tools.Builtin("/", nil))

func page(t testing.TB, s transcript.Store, opts *html.Options) string {
	t.Helper()
	var out bytes.Buffer
	if opts == nil {
		opts = &html.Options{}
	}
	if opts.ToolView == nil {
		opts.ToolView = func(name string) *toolview.View { return views[name] }
	}
	if err := html.HTML(&out, s, opts); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func parse(t testing.TB, text string) *markup.Node {
	t.Helper()
	doc, err := markup.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// conversation returns a store in memory with these messages, one after another.
func conversation(t testing.TB, messages ...agent.Message) transcript.Store {
	t.Helper()
	s := memory.New(transcript.NewHeader("/work"))
	for _, m := range messages {
		if err := s.Append(&transcript.MessageEntry{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func prompt(text string) *ai.UserMessage { return &ai.UserMessage{Content: ai.TextContent(text)} }

func answer(blocks ...ai.Block) *ai.AssistantMessage {
	return &ai.AssistantMessage{Content: blocks, Model: "m", Provider: "p", StopReason: ai.StopEnd}
}

func call(id, name, args string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: name, Arguments: []byte(args)}
}

func result(id, name, text string) *ai.ToolResultMessage {
	return &ai.ToolResultMessage{ToolCallID: id, ToolName: name, Content: ai.TextContent(text)}
}

// ours are the parts of the page that are not of the session.
var ours = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|sha256-[^']*|<body>.*<main>|<dialog.*</dialog>`)

// TestGolden shows what each kind of entry becomes. After a change on purpose, look at
// testdata/page.html in a browser, and run the test with -update.
func TestGolden(t *testing.T) {
	got := ours.ReplaceAllString(page(t, fixture(t), nil), "…")
	golden := filepath.Join("testdata", "page.html")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the page is not the golden one (-want +got):\n%s", diff)
	}
}

func TestTwiceTheSame(t *testing.T) {
	if page(t, fixture(t), nil) != page(t, fixture(t), nil) {
		t.Error("two exports of one session differ")
	}
}

func TestAllBranches(t *testing.T) {
	s := memory.New(transcript.NewHeader("/work"))
	add := func(m agent.Message) transcript.EntryID {
		e := &transcript.MessageEntry{Message: m}
		if err := s.Append(e); err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
	root := add(prompt("the question"))
	add(answer(&ai.Text{Text: "first answer"}, call("c1", "bash", `{"command":"ls"}`)))
	first := add(result("c1", "bash", "first output"))
	if err := s.SetLeaf(root); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(&transcript.CustomEntry{CustomType: "unseen"}); err != nil {
		t.Fatal(err)
	}
	add(answer(&ai.Text{Text: "second answer"}, call("c1", "bash", `{"command":"ls"}`)))
	add(result("c1", "bash", "second output"))

	for _, test := range []struct {
		leaf        transcript.EntryID
		live, aside string
	}{{"", "second", "first"}, {first, "first", "second"}} {
		doc := parse(t, page(t, s, &html.Options{Leaf: test.leaf}))
		talk := find(doc, func(n *markup.Node) bool { return attr(n, "id") == "talk" })
		if got := text(talk); !strings.Contains(got, "the question") || !strings.Contains(got, test.live+" answer") || !strings.Contains(got, test.live+" output") || strings.Contains(got, test.aside) {
			t.Errorf("leaf %q: the branch is\n%s", test.leaf, got)
		}
		card := find(talk, func(n *markup.Node) bool { return attr(n, "class") == "slot" })
		if got := text(card); !strings.Contains(got, test.live+" output") {
			t.Errorf("leaf %q: the result is not in the card of its call, which has %q", test.leaf, got)
		}
		var aside []string
		for _, n := range all(doc, func(n *markup.Node) bool { return n.Data == "template" }) {
			if attr(n, "data-p") == "" {
				t.Errorf("a template has no parent: %v", n.Attr)
			}
			aside = append(aside, text(n))
		}
		if got := strings.Join(aside, "|"); len(aside) != 2 || !strings.Contains(got, test.aside+" answer") || !strings.Contains(got, test.aside+" output") {
			t.Errorf("leaf %q: the templates are %q", test.leaf, got)
		}
	}
	// An entry that is not shown does not cut its children off.
	doc := parse(t, page(t, s, nil))
	second := find(doc, func(n *markup.Node) bool { return attr(n, "id") == "e4" })
	if second == nil || attr(second, "data-p") != "0" {
		t.Errorf("the parent of the second answer is not the question: %v", second)
	}
}

func TestLabelsAndNames(t *testing.T) {
	s := conversation(t, prompt("a"), prompt("b"))
	var ids []transcript.EntryID
	for e := range s.Entries() {
		ids = append(ids, e.Base().ID)
	}
	for _, e := range []transcript.Entry{
		&transcript.LabelEntry{TargetID: ids[0], Label: "kept"}, &transcript.LabelEntry{TargetID: ids[1], Label: "gone"}, &transcript.LabelEntry{TargetID: ids[1]},
		&transcript.InfoEntry{Name: "first name"}, &transcript.InfoEntry{Name: "last name"},
	} {
		if err := s.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	doc := parse(t, page(t, s, nil))
	if got := attr(find(doc, func(n *markup.Node) bool { return attr(n, "id") == "e0" }), "data-l"); got != "kept" {
		t.Errorf("the label is %q", got)
	}
	if n := find(doc, func(n *markup.Node) bool { return attr(n, "data-l") == "gone" }); n != nil {
		t.Error("a label that was taken away is shown")
	}
	for want, opts := range map[string]*html.Options{"last name": nil, "mine": {Title: "mine"}} {
		if got := text(find(parse(t, page(t, s, opts)), func(n *markup.Node) bool { return n.Data == "title" })); got != want {
			t.Errorf("the title is %q, want %q", got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	var out bytes.Buffer
	for _, test := range []struct {
		name  string
		store transcript.Store
		opts  *html.Options
		want  error
	}{
		{"no entries", memory.New(transcript.NewHeader("/work")), nil, html.ErrEmpty},
		{"unknown leaf", conversation(t, prompt("a")), &html.Options{Leaf: "nope"}, transcript.ErrNoEntry},
		{"unknown theme", conversation(t, prompt("a")), &html.Options{Theme: "pink"}, nil},
	} {
		err := html.HTML(&out, test.store, test.opts)
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: the error is %v", test.name, err)
		}
	}
	s := memory.New(transcript.NewHeader("/work"))
	if err := s.Append(&transcript.ModelEntry{Provider: "p", ModelID: "m"}); err != nil {
		t.Fatal(err)
	}
	if err := html.HTML(&out, s, nil); !errors.Is(err, html.ErrEmpty) {
		t.Errorf("settings alone: the error is %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("%d bytes were written", out.Len())
	}
	if err := s.Append(&transcript.MessageEntry{Message: prompt("a")}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetLeaf(""); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page(t, s, &html.Options{Theme: html.ThemePaper}), `data-theme="paper"`) {
		t.Error("the theme is not in the page")
	}
}

// failing is a writer that has room for a few bytes.
type failing struct{ room int }

func (f *failing) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(p), nil
}

func TestFailingWriter(t *testing.T) {
	long := conversation(t, prompt(strings.Repeat("word ", 50_000)), prompt("end"))
	for _, room := range []int{0, 100_000} {
		if err := html.HTML(&failing{room}, long, nil); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("with room for %d bytes, the error is %v", room, err)
		}
	}
}

// brokenStore cannot read one entry any more when it is written.
type brokenStore struct {
	transcript.Store
	id transcript.EntryID
}

func (s *brokenStore) Entry(id transcript.EntryID) (transcript.Entry, error) {
	if id == s.id {
		return nil, errors.New("the entry is gone")
	}
	return s.Store.Entry(id)
}

func TestFile(t *testing.T) {
	t.Chdir(t.TempDir())
	s, err := jsonl.Create("in.jsonl", transcript.NewHeader("/work"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := html.File(s, "", nil); !errors.Is(err, html.ErrEmpty) {
		t.Errorf("an empty session: %v", err)
	}
	if err := s.Append(&transcript.MessageEntry{Message: prompt("hello")}); err != nil {
		t.Fatal(err)
	}

	path, err := html.File(s, "", nil)
	if err != nil || path != "rondo-session-in.html" {
		t.Fatalf("%q, %v", path, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the page: %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile("out.html", []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := html.File(&brokenStore{s, s.Leaf()}, "out.html", nil); err == nil || read(t, "out.html") != "old" {
		t.Errorf("after a failure (%v), the old page is gone", err)
	}
	if _, err := html.File(s, "out.html", nil); err != nil || !strings.Contains(read(t, "out.html"), "hello") {
		t.Errorf("the old page was not replaced: %v", err)
	}
	if info, err := os.Stat("out.html"); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	before := read(t, "in.jsonl")
	if err := os.Symlink("in.jsonl", "link.html"); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{"in.jsonl": "the session itself", "link.html": "the session itself", ".": "a folder", "no/where.html": "folder does not exist"} {
		if _, err := html.File(s, path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("export to %s: %v", path, err)
		}
	}
	if read(t, "in.jsonl") != before {
		t.Error("the session was changed")
	}
	left, err := filepath.Glob(".export-*")
	if err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func BenchmarkHTML(b *testing.B) {
	s := fixture(b)
	info, err := os.Stat(s.Path())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if err := html.HTML(&bytes.Buffer{}, s, nil); err != nil {
			b.Fatal(err)
		}
	}
}
