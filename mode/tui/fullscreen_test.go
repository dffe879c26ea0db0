package tui_test

import (
	"fmt"
	"strings"
	"testing"
)

// numbered is an answer of lines "name 1" to "name n", each a paragraph.
func numbered(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `%s %d\n\n`, name, i+1)
	}
	return `"` + b.String() + `"`
}

const (
	pageUp    = "\x1b[5~"
	pageDown  = "\x1b[6~"
	home      = "\x1b[H"
	end       = "\x1b[F"
	ctrlUp    = "\x1b[1;5A"
	ctrlDown  = "\x1b[1;5B"
	wheelUp   = "\x1b[<64;10;5M"
	wheelDown = "\x1b[<65;10;5M"
)

// TestFullScreen: the conversation is scrolled in a screen of its own, above the
// editor, which stays at the bottom; at the end it is written into the scrollback once.
func TestFullScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, numbered("first", 20)+", "+numbered("second", 20)+`, "third"`)
		p.term.FullScreen = true
		c := p.show(60, 20)
		c.until("the other screen", func() bool { return c.wrote("\x1b\\[\\?1049h") && c.wrote("\x1b\\[\\?1000h\x1b\\[\\?1006h") })
		c.until("the status line at the bottom", func() bool { return strings.Contains(c.rows()[19], "scripted/scripted") })
		c.say("one")
		c.sees("first 20")
		c.loses("first 1\n")
		c.types(pageUp)
		c.sees("first 10")
		c.loses("first 20")
		c.sees("── more below (end) ───")
		c.frame("scrolled")
		c.types(home)
		c.sees("Rondo")
		c.sees("❯ one")
		c.types(pageDown)
		c.loses("❯ one")
		c.types("tw") // what is typed is for the editor
		c.sees("\ntw")
		c.types("o", enter)
		c.types(end)
		c.sees("second 20")
		c.types(ctrlUp)
		c.until("the message at the top", func() bool { return strings.HasPrefix(strings.TrimLeft(c.text(), "\n"), "❯ two") })
		c.types(ctrlUp)
		c.until("the one before at the top", func() bool { return strings.HasPrefix(strings.TrimLeft(c.text(), "\n"), "❯ one") })
		c.types(ctrlDown)
		c.until("the message at the top again", func() bool { return strings.HasPrefix(strings.TrimLeft(c.text(), "\n"), "❯ two") })
		c.types(end)
		c.sees("second 20")
		c.types(wheelUp)
		c.loses("second 20")
		c.types(wheelDown, wheelDown)
		c.sees("second 20")
		c.types(pageUp)
		c.loses("second 20")
		c.resize(50, 16)
		c.sees("second 9")
		c.types(end)
		c.say("three") // what comes is seen
		c.sees("third")
		if c.vt.ScrollbackLen() > 0 {
			t.Errorf("something is in the scrollback:\n%s", c.history())
		}
		c.leave()
		got := c.history()
		for _, once := range []string{"❯ one", "first 1\n", "first 20", "❯ two", "second 20", "❯ three", "third", "goes on with this session"} {
			if n := strings.Count(got, once); n != 1 {
				t.Errorf("%q is there %d times", once, n)
			}
		}
		if !c.wrote("(?s)1000h.*1000l") {
			t.Error("the mouse is left to the program")
		}
		if t.Failed() {
			t.Log(got)
		}
	})
}

// TestFullScreenBySettings: /settings changes the screen at once, in both directions,
// and what has been said is in the scrollback then. resume-hint leaves nothing of it behind.
func TestFullScreenBySettings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"First.", "Second.", "Third."`)
		p.term.ExitHint = true
		c := p.show(60, 24)
		change := func(to string) {
			t.Helper()
			c.say("/settings")
			c.sees("→ colours")
			c.types("tuiMode")
			c.sees("→ screen:")
			c.types(enter)
			c.sees("fullscreen")
			c.types(to)
			c.sees("→ screen:")
			c.types(escape)
			c.loses("→ screen")
		}
		c.say("one")
		c.sees("First.")
		change("2")
		c.until("the other screen", func() bool { return c.wrote("\x1b\\[\\?1049h") })
		c.sees("First.")
		c.say("two")
		c.sees("Second.")
		change("1")
		c.until("the screen of before", func() bool { return c.wrote("\x1b\\[\\?1049l") })
		if got := c.history(); strings.Count(got, "First.") != 1 || strings.Count(got, "Second.") != 1 {
			t.Errorf("what was said is not there once:\n%s", got)
		}
		change("2")
		c.say("three")
		c.sees("Third.")
		c.leave()
		if got := c.history(); strings.Count(got, "Second.") != 1 || strings.Contains(got, "Third.") || !strings.Contains(got, "rondo --session") {
			t.Errorf("what is left behind is\n%s", got)
		}
	})
}
