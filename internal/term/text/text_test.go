package text_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/internal/term/text"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ntext":        "plain\ntext",
		"a\tb":               "a   b",
		"\x1b[31mred\x1b[0m": "red",
		"\x1b]0;title\x07x":  "x",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1b]0;never ends":                        "␛]0;never ends",
		"\x1b[2J\x1b[Hgone":                        "gone",
		"50%\r100%\ndone\r\n":                      "100%\ndone\n",
		"bell\a null\x00":                          "bell␇ null␀",
		"\u009b31mC1":                              "\uFFFD31mC1",
		"abc\u202etxt.exe":                         "abc\uFFFDtxt.exe",
		"bad \xff byte":                            "bad \uFFFD byte",
		"日本語 e\u0301 👩‍🚀":                          "日本語 e\u0301 👩‍🚀",
		"\x1b":                                     "␛",
		"\x1b[31":                                  "␛[31",
	} {
		if got := text.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// commands reports whether something in s could command a terminal.
func commands(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) >= 0
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]0;x\x07\x1b[31m\r\n\t\u009b\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Clean(s)
		if commands(got) {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		if again := text.Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, and then %q", s, got, again)
		}
	})
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"the quick brown fox", 10, "the quick|brown fox"},
		{"the quick brown fox", 80, "the quick brown fox"},
		{"averyveryverylongword x", 8, "averyver|yverylon|gword x"},
		{"日本語の文章", 5, "日本|語の|文章"},
		{"  indented text here", 10, "  indented|text here"},
		{"x", 0, "x"},
		{"日", 1, "日"},
		{"a  b", 3, "a|b"},
	} {
		var got []string
		for _, l := range text.Wrap(text.Plain(c.in, ""), c.width, nil, ansi.GraphemeWidth) {
			got = append(got, l.Text())
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.width, s, c.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("the quick 日本 e\u0301 👩‍🚀 brown", "fox", uint8(7))
	f.Fuzz(func(t *testing.T, a, b string, width uint8) {
		a, b = text.OneLine(a), text.OneLine(b)
		line := text.Line{{Text: a, Style: "1"}, {Text: b, Style: "31"}}
		for _, m := range []text.Measure{ansi.WcWidth, ansi.GraphemeWidth} {
			for _, wrap := range []func(text.Line, int, text.Measure) []text.Line{
				func(l text.Line, w int, m text.Measure) []text.Line { return text.Wrap(l, w, nil, m) }, text.Break,
			} {
				var kept strings.Builder
				for _, l := range wrap(line, int(width), m) {
					if w := l.Width(m); w > max(int(width), 2) && len([]rune(l.Text())) > 1 && !single(l.Text(), m) {
						t.Errorf("%q has %d cells, not at most %d", l.Text(), w, width)
					}
					kept.WriteString(l.Text())
				}
				if got, want := strings.ReplaceAll(kept.String(), " ", ""), strings.ReplaceAll(a+b, " ", ""); got != want {
					t.Errorf("%q became %q", want, got)
				}
			}
		}
	})
}

// single reports whether s is one character, however wide.
func single(s string, m text.Measure) bool {
	cluster, _ := text.Cluster(s, m)
	return cluster == s
}

func TestLine_Cut(t *testing.T) {
	l := text.Line{{Text: "日本", Style: "1"}, {Text: "語 text"}}
	if got := l.Cut(6, "…", ansi.GraphemeWidth).Text(); got != "日本…" {
		t.Errorf("%q", got)
	}
	if got := l.Cut(80, "…", ansi.GraphemeWidth).String(); got != "\x1b[1m日本\x1b[m語 text" {
		t.Errorf("%q", got)
	}
}
