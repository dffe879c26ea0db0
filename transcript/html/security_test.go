package html_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	markup "golang.org/x/net/html"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// all returns the elements below n that are wanted, in order.
func all(n *markup.Node, wanted func(*markup.Node) bool) []*markup.Node {
	var found []*markup.Node
	for c := range n.Descendants() {
		if c.Type == markup.ElementNode && wanted(c) {
			found = append(found, c)
		}
	}
	return found
}

func find(n *markup.Node, wanted func(*markup.Node) bool) *markup.Node {
	if found := all(n, wanted); len(found) > 0 {
		return found[0]
	}
	return nil
}

func attr(n *markup.Node, name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(n *markup.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == markup.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// allowed are the elements of the page and their attributes.
var allowed = map[string]string{
	"html": "lang data-theme", "head": "", "meta": "charset http-equiv content name", "title": "", "link": "rel href", "style": "", "script": "",
	"body": "", "main": "", "nav": "class aria-label", "aside": "id aria-label", "header": "class", "dialog": "id aria-label", "form": "method",
	"button": "type id title aria-label class", "svg": "viewbox aria-hidden", "path": "d", "circle": "cx cy r", "strong": "id", "input": "type id placeholder aria-label autocomplete spellcheck",
	"output": "id for", "select": "id aria-label", "option": "value", "ol": "id start", "ul": "", "li": "class", "div": "id class data-c", "dl": "", "dt": "", "dd": "", "kbd": "",
	"article": entryAttrs, "section": entryAttrs, "template": entryAttrs, "h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "p": "class", "b": "", "i": "class", "em": "", "del": "",
	"span": "class", "a": "class href target rel", "time": "datetime data-date", "code": "", "pre": "data-h", "details": "class open", "summary": "class", "br": "", "hr": "", "blockquote": "",
	"table": "", "tbody": "", "thead": "", "tr": "", "td": "class", "th": "class", "img": "class alt loading decoding src",
}

const entryAttrs = "id class data-p data-t data-l data-c data-s data-m"

var (
	ownLink   = regexp.MustCompile(`^#(e\d+|talk)$`)
	rasterURL = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp|avif|bmp);base64,[A-Za-z0-9+/=]+$`)
)

// checkSafe fails if the page could run or fetch anything that is not ours.
func checkSafe(t testing.TB, source string) *markup.Node {
	t.Helper()
	doc := parse(t, source)
	var scripts, styles []*markup.Node
	for _, n := range all(doc, func(*markup.Node) bool { return true }) {
		attrs, known := allowed[n.Data]
		if !known {
			t.Fatalf("an element <%s> is in the page: %v", n.Data, n.Attr)
		}
		switch n.Data {
		case "script":
			scripts = append(scripts, n)
		case "style":
			styles = append(styles, n)
		case "svg":
			if n.Parent == nil || attr(n.Parent, "id") != "side" {
				t.Errorf("an SVG image is in the page")
			}
		}
		for _, a := range n.Attr {
			if !slices.Contains(strings.Fields(attrs), strings.ToLower(a.Key)) {
				t.Fatalf("<%s> has an attribute %s=%q", n.Data, a.Key, a.Val)
			}
			checkValue(t, n, a)
		}
	}
	if len(scripts) != 1 || len(styles) != 1 {
		t.Fatalf("%d scripts and %d styles", len(scripts), len(styles))
	}
	policy := attr(find(doc, func(n *markup.Node) bool { return attr(n, "http-equiv") == "Content-Security-Policy" }), "content")
	for _, want := range []string{"default-src 'none'", "script-src 'sha256-" + hash(text(scripts[0])) + "'", "style-src 'sha256-" + hash(text(styles[0])) + "'", "img-src data:", "base-uri 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s: %s", want, policy)
		}
	}
	return doc
}

func checkValue(t testing.TB, n *markup.Node, a markup.Attribute) {
	t.Helper()
	switch a.Key {
	case "href":
		web := strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "mailto:")
		switch {
		case n.Data == "link" && attr(n, "rel") == "icon" && strings.HasPrefix(a.Val, "data:image/svg+xml,"):
		case ownLink.MatchString(a.Val):
		case web && strings.Contains(attr(n, "rel"), "noopener"):
		default:
			t.Errorf("a link leads to %q", a.Val)
		}
	case "src":
		if !rasterURL.MatchString(a.Val) {
			t.Errorf("an image is at %.100q", a.Val)
		}
	case "class":
		if strings.Trim(a.Val, "abcdefghijklmnopqrstuvwxyz0123456789 ") != "" {
			t.Errorf("a class is %q", a.Val)
		}
	case "id":
		if n.Data != "template" && n.Data != "article" && n.Data != "section" && !slices.Contains([]string{"side", "where", "find", "hits", "fold", "theme", "help", "tree", "filter", "list", "nodes", "talk", "keys"}, a.Val) {
			t.Errorf("an id is %q", a.Val)
		}
	}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func TestSafe_Fixture(t *testing.T) { checkSafe(t, page(t, fixture(t), nil)) }

// attacks are texts that would run something if they were taken for markup.
var attacks = []string{
	`<script>alert(1)</script>`,
	`</script><script>alert(1)</script>`,
	`</style><img src=x onerror=alert(1)>`,
	`"><img src=x onerror=alert(1)>`,
	`' onmouseover='alert(1)`,
	"</pre></code></template></details></article><iframe src=https://evil.example></iframe>",
	`<!--`, `--><svg onload=alert(1)>`, `<![CDATA[ ]]><math>`,
	"[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java\tscript:alert(1)) [d](&#106;avascript:alert(1)) [e](data:text/html,<script>alert(1)</script>) [f](vbscript:x) [g](//evil.example) [h](file:///etc/passwd) [i](\x01javascript:alert(1))",
	"![a](https://evil.example/x.png) ![b](javascript:alert(1)) ![c](data:image/svg+xml;base64,PHN2Zz4=)",
	"<javascript:alert(1)> <https://good.example/?a=\"><script>> <a@b.example>",
	"[ref]\n\n[ref]: javascript:alert(1) \"onload=alert(1)\"",
	"```\"><script>alert(1)</script>\nx\n```",
	"```html\n<script>alert(1)</script>\n```",
	"# <b onclick=x>\n\n| <script> | `</code><script>` |\n| --- | :---: |\n| <img src=x> | b |",
	"<div>\n<script>alert(1)</script>\n</div>\n\ntext <b onclick=alert(1)>bold</b>",
	"\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07 \x1b[31m<script>\x1b[0m \x1b[\"><script>m",
	"\x00<scr\x00ipt>alert(1)</scr\x00ipt>", "\xff\xfe<script>", "\u202e<script>\u2066",
	"{{.}} ${alert(1)} <%= x %>",
}

// hostile puts an attack wherever a session can hold text.
func hostile(t testing.TB, attack string) transcript.Store {
	t.Helper()
	header := transcript.NewHeader(attack)
	header.ParentSession = attack
	s := memory.New(header)
	quoted, err := json.Marshal(attack, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	object := func(format string) jsontext.Value {
		return jsontext.Value(strings.ReplaceAll(format, "$", string(quoted)))
	}
	message := func(m agent.Message) *transcript.MessageEntry { return &transcript.MessageEntry{Message: m} }
	image := &ai.Image{MIMEType: attack, Data: "AAAA"}
	one := 1
	asker := answer(
		&ai.Thinking{Thinking: attack}, &ai.Text{Text: attack}, image, &ai.Image{MIMEType: "image/png", Data: attack}, &ai.Image{MIMEType: "image/svg+xml", Data: "AAAA"},
		call(attack, attack, string(object(`{$:$,"x":[$]}`))), call("r", "read", string(object(`{"path":$}`))), call("b", "bash", string(object(`{"command":$}`))),
		call("e", "edit", string(object(`{"path":$,"edits":[{"oldText":$,"newText":$}]}`))), call("w", "write", string(object(`{"path":$,"content":$}`))),
		call("g", "grep", string(object(`{"pattern":$,"path":$,"glob":$}`))), call("l", "ls", string(object(`{"path":$}`))), call("x", "bash", string(quoted)),
	)
	asker.Model, asker.Provider, asker.ErrorMessage, asker.StopReason, asker.ResponseModel = attack, attack, attack, ai.StopReason(attack), attack
	asker.Diagnostics = []ai.Diagnostic{{Type: attack}}
	entries := []transcript.Entry{
		message(prompt(attack)), message(prompt("<file name=\"" + attack + "\">\n" + attack + "\n</file>\n" + attack)), message(asker),
	}
	for _, id := range []string{attack, "r", "b", "e", "w", "g", "l", "orphan"} {
		r := result(id, attack, attack)
		r.Details, r.AddedToolNames, r.IsError = object(`{"diff":$}`), []string{attack}, id == "g"
		r.Content = append(r.Content, image)
		entries = append(entries, message(r))
	}
	content := transcript.CustomContent{Text: attack}
	entries = append(entries,
		&transcript.ModelEntry{Provider: attack, ModelID: attack}, &transcript.ThinkingLevelEntry{ThinkingLevel: ai.ThinkingLevel(attack)}, &transcript.InfoEntry{Name: attack},
		&transcript.CompactionEntry{Summary: attack, TokensBefore: 1}, &transcript.BranchSummaryEntry{Summary: attack, FromID: transcript.EntryID(attack)},
		&transcript.CustomEntry{CustomType: attack, Data: quoted}, &transcript.CustomMessageEntry{CustomType: attack, Content: content, Display: true}, &transcript.CustomMessageEntry{CustomType: attack, Content: content},
		&transcript.UsageEntry{Kind: attack, Provider: attack, Model: attack, Usage: &ai.Usage{Input: 1}, Note: attack}, &transcript.ContextEditEntry{TargetID: transcript.EntryID(attack), Replacement: &transcript.Replacement{Content: ai.TextContent(attack)}},
		message(&transcript.BashExecution{Command: attack, Output: attack, ExitCode: &one, Truncated: true, FullOutputPath: attack}), message(&transcript.CustomMessage{CustomType: attack, Content: content, Display: true}),
		message(&transcript.BranchSummary{Summary: attack}), message(&transcript.CompactionSummary{Summary: attack}),
		message(&ai.SystemMessage{Content: attack, ToolsAdded: []ai.ToolDecl{{Name: attack}}, ToolsRemoved: []string{attack}}),
	)
	if err := s.Append(entries...); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries[:3] {
		if err := s.Append(&transcript.LabelEntry{TargetID: e.Base().ID, Label: attack}); err != nil {
			t.Fatal(err)
		}
	}
	raw := object(`{"type":$,"id":"aaaaaaaa","parentId":null,"timestamp":$,"x":$}`)
	if unknown, err := transcript.DecodeEntry(raw); err == nil {
		unknown.Base().Rebase("", "")
		if err := s.Append(unknown); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestSafe_HostileSession(t *testing.T) {
	for i, attack := range attacks {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := hostile(t, attack)
			checkSafe(t, page(t, s, nil))
			var root transcript.EntryID // all but the first entry are on other branches
			for e := range s.Entries() {
				root = e.Base().ID
				break
			}
			if err := s.SetLeaf(root); err != nil {
				t.Fatal(err)
			}
			checkSafe(t, page(t, s, nil))
		})
	}
}

func FuzzSafe(f *testing.F) {
	for _, attack := range attacks {
		f.Add(attack)
	}
	f.Fuzz(func(t *testing.T, text string) { checkSafe(t, page(t, hostile(t, text), nil)) })
}

func TestSafe_DirectionIsShown(t *testing.T) {
	code := "access\u202e \u2066// admin\u2069"
	doc := checkSafe(t, page(t, conversation(t, answer(call("c", "write", `{"path":"a.go","content":"`+code+`"}`))), nil))
	if got, want := text(find(doc, func(n *markup.Node) bool { return n.Data == "pre" })), "accessU+202E U+2066// adminU+2069"; got != want {
		t.Errorf("the code is %q, want %q", got, want)
	}
	prose := page(t, conversation(t, &ai.UserMessage{Content: ai.TextContent("pay \u202e001\u202c euros" + "\n\n`x\u2067y`")}), nil)
	checkSafe(t, prose)
	if strings.ContainsAny(prose, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") || !strings.Contains(prose, "U+202E001U+202C") {
		t.Error("the prose has characters that turn its direction")
	}
}
