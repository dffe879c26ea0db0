package html_test

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"

	markup "golang.org/x/net/html"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/toolview"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/html"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// inner returns the markup in the first element with this class.
func inner(t testing.TB, s transcript.Store, class string) string {
	t.Helper()
	n := find(parse(t, page(t, s, nil)), func(n *markup.Node) bool { return strings.Contains(" "+attr(n, "class")+" ", " "+class+" ") })
	if n == nil {
		t.Fatalf("no element of the class %s is in the page", class)
	}
	var b bytes.Buffer
	for c := range n.ChildNodes() {
		if err := markup.Render(&b, c); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimSpace(b.String())
}

func TestMarkdown(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"*a* **b** ~~c~~ `d<e`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d&lt;e</code></p>"},
		{"# a\n## b\n###### c", "<h2>a</h2>\n<h3>b</h3>\n<h6>c</h6>"},
		{"- a\n- b\n\n3. c", "<ul><li>a</li><li>b</li></ul>\n<ol start=\"3\"><li>c</li></ol>"},
		{"- [x] a\n- [ ] b", "<ul><li class=\"task\">☑ a</li><li class=\"task\">☐ b</li></ul>"},
		{"> a\n\n---\nb  \nc\nd", "<blockquote><p>a</p>\n</blockquote><hr/>\n<p>b<br/>\nc\nd</p>"},
		{"|a|b|\n|-|-:|\n|1|2|", "<div class=\"scroll\"><table><tbody><tr><th>a</th><th class=\"right\">b</th></tr><tr><td>1</td><td class=\"right\">2</td></tr></tbody></table></div>"},
		{"text\n|a|b\n|:-|:-:|\n|`x\\|y` \\| z|\n||1|2|3|", "<p>text</p>\n<div class=\"scroll\"><table><tbody><tr><th>a</th><th class=\"center\">b</th></tr><tr><td><code>x|y</code> | z</td><td class=\"center\"></td></tr><tr><td></td><td class=\"center\">1</td></tr></tbody></table></div>"},
		{"a\n-\n\n|a|\n|-|-|\n\n~a~ ~~~b~~~ c~d", "<h3>a</h3>\n<p>|a|\n|-|-|</p>\n<p><del>a</del> ~~~b~~~ c~d</p>"},
		{"(https://x.example/a_(b)). *http://y.example!* https:// xhttps://no", `<p>(<a href="https://x.example/a_(b)" rel="noopener noreferrer nofollow" target="_blank">https://x.example/a_(b)</a>). <em><a href="http://y.example" rel="noopener noreferrer nofollow" target="_blank">http://y.example</a>!</em> https:// xhttps://no</p>`},
		{"[https://x.example](https://y.example) [x] y", `<p><a href="https://y.example" rel="noopener noreferrer nofollow" target="_blank">https://x.example</a> [x] y</p>`},
		{"[a](https://x.example/?b=\"c\"&d 'title')", "<p><a href=\"https://x.example/?b=%22c%22&amp;d\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">a</a></p>"},
		{"[a](<https://x.example/b c>)", `<p><a href="https://x.example/b%20c" rel="noopener noreferrer nofollow" target="_blank">a</a></p>`},
		{"https://x.example", `<p><a href="https://x.example" rel="noopener noreferrer nofollow" target="_blank">https://x.example</a></p>`},
		{"<a@b.example>", `<p><a href="mailto:a@b.example" rel="noopener noreferrer nofollow" target="_blank">a@b.example</a></p>`},
		{"[a](javascript:x) ![b](x.png) [c](#d) [e](/f)", "<p>a Image: b c e</p>"},
		{"![b](https://x.example/y.png)", `<p><a href="https://x.example/y.png" rel="noopener noreferrer nofollow" target="_blank">Image: b</a></p>`},
		{"<b>a</b> <!-- c -->", "<p>&lt;b&gt;a&lt;/b&gt; &lt;!-- c --&gt;</p>"},
		{"<div>\na\n</div>", "<p class=\"html\">&lt;div&gt;\na\n&lt;/div&gt;</p>"},
		{`\*a\* &amp; &lt; &#35; &nope; & \a`, `<p>*a* &amp; &lt; # &amp;nope; &amp; \a</p>`},
		{"`` `a&amp;` ``", "<p><code>`a&amp;amp;`</code></p>"},
	} {
		if got := inner(t, conversation(t, answer(&ai.Text{Text: test.source})), "md"); got != test.want {
			t.Errorf("%q\ngot  %s\nwant %s", test.source, got, test.want)
		}
	}
}

func TestCodeHasColours(t *testing.T) {
	s := conversation(t, answer(&ai.Text{Text: "```go\nreturn nil\n```\n\n```nope\na<b\n```\n\n    indented"}))
	doc := parse(t, page(t, s, nil))
	var got []string
	for _, n := range all(doc, func(n *markup.Node) bool { return n.Data == "pre" }) {
		var b bytes.Buffer
		if err := markup.Render(&b, n); err != nil {
			t.Fatal(err)
		}
		got = append(got, b.String())
	}
	want := []string{`<pre><i class="k">return</i> <i class="t">nil</i></pre>`, "<pre>a&lt;b</pre>", "<pre>indented</pre>"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestColoursOfFiles reads the list of pieces as the script does.
func TestColoursOfFiles(t *testing.T) {
	code := "\n\nfunc f() string {\n\treturn \"\U0001f30d größe\" // \x07c\r\n}"
	s := conversation(t, answer(call("c", "read", `{"path":"a.go"}`)), result("c", "read", code))
	pre := find(parse(t, page(t, s, nil)), func(n *markup.Node) bool { return n.Data == "pre" })
	if got, want := text(pre), "\n\nfunc f() string {\n\treturn \"\U0001f30d größe\" // c\n\n}"; got != want {
		t.Errorf("the code is %q, want %q", got, want)
	}
	if got, want := attr(pre, "data-h"), "2k4,1f1,3t6,4k6,1s10,1c4"; got != want {
		t.Errorf("the colours are %s, want %s", got, want)
	}
}

func TestTerminal(t *testing.T) {
	for _, test := range []struct{ output, want string }{
		{"a\x1b[31mb\x1b[0mc", `a<i class="a1">b</i>c`},
		{"\x1b[1;4;92mb\x1b[24md\x1b[m e", `<i class="a10 ab au">b</i><i class="a10 ab">d</i> e`},
		{"\x1b[7mb\x1b[27m \x1b[41;97mc", `<i class="a16 g7">b</i> <i class="a15 g1">c</i>`},
		{"\x1b[38;5;196ma\x1b[48;5;21mb\x1b[39;49m\x1b[38;2;0;130;0mc\x1b[38:5:3md", `<i class="a9">a</i><i class="a9 g12">b</i><i class="a2">c</i><i class="a3">d</i>`},
		{"\x1b[38;5;250ma\x1b[38;5mb", `<i class="a7">a</i><i class="a0">b</i>`},
		{"a\x1b[2K\x1b[1;1H\x1b]0;title\x07\x1b(Bb\x1b]8;;x\x1b\\c\x1bMd", "abcd"},
		{"a\x1b[31", "a"},
		{"a\x1b", "a"},
		{"a\x1b[3\nb\x1b]x\nc", "a\nb\nc"},
		{"10%\r20%\r\ndone\b\x07", "10%\n20%\ndone"},
		{"\x1b[999999999999999999999ma\x1b[xm", "am"},
		{"\n<b>", "\n&lt;b&gt;"},
	} {
		s := conversation(t, answer(call("c", "bash", `{"command":"x"}`)), result("c", "bash", test.output))
		var b bytes.Buffer
		for c := range find(parse(t, page(t, s, nil)), func(n *markup.Node) bool { return n.Data == "pre" }).ChildNodes() {
			if err := markup.Render(&b, c); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.String(); got != test.want {
			t.Errorf("%q\ngot  %s\nwant %s", test.output, got, test.want)
		}
	}
}

func TestDiff(t *testing.T) {
	r := result("c", "edit", "Made 1 replacement.")
	r.Details = []byte(`{"diff":"  1 a\n- 2 the <old> line\n+ 2 the <new> line\n- 3 x\n- 4 y\n+ 3 z\n    ..."}`)
	got := inner(t, conversation(t, answer(call("c", "edit", `{"path":"a","edits":[]}`)), r), "diff")
	want := "<span class=\"e\">  1 a\n</span><span class=\"d\">- 2 the &lt;<b>old</b>&gt; line\n</span><span class=\"i\">+ 2 the &lt;<b>new</b>&gt; line\n</span>" +
		"<span class=\"d\">- 3 x\n</span><span class=\"d\">- 4 y\n</span><span class=\"i\">+ 3 z\n</span><span class=\"e\">    ...\n</span>"
	if !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCards says what the line of a card tells of a call, whether it is open, and how it
// ended.
func TestCards(t *testing.T) {
	ms := int64(4200)
	for _, test := range []struct {
		name, args, output string
		isError            bool
		subject, status    string
		open               bool
	}{
		{"bash", `{"command":"ls -l\n"}`, "x", false, "ls -l", "4.2 s", true},
		{"bash", `{"command":"false"}`, "", true, "false", "failed · 4.2 s", true},
		{"read", `{"path":"/work/a/b.go","offset":10,"limit":5}`, "x", false, "a/b.go:10-14", "4.2 s", false},
		{"read", `{"path":"/other/b.go"}`, "no such file", true, "/other/b.go", "failed · 4.2 s", true},
		{"grep", `{"pattern":"x","path":"a","glob":"*.go"}`, "x", false, "x in a (*.go)", "4.2 s", false},
		{"find", `{"pattern":"*.md"}`, "x", false, "*.md", "4.2 s", false},
		{"ls", `{}`, "x", false, ".", "4.2 s", false},
		{"write", `{"file_path":"x","content":"y"}`, "x", false, "x", "4.2 s", true},
		{"edit", `{"path":"x","oldText":"a","newText":"b"}`, "x", true, "x", "failed · 4.2 s", true},
		{"read", `{"path":5}`, "x", false, "5", "4.2 s", false},
		{"mcp_do", `{"a":"b","c":[1,2],"d":{"e":null}}`, "x", false, `a: b, c: [1,2], d: {"e":null}`, "4.2 s", true},
		{"mcp_do", `[]`, "x", false, "[]", "4.2 s", true},
		{"mcp_do", ``, "x", false, "", "4.2 s", true},
	} {
		r := result("c", test.name, test.output)
		r.IsError, r.DurationMs = test.isError, &ms
		doc := parse(t, page(t, conversation(t, answer(call("c", test.name, test.args)), r), nil))
		card := find(doc, func(n *markup.Node) bool { return n.Data == "details" })
		subject, status := text(find(card, func(n *markup.Node) bool { return n.Data == "code" })), text(find(card, func(n *markup.Node) bool { return attr(n, "class") == "status" }))
		open := false
		for _, a := range card.Attr {
			open = open || a.Key == "open"
		}
		if subject != test.subject || status != test.status || open != test.open {
			t.Errorf("%s %s: %q, %q, open %v", test.name, test.args, subject, status, open)
		}
	}
}

func TestCallWithoutResult(t *testing.T) {
	s := conversation(t, answer(call("c", "bash", `{"command":"x"}`)), prompt("go on"), result("c", "bash", "too late"))
	doc := parse(t, page(t, s, nil))
	card := find(doc, func(n *markup.Node) bool { return n.Data == "details" })
	if got := text(card); !strings.Contains(got, "no result") || strings.Contains(got, "too late") {
		t.Errorf("the card is %q", got)
	}
	if got := text(find(doc, func(n *markup.Node) bool { return attr(n, "class") == "result" })); !strings.Contains(got, "too late") {
		t.Errorf("the late result is %q", got)
	}
}

func TestLongOutputIsClipped(t *testing.T) {
	for lines, want := range map[int]bool{5: false, 15: false, 40: true} {
		s := conversation(t, answer(call("c", "bash", `{"command":"x"}`)), result("c", "bash", strings.Repeat("line\n", lines)))
		source := page(t, s, nil)
		if got := strings.Contains(source, fmt.Sprintf("Show all %d lines", lines)); got != want {
			t.Errorf("%d lines: clipped is %v", lines, got)
		}
		if strings.Count(source, "line\n") < lines-1 {
			t.Errorf("of %d lines, some are not in the page", lines)
		}
	}
}

func TestFailuresAreSeen(t *testing.T) {
	failed := answer()
	failed.StopReason, failed.ErrorMessage = ai.StopError, "quota"
	aborted := answer(&ai.Text{Text: "I was"})
	aborted.StopReason = ai.StopAborted
	cut := answer(&ai.Text{Text: "I was"})
	cut.StopReason = ai.StopLength
	doc := parse(t, page(t, conversation(t, failed, aborted, cut), nil))
	var got []string
	for _, n := range all(doc, func(n *markup.Node) bool { return attr(n, "class") == "error" }) {
		got = append(got, text(n))
	}
	if want := []string{"Failed: quota", "Aborted", "Cut by the output limit"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAttachedFiles(t *testing.T) {
	for text, want := range map[string][2]string{
		"<file name=\"/a/b.go\">\nx\n</file>\n<file name=\"/c.png\"></file>\nthe question": {"/a/b.go,/c.png", "the question"},
		"<file name=\"/a\">\nnever closed":                                                 {"", "<file name=\"/a\">\nnever closed"},
		"what does <file name=\"/a\">\nx\n</file>\n mean":                                  {"", "what does <file name=\"/a\">\nx\n</file>\n mean"},
	} {
		doc := parse(t, page(t, conversation(t, prompt(text)), nil))
		var names []string
		for _, n := range all(doc, func(n *markup.Node) bool { return attr(n, "class") == "file" }) {
			names = append(names, textOf(n, "code"))
		}
		if got := [2]string{strings.Join(names, ","), textOf(doc, "plain")}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// textOf returns the text of the first element with this tag or class.
func textOf(n *markup.Node, name string) string {
	return text(find(n, func(n *markup.Node) bool { return n.Data == name || attr(n, "class") == name }))
}

func TestTotalsOfAllBranches(t *testing.T) {
	spent := func(input, output, cached int, cost float64) ai.Usage {
		return ai.Usage{Input: input, Output: output, CacheRead: cached, Cost: ai.Cost{Total: cost}}
	}
	a := answer(call("c", "bash", "{}"))
	a.Usage = spent(1000, 100, 3000, 0.5)
	r := result("c", "bash", "x")
	tool := spent(500, 50, 0, 0.25)
	r.Usage = &tool
	s := conversation(t, prompt("x"), a, r)
	other := spent(1500, 350, 0, 1)
	if err := s.Append(&transcript.CompactionEntry{Summary: "s", Usage: &other}); err != nil {
		t.Fatal(err)
	}
	doc := parse(t, page(t, s, nil))
	facts := make(map[string]string)
	for _, n := range all(find(doc, func(n *markup.Node) bool { return attr(n, "class") == "about" }), func(n *markup.Node) bool { return n.Data == "div" }) {
		facts[textOf(n, "dt")] = textOf(n, "dd")
	}
	for name, want := range map[string]string{"Messages": "1 prompt, 1 answer, 1 tool call", "Tokens": "↑6k ↓500 50% cached", "Cost": "$1.75", "Model": "m", "Folder": "/work", "Session": s.Header().ID} {
		if facts[name] != want {
			t.Errorf("%s is %q, want %q", name, facts[name], want)
		}
	}
}

// endless is a store whose entries are made when they are asked for.
type endless struct {
	transcript.Store
	n int
}

func (s *endless) Len() int                 { return s.n }
func (s *endless) Leaf() transcript.EntryID { return s.id(s.n - 1) }
func (s *endless) id(i int) transcript.EntryID {
	if i < 0 {
		return ""
	}
	return transcript.EntryID(fmt.Sprintf("%08x", i))
}

func (s *endless) make(i int) transcript.Entry {
	e := &transcript.MessageEntry{EntryBase: transcript.EntryBase{ID: s.id(i), ParentID: s.id(i - 1)}}
	if i%7 == 3 { // a branch of its own
		e.ParentID = s.id(i - 3)
	}
	switch i % 3 {
	case 0:
		e.Message = answer(&ai.Text{Text: strings.Repeat("Some *words* of `mine`. ", 100)}, call("c", "bash", `{"command":"x"}`))
	case 1:
		e.Message = result("c", "bash", strings.Repeat("a line of the output\n", 1500))
	default:
		e.Message = prompt(strings.Repeat("please ", 100))
	}
	return e
}

func (s *endless) Entry(id transcript.EntryID) (transcript.Entry, error) {
	var i int
	if _, err := fmt.Sscanf(string(id), "%08x", &i); err != nil {
		return nil, err
	}
	return s.make(i), nil
}

func (s *endless) Entries(...string) iter.Seq2[transcript.Entry, error] {
	return func(yield func(transcript.Entry, error) bool) {
		for i := range s.n {
			if !yield(s.make(i), nil) {
				return
			}
		}
	}
}

func (s *endless) Ancestors(transcript.EntryID, ...string) iter.Seq2[transcript.Entry, error] {
	return func(func(transcript.Entry, error) bool) {}
}

// meter remembers how much memory was in use while it was written to.
type meter struct {
	written, writes int
	peak            uint64
}

func (m *meter) Write(p []byte) (int, error) {
	m.written += len(p)
	if m.writes++; m.writes%100 == 0 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		m.peak = max(m.peak, stats.HeapAlloc)
	}
	return len(p), nil
}

func TestMemoryIsBounded(t *testing.T) {
	var m meter
	if err := html.HTML(&m, &endless{memory.New(transcript.NewHeader("/work")), 9000}, nil); err != nil {
		t.Fatal(err)
	}
	if m.written < 90<<20 {
		t.Errorf("the page has only %d MB", m.written>>20)
	}
	if m.peak > 24<<20 {
		t.Errorf("for a page of %d MB, %d MB were held", m.written>>20, m.peak>>20)
	}
}

// TestHostileMarkdown has texts that take a parser long, or are nested deeper than browsers
// allow.
func TestHostileMarkdown(t *testing.T) {
	for _, part := range []string{">", "- ", "[", "*a ", "`", "|a", "[a](", "_a*b", "  - x\n", "> - ", "1. ", "[a]: b\n", "> >\n"} {
		for _, n := range []int{2000, 200_000} {
			checkSafe(t, page(t, conversation(t, answer(&ai.Text{Text: strings.Repeat(part, n/len(part))})), nil))
		}
	}
}

func TestLongMarkdownInParts(t *testing.T) {
	section := "## Section\n\n" + strings.Repeat("Some *words*.\n", 500) + "\n- a\n\n  more of a\n\n```go\n" + strings.Repeat("x := 1\n\n", 3000) + "```\n\n"
	doc := parse(t, page(t, conversation(t, answer(&ai.Text{Text: strings.Repeat(section, 8)})), nil))
	count := func(wanted func(*markup.Node) bool) int { return len(all(doc, wanted)) }
	if n := count(func(n *markup.Node) bool { return attr(n, "class") == "md" }); n < 4 {
		t.Errorf("the text has %d parts", n)
	}
	if n := count(func(n *markup.Node) bool { return n.Data == "h3" }); n != 8 {
		t.Errorf("%d headings of 8", n)
	}
	if n := count(func(n *markup.Node) bool { return n.Data == "pre" }); n != 8 {
		t.Errorf("%d pieces of code of 8", n)
	}
	if n := count(func(n *markup.Node) bool { return n.Data == "li" && strings.Contains(text(n), "more of a") }); n != 8 {
		t.Errorf("%d whole items of 8", n)
	}
	if n := count(func(n *markup.Node) bool { return attr(n, "class") == "plain" }); n != 0 {
		t.Errorf("%d parts were not parsed", n)
	}
}

// A card is drawn by the view of its tool alone.
func TestCardsFollowTheView(t *testing.T) {
	deploy := &toolview.View{
		Subject: []toolview.Part{{Arg: "service"}, {Arg: "region", Before: " to ", Or: " everywhere"}},
		Notes:   []toolview.Part{{Arg: "limit", Before: "for ", After: " s"}},
		Input:   toolview.Block{Kind: toolview.Code, Arg: "manifest", File: "file"},
		Output:  toolview.Block{Kind: toolview.Diff, Detail: "change"},
		Quiet:   true,
	}
	r := result("c", "deploy", "Done.")
	r.Details = []byte(`{"change":"- 1 old\n+ 1 new"}`)
	args := `{"service":"<shop>","limit":5,"manifest":"package x","file":"a.go"}`
	show := func(v *toolview.View) string {
		return page(t, conversation(t, answer(call("c", "deploy", args)), r), &html.Options{ToolView: func(string) *toolview.View { return v }})
	}
	for _, want := range []string{
		`<span class="what">deploy</span> <code>&lt;shop&gt; everywhere</code>`, `<p class="aside">For 5 s</p>`, `<span class="d">- 1 `,
	} {
		if got := show(deploy); !strings.Contains(got, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if got := show(nil); !strings.Contains(got, `<code>service: &lt;shop&gt;, limit: 5, manifest: package x, file: a.go</code>`) || !strings.Contains(got, "Done.") {
		t.Error("without a view, arguments and result are not there as they are")
	}
}
