// Package text is styled text for a terminal: how wide it is, where it is broken into lines,
// and what of it is safe to write.
//
// Text of models, tools and users goes through [Clean] once, when it comes in. From then on
// it has no control characters but line breaks and tabs, so that nothing which is shown can
// command the terminal. Styles lie beside the text, not inside, and become escape sequences
// in [Line.String] alone.
package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Measure says how wide the terminal shows a character: [ansi.WcWidth] adds up code points,
// [ansi.GraphemeWidth] takes what a reader sees as one character together.
type Measure = ansi.Method

// Style is how text looks: the parameters of an SGR sequence, such as "1;31". The zero
// value is plain.
type Style string

// With returns the style with more on top of it.
func (s Style) With(more Style) Style {
	if s == "" || more == "" {
		return s + more
	}
	return s + ";" + more
}

// Wrap returns the text between the escape sequences of the style.
func (s Style) Wrap(text string) string {
	if s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}

// Span is a piece of text in one style.
type Span struct {
	Text  string
	Style Style
}

// Line is one line: spans without line breaks.
type Line []Span

// Plain returns a line of one span.
func Plain(text string, style Style) Line { return Line{{text, style}} }

// String returns the line with escape sequences. Each line is complete: it depends on no
// line before it, and leaves nothing switched on.
func (l Line) String() string {
	if len(l) == 1 {
		return l[0].Style.Wrap(l[0].Text)
	}
	var b strings.Builder
	for i := 0; i < len(l); {
		end := i + 1 // pieces in the same style are written together
		for end < len(l) && l[end].Style == l[i].Style {
			end++
		}
		b.WriteString(l[i].Style.Wrap(l[i:end].Text()))
		i = end
	}
	return b.String()
}

// Text returns the text without styles.
func (l Line) Text() string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width returns how many cells the line takes.
func (l Line) Width(m Measure) int {
	n := 0
	for _, s := range l {
		n += Width(s.Text, m)
	}
	return n
}

// Width returns how many cells the text takes.
func Width(s string, m Measure) int {
	if ascii(s) {
		return len(s)
	}
	return m.StringWidth(s)
}

// ascii reports whether each byte of s is one cell.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Cut returns the part of the line that fits into width cells, with tail at its end if
// something is left out.
func (l Line) Cut(width int, tail string, m Measure) Line {
	if l.Width(m) <= width {
		return l
	}
	width -= Width(tail, m)
	var out Line
	for _, s := range l {
		n, end := 0, 0
		for end < len(s.Text) {
			cluster, w := Cluster(s.Text[end:], m)
			if n+w > width {
				break
			}
			n, end = n+w, end+len(cluster)
		}
		out = append(out, Span{s.Text[:end], s.Style})
		width -= n
		if end < len(s.Text) {
			break
		}
	}
	return append(out, Span{tail, ""})
}

// Cluster returns the first character of s, as a reader sees it, and its width in cells.
func Cluster(s string, m Measure) (cluster string, width int) {
	if s == "" {
		return "", 0
	}
	if s[0] < 0x7f && s[0] >= 0x20 && (len(s) == 1 || s[1] < 0x80) {
		return s[:1], 1
	}
	cluster, width = ansi.FirstGraphemeCluster(s, m)
	if cluster == "" { // it always takes something
		cluster = s[:1]
	}
	return cluster, max(width, 0)
}

// Pad returns the line filled up to width cells in a style.
func (l Line) Pad(width int, style Style, m Measure) Line {
	if n := width - l.Width(m); n > 0 {
		return append(l[:len(l):len(l)], Span{strings.Repeat(" ", n), style})
	}
	return l
}

// Strings returns the lines with escape sequences.
func Strings(lines []Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.String()
	}
	return out
}
