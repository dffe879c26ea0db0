package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

func TestStreaming(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `{"thinking": ["First ", "I think."], "text": ["# Title\n\nOne **bold**", " word and `+"`code`"+`.\n\n", "`+"```go\\nfunc main() {}\\n```"+`\n\n- a\n- b", "\n\nThe end."], "paceMs": 30}`).show(60, 20)
		c.say("go")
		c.sees("The end.")
		c.loses("Working")
		c.frame("answer")
		c.shows("❯ go", "", "∴ Thinking: First I think.", "", "Title", "", "One bold word and code.", "", "  func main() {}", "", "• a", "• b", "", "The end.")
	})
}

func TestDiff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `{"tools": [{"name": "edit", "args": {"path": "a.txt", "edits": [{"oldText": "two", "newText": "zwei"}]}}]}, "Changed."`)
		p.write("a.txt", "one\ntwo\nthree\n")
		c := p.show(60, 20)
		c.say("translate")
		c.sees("Changed.")
		c.loses("Working")
		c.frame("diff")
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
	})
}

func TestResizeInMidAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
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
	})
}

// TestScrollback: an answer that is longer than the screen stands in the scrollback
// once, from its beginning to its end.
func TestScrollback(t *testing.T) {
	bubble(t, func(t *testing.T) {
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
	})
}

func TestUnicode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"漢字かな交じり文は、幅の広い文字でできている。\n\ncafe\u0301 👨‍👩‍👧‍👦 ❤️ 🇩🇪 ok"`).show(30, 20)
		c.types("日本語e\u0301👩‍🚀x")
		c.sees("日本語e\u0301👩‍🚀x")
		c.types(left, bksp, bksp, bksp) // x stays; each takes one character
		c.sees("日本x")
		c.types(enter)
		c.sees("ok")
		c.shows("❯ 日本x", "", "漢字かな交じり文は、幅の広い文", "字でできている。")
		c.frame("wide")
		rule := strings.Repeat("─", 30)
		c.shows(rule, "", rule)
	})
}

// TestEscapeSequencesAreNeutralised: neither a tool nor a model commands the terminal.
func TestEscapeSequencesAreNeutralised(t *testing.T) {
	bubble(t, func(t *testing.T) {
		evil := `\u001b]0;pwned\u0007\u001b[2J\u001b[H\u001b[?1049h\u001b]52;c;ZXZpbA==\u0007\u009b31mX\u202e`
		c := prepare(t, `{"thinking": "`+evil+`t", "text": "`+evil+`model", "tools": [{"name": "bash", "args": {"command": "printf '\\033]0;pwned\\007\\033[2J\\033[?1049htool\\n'; exit 1"}}]}, {"error": "`+evil+`failed"}`).show(70, 24)
		c.say("go")
		c.sees("failed")
		c.sees("model")
		c.sees("tool")
		c.mu.Lock()
		defer c.mu.Unlock()
		raw := c.raw.String()
		for _, seq := range []string{"pwned\a", "\x1b[2J", "\x1b[?1049h", "]52;c;ZXZ", "\u009b", "\u202e"} {
			if strings.Contains(raw, seq) {
				t.Errorf("%q has reached the terminal", seq)
			}
		}
	})
}

// TestSlowTerminalDelaysNothing: while nobody reads what the program draws, a run
// goes on to its end.
func TestSlowTerminalDelaysNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var pieces []string
		for range 400 {
			pieces = append(pieces, `"some words of an answer that is rather long, so that the terminal would be full soon\n\n"`)
		}
		c := prepare(t, `{"text": [`+strings.Join(pieces, ",")+`], "paceMs": 1}`).show(80, 24)
		c.types("go")
		c.sees("go")
		c.block()
		c.types(enter)
		time.Sleep(time.Minute)
		if answer := c.runtime.Session().LastAnswer(); answer == nil || answer.StopReason != ai.StopEnd {
			t.Error("the run waits for the terminal")
		}
		c.unblock()
		c.loses("Working")
		c.leave()
	})
}
