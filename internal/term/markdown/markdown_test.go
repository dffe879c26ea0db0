package markdown_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/internal/term/markdown"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

func render(src string, width int) string {
	var out []string
	for _, l := range markdown.Lines(src, &markdown.Options{Width: width, Measure: ansi.GraphemeWidth, Theme: theme.New(true)}) {
		out = append(out, strings.TrimRight(l.Text(), " "))
	}
	return strings.Join(out, "\n")
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"heading", "# One\n\ntext", "One\n\ntext"},
		{"list", "- a\n- b\n  - c\n\n1. x\n2. y", "• a\n• b\n  • c\n\n1. x\n2. y"},
		{"tasks", "- [x] done\n- [ ] open", "• ☑ done\n• ☐ open"},
		{"quote", "> said\n> so", "│ said\n│ so"},
		{"code", "```go\nfunc f() {\n}\n```", "  func f() {\n  }"},
		{"indented code", "    x = 1", "  x = 1"},
		{"rule", "a\n\n---\n\nb", "a\n\n" + strings.Repeat("─", 40) + "\n\nb"},
		{"link", "[text](http://x.y)", "text (http://x.y)"},
		{"bare link", "see http://x.y/z", "see http://x.y/z"},
		{"image", "![alt](a.png)", "🖼 alt (a.png)"},
		{"html", "<b>x</b>", "<b>x</b>"},
		{"entities", "a &amp; b &#27;[31m", "a & b ␛[31m"},
		{"table", "| a | b |\n|---|--:|\n| one | 2 |", "a   │ b\n────┼──\none │ 2"},
		{"code in a list", "1. Run:\n\n   ```go\n   func f() {\n   \tx()\n   \t\ty()\n   }\n   ```", "1. Run:\n\n     func f() {\n         x()\n             y()\n     }"},
		{"code in a list of tabs", "-\tRun:\n\n\t```\n\tf:\n\t\tx\n\t```", "• Run:\n\n    f:\n        x"},
		{"bar in a cell", "| a |\n|---|\n| `x \\| y` |", "a\n─────\nx | y"},
		{"tab in a text", "a\tb", "a    b"},
		{"soft break", "one\ntwo", "one\ntwo"},
		{"styles", "**b** *i* ~~s~~ `c`", "b i s c"},
	} {
		if got := render(c.src, 60); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func TestLines_FitTheWidth(t *testing.T) {
	src := "# A heading that is long\n\n- a list with a long item in it\n  - and one more below it\n\n> quoted text that goes on\n\n| column one | column two | three |\n|---|---|---|\n| some text here | and 日本語の文章 there | x |\n\n```\na line of code that is longer than the screen\n```\n"
	for width := 10; width < 60; width++ {
		for _, l := range markdown.Lines(src, &markdown.Options{Width: width, Measure: ansi.GraphemeWidth, Theme: theme.New(true)}) {
			if w := l.Width(ansi.GraphemeWidth); w > width {
				t.Errorf("width %d: %q has %d", width, l.Text(), w)
			}
		}
	}
}

// TestLines_WordsOfCellsStayWhole: a column gives way to another one only as far as its words fit.
func TestLines_WordsOfCellsStayWhole(t *testing.T) {
	got := render("| Name | Meaning |\n|---|---|\n| identifier | a text which is much longer than there is room |", 40)
	want := "Name       │ Meaning\n───────────┼────────────────────────────\nidentifier │ a text which is much longer\n           │ than there is room"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := render("| averyveryverylongword | anotherveryverylongword |\n|---|---|", 20); !strings.Contains(got, "averyver │ another") {
		t.Errorf("words that do not fit:\n%s", got)
	}
}

func TestSplit(t *testing.T) {
	for src, want := range map[string]string{
		"one":                      "",
		"one\n\n":                  "",
		"one\n\ntwo":               "one\n\n",
		"one\n\ntwo\n\nthr":        "one\n\ntwo\n\n",
		"- a\n\n  more":            "",
		"- a\n\nx":                 "- a\n\n",
		"```\na\n\nb":              "",
		"```\na\n\nb\n```\n\nc":    "```\na\n\nb\n```\n\n",
		"~~~\n```\n\n~~~\n\nx":     "~~~\n```\n\n~~~\n\n",
		"a\n\n```\nb\n":            "a\n\n",
		"| a |\n|---|\n| b |\n\nx": "| a |\n|---|\n| b |\n\n",
		"````\n```\n\nx\n```\n\ny": "",
	} {
		if n := markdown.Split(src); src[:n] != want {
			t.Errorf("Split(%q) = %q, want %q", src, src[:n], want)
		}
	}
}

// FuzzSplit checks that a text which grows is divided at the same places however it comes,
// and that no part of it is lost.
func FuzzSplit(f *testing.F) {
	f.Add("# a\n\n- b\n\n  c\n\n```go\nx\n\ny\n```\n\nend", uint8(3))
	f.Fuzz(func(t *testing.T, src string, step uint8) {
		src = text.Clean(src)
		divide := func(step int) []string {
			var parts []string
			done := 0
			for end := 0; end <= len(src); end += step {
				for {
					n := markdown.Split(src[done:end])
					if n == 0 {
						break
					}
					parts = append(parts, src[done:done+n])
					done += n
				}
			}
			return append(parts, src[done:])
		}
		if got := strings.Join(divide(int(step)+1), ""); got != src {
			t.Errorf("%q became %q", src, got)
		}
		render(src, 20)
	})
}

// BenchmarkLines_OpenBlock is what a frame costs while a long block of code streams.
func BenchmarkLines_OpenBlock(b *testing.B) {
	src := "```go\n" + strings.Repeat("func f(x int) string { return \"text\" } // comment\n", 1000)
	opts := &markdown.Options{Width: 100, Measure: ansi.GraphemeWidth, Theme: theme.New(true)}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		markdown.Lines(src, opts)
	}
}
