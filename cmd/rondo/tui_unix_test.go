//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTerminal_FirstRun(t *testing.T) {
	c := prepare(t, "").show(80, 24)
	c.shows(
		"· Welcome to Rondo. A scripted demo answers until there is a model: try help.",
		"  For a real one: rondo auth login, or set ANTHROPIC_API_KEY or OPENAI_API_KEY,",
		"  or list models, such as local ones, in…",
	)
	c.sees("scripted/demo")
	c.say("make a hello script and test it")
	c.sees("(Scripted demo model, not an AI model.")
	c.shows("● bash sh hello-rondo.sh", "  Hello, world!")
	if code := c.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	raw := c.raw.String()
	for _, back := range []string{"\x1b[?2004l", "\x1b[<1u", "\x1b[?25h"} {
		if !strings.Contains(raw, back) {
			t.Errorf("the terminal is not switched back: %q is missing", back)
		}
	}
}

// TestTerminal_LocalServer: a server of this machine is found by its name, and offered to who
// has no model.
func TestTerminal_LocalServer(t *testing.T) {
	lab := serveModels(closer{t}, filepath.Join(t.TempDir(), "requests"))
	for name, args := range map[string][]string{"offered": nil, "named": {"--provider", "ollama"}} {
		t.Run(name, func(t *testing.T) {
			p := prepare(t, "", args...)
			p.cmd.Env = append(p.cmd.Env, "OLLAMA_HOST="+lab.URL)
			c := p.show(100, 24)
			if args == nil {
				c.sees("Ollama runs at " + strings.TrimPrefix(lab.URL, "http://") + ": --provider ollama asks hello")
			} else {
				c.sees("ollama/hello")
			}
			if code := c.leave(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func TestTerminal_Streaming(t *testing.T) {
	c := prepare(t, `{"thinking": ["First ", "I think."], "text": ["# Title\n\nOne **bold**", " word and `+"`code`"+`.\n\n", "`+"```go\\nfunc main() {}\\n```"+`\n\n- a\n- b", "\n\nThe end."], "paceMs": 30}`).show(60, 20)
	c.say("go")
	c.sees("The end.")
	c.shows("❯ go", "", "∴ Thinking: First I think.", "", "Title", "", "One bold word and code.", "", "  func main() {}", "", "• a", "• b", "", "The end.")
}

func TestTerminal_Tool(t *testing.T) {
	c := prepare(t, `{"text": "I look.", "tools": [{"name": "bash", "args": {"command": "for i in 1 2 3 4 5 6 7 8; do echo line $i; done; while ! test -e go; do sleep 0.01; done; echo end"}}]}, "Done."`).show(70, 24)
	c.say("run it")
	c.sees("line 8") // while it runs
	c.write("go", "")
	c.sees("Done.")
	c.shows("  … 4 more lines (ctrl+o shows them)", "  line 5", "  line 6", "  line 7", "  line 8", "  end", "", "Done.")
	c.types(ctrlO)
	c.sees("line 1")
	c.types(ctrlO)
	c.loses("line 1")
}

func TestTerminal_Diff(t *testing.T) {
	p := prepare(t, `{"tools": [{"name": "edit", "args": {"path": "a.txt", "edits": [{"oldText": "two", "newText": "zwei"}]}}]}, "Changed."`)
	p.write("a.txt", "one\ntwo\nthree\n")
	c := p.show(60, 20)
	c.say("translate")
	c.sees("Changed.")
	c.shows("● edit a.txt", "   1 one", "  -2 two", "  +2 zwei", "   3 three", "", "Changed.")
	green := false
	for y, row := range c.rows() {
		if strings.HasPrefix(row, "  +2") {
			green = c.colour(4, y)
		}
	}
	if !green {
		t.Error("the new line has no colour")
	}
}

// slow is a call that waits for a file.
const slow = `{"tools": [{"name": "bash", "args": {"command": "touch started; while ! test -e go; do sleep 0.01; done"}}]}`

func TestTerminal_Steering(t *testing.T) {
	c := prepare(t, slow+`, "Heard you.", "And later."`).show(70, 24)
	c.say("work")
	c.sees("touch started")
	c.say("stop that")
	c.sees("Steering: stop that")
	c.types("one more thing")
	c.sees("one more thing")
	c.types(altEnter)
	c.sees("Follow-up: one more thing")
	c.write("go", "")
	c.sees("And later.")
	c.shows("❯ stop that", "", "Heard you.", "", "❯ one more thing", "", "And later.")
	if strings.Contains(c.text(), "Steering:") || strings.Contains(c.text(), "Follow-up:") {
		t.Errorf("a message is shown as waiting:\n%s", c.text())
	}
}

func TestTerminal_Abort(t *testing.T) {
	c := prepare(t, slow+`, "never"`).show(70, 24)
	c.say("work")
	c.sees("touch started")
	c.say("first")
	c.say("second")
	c.sees("Steering: second")
	c.types("draft")
	c.types(escape)
	c.loses("Working")
	c.shows("first", "", "second", "", "draft") // in the editor
	if strings.Contains(c.text(), "never") {
		t.Error("the run went on")
	}
}

func TestTerminal_ResizeInMidAnswer(t *testing.T) {
	c := prepare(t, `{"text": ["The quick brown fox jumps ", "over the lazy dog and ", "runs far away.\n\nSecond paragraph", " is here.", "\n\nThird."], "gate": "g", "gateAt": 5, "paceMs": 20}`).show(80, 24)
	c.say("tell")
	c.sees("Second paragraph is here.")
	for _, width := range []int{30, 100, 20, 44} {
		c.resize(width, 16)
		rule := strings.Repeat("─", width)
		c.until("the new width", func() bool { return matches(c.rows(), []string{rule, "", rule}) })
	}
	c.shows("The quick brown fox jumps over the lazy dog", "and runs far away.", "", "Second paragraph is here.")
	if n := strings.Count(c.text(), "Second paragraph"); n != 1 {
		t.Errorf("the paragraph is there %d times:\n%s", n, c.text())
	}
}

// TestTerminal_Scrollback: an answer that is longer than the screen stands in the scrollback
// once, from its beginning to its end.
func TestTerminal_Scrollback(t *testing.T) {
	var pieces []string
	for i := range 60 {
		pieces = append(pieces, fmt.Sprintf(`"paragraph <%d> of many\n\n"`, i))
	}
	c := prepare(t, `{"text": [`+strings.Join(pieces, ", ")+`], "paceMs": 4}`).show(50, 15)
	c.say("write")
	c.sees("paragraph <59>")
	c.loses("Working")
	history := c.history()
	last := -1
	for i := range 60 {
		text := fmt.Sprintf("paragraph <%d> of many", i)
		if n := strings.Count(history, text); n != 1 {
			t.Errorf("%s is there %d times", text, n)
		}
		if at := strings.Index(history, text); at < last {
			t.Errorf("%s is in the wrong place", text)
		} else {
			last = at
		}
	}
	if t.Failed() {
		t.Log(history)
	}
}

func TestTerminal_Unicode(t *testing.T) {
	c := prepare(t, `"漢字かな交じり文は、幅の広い文字でできている。\n\ncafe\u0301 👨‍👩‍👧‍👦 ❤️ 🇩🇪 ok"`).show(30, 20)
	c.types("日本語e\u0301👩‍🚀x")
	c.sees("日本語e\u0301👩‍🚀x")
	c.types(left, bksp, bksp, bksp) // x stays; each takes one character
	c.sees("日本x")
	c.types(enter)
	c.sees("ok")
	c.shows("❯ 日本x", "", "漢字かな交じり文は、幅の広い文", "字でできている。")
	rule := strings.Repeat("─", 30)
	c.shows(rule, "", rule)
}

func TestTerminal_Resume(t *testing.T) {
	p := prepare(t, `"The first answer."`, "--session-id", "s1")
	c := p.show(70, 24)
	c.say("remember this")
	c.sees("The first answer.")
	c.leave()

	q := prepare(t, `"The second answer."`, "-c")
	q.dir = p.dir
	q.write("script.json", `{"replies": ["The second answer."]}`)
	d := q.show(70, 24)
	d.shows("❯ remember this", "", "The first answer.")
	d.say("and on")
	d.sees("The second answer.")
	d.leave()

	r := prepare(t, `"x"`, "-r")
	r.dir = p.dir
	e := r.show(70, 24)
	e.sees("Session to go on with")
	e.sees("remember this")
	e.types(enter)
	e.sees("The second answer.")
	e.leave()
}

func TestTerminal_Trust(t *testing.T) {
	p := prepare(t, `"hi"`)
	if err := os.MkdirAll(filepath.Join(p.dir, ".pi"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(".pi/settings.json", `{}`)
	c := p.show(80, 24)
	c.sees("Do you trust the files of")
	c.types("3")
	c.sees("scripted/")
	c.leave()
	data, err := os.ReadFile(filepath.Join(p.dir, ".rondo", "trust.json"))
	if err != nil || !strings.Contains(string(data), "false") {
		t.Errorf("the answer is not remembered: %s, %v", data, err)
	}
}
