package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"ok"`)
		for _, name := range []string{"alpha.go", "sub/beta.txt", "sub/gamma delta.md", ".gitignore", "skipped.log"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			p.write(name, "*.log\n")
		}
		c := p.show(70, 24)
		c.types("/th")
		c.shows("→ thinking  choose how much the model thinks")
		c.frame("commands")
		c.types(escape, bksp, bksp, bksp)
		c.types("see @bet")
		c.sees("→ sub/beta.txt")
		c.frame("files")
		c.types(tab)
		c.shows(strings.Repeat("─", 70), "see @sub/beta.txt")
		c.types(" @gam")
		c.sees("→ sub/gamma delta.md")
		c.types(enter)
		c.sees(`@"sub/gamma delta.md"`)
		c.types(" @skip")
		c.sees("@skip")
		c.loses("→ ")
		c.types(ctrlC)
		c.types("cat al", tab)
		c.sees("cat alpha.go")
		c.leave()
	})
}

func TestPickers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"First.", "Second.", "Third."`).show(80, 30)
		c.say("one")
		c.sees("First.")
		c.say("two")
		c.sees("Second.")
		c.types(escape, escape) // the tree
		c.sees("Place to go on from")
		c.shows("  you: one", "  answer: First.", "  you: two", "→ answer: Second. ✓")
		c.frame("tree")
		c.types(up)
		c.sees("→ you: two")
		c.types(enter)
		c.sees("Tell the model about the branch")
		c.types(enter)
		c.sees("The conversation goes on from here")
		c.shows(strings.Repeat("─", 80), "two", strings.Repeat("─", 80)) // to be written anew
		c.types(" again", enter)
		c.sees("Third.")
		c.say("/tree")
		c.shows("  you: one", "  answer: First.", "  │ you: two", "  │ answer: Second.", "  │ you: two again", "→ │ answer: Third. ✓")
		c.frame("branches")
		c.types(escape)
		c.loses("Place to go on from")
		c.say("/fork")
		c.sees("Begin a session before the message")
		c.types(escape)
		c.loses("Begin a session")
		c.say("/name The name of it")
		c.sees("• The name of it")
		c.say("/new")
		c.sees("New session")
		c.loses("• The name of it")
		c.say("/resume")
		c.sees("The name of it")
		c.types(enter)
		c.sees("• The name of it")
		c.say("/export page.html")
		c.sees("The session is in")
		c.say("/session")
		c.sees("tokens:")
		c.say("/nonsense")
		c.sees("there is no command /nonsense")
		c.types(ctrlC)
		c.types(ctrlL)
		c.sees("scripted/scripted ✓")
		c.types(escape)
		c.loses("scripted/scripted ✓")
		c.say("/quit")
		c.exits()
		if _, err := os.Stat(filepath.Join(c.dir, "page.html")); err != nil {
			t.Error(err)
		}
	})
}

// TestPasteOfEncodedKeys: a line break stays one where a multiplexer encodes it as a key.
func TestPasteOfEncodedKeys(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(60, 20)
		c.types("\x1b[200~one\x1b[13;1utwo\x1b[106;5uthree\x1b[201~")
		rule := strings.Repeat("─", 60)
		c.shows(rule, "one", "two", "three", rule)
		c.leave()
	})
}

func TestPasteAndHistory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok", "ok"`).show(60, 20)
		c.types("\x1b[200~" + strings.Repeat("pasted line\n", 20) + "\x1b[201~")
		c.sees("[paste #1, 21 lines]")
		c.frame("paste")
		c.types(" and more", enter)
		c.sees("pasted line")
		c.sees("ok")
		c.types(up)
		c.sees("[paste #1, 21 lines] and more")
		c.types(ctrlC)
		c.types("first", ctrlJ, "second")
		rule := strings.Repeat("─", 60)
		c.shows(rule, "first", "second", rule)
		c.leave()
	})
}

func TestImage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"I see."`)
		p.write("a picture.png", "\x89PNG\r\n\x1a\n")
		c := p.show(80, 24)
		c.types("\x1b[200~what is in 'a picture.png'\x1b[201~")
		c.sees("a picture.png")
		c.types(enter)
		c.sees("I see.")
		c.sees("[image]")
		c.leave()
	})
}

func TestCompaction(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"First.", "Second.", "It was about numbers.", "Third."`)
		if err := os.MkdirAll(filepath.Join(p.dir, ".rondo"), 0o700); err != nil {
			t.Fatal(err)
		}
		p.write(".rondo/settings.json", `{"compaction": {"keepRecentTokens": 1}}`)
		c := p.show(80, 24)
		c.say("/compact")
		c.sees("nothing to compact")
		c.say("one")
		c.sees("First.")
		c.say("two")
		c.sees("Second.")
		c.say("/compact numbers")
		c.sees("◇ Compacted from")
		c.types(ctrlO)
		c.sees("It was about numbers.")
		c.say("three")
		c.sees("Third.")
		c.leave()
	})
}

// TestKeysOfOtherProtocols: terminals that tell more about keys write them otherwise.
func TestKeysOfOtherProtocols(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"ok"`).show(80, 24)
		rule := strings.Repeat("─", 80)
		c.types("a", "\x1b[13;2u", "b", "\x1b[27;2;13~", "c", "\x1b[106;5u", "d") // shift+enter twice, ctrl+j
		c.shows(rule, "a", "b", "c", "d", rule)
		c.types("\x1b[99;5u") // ctrl+c
		c.shows(rule, "", rule)
		c.types("again", "\x1b[27;5;119~") // ctrl+w
		c.loses("again")
		c.types("x")
		c.loses("ctrl+c again")
		c.types("\x1b[27u", "\x1b[99;5u", "\x1b[99;5u")
		c.exits()
	})
}

// TestSizes: no size, however small, is too much.
func TestSizes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `"An answer, which is longer than the screen is wide."`).show(80, 24)
		c.say("go")
		c.sees("An answer")
		for _, size := range [][2]int{{5, 3}, {1, 1}, {200, 2}, {2, 50}, {80, 24}} {
			c.resize(size[0], size[1])
			c.types("x")
		}
		c.sees("xxxxx")
		c.sees("An answer, which is longer than the screen is wide.")
		c.leave()
		c.sees("goes on with this session")
	})
}
