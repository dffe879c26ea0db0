package width

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// TabWidth is the number of columns of a tab.
const TabWidth = 3

// piece is one indivisible part of a text: an escape sequence or a grapheme cluster.
type piece struct {
	s      string
	width  int
	escape bool
}

// cut takes the first piece off s, which is not empty.
func cut(s string) (first piece, rest string) {
	if s[0] == 0x1b {
		seq := sequence(s)
		return piece{s: seq, escape: true}, s[len(seq):]
	}
	if plain(s[0]) && (len(s) == 1 || s[1] < 0x80) {
		return piece{s: s[:1], width: 1}, s[1:]
	}
	iter := graphemes.FromString(s)
	iter.Next()
	cluster := iter.Value()
	return piece{s: cluster, width: clusterWidth(cluster)}, s[len(cluster):]
}

// plain reports whether b is a printable ASCII character.
func plain(b byte) bool { return b >= 0x20 && b < 0x7f }

// sequence returns the escape sequence that s begins with; at least the escape itself. Strings
// for applications and operating systems may end with a bell, too.
func sequence(s string) string {
	if len(s) > 1 && strings.IndexByte("_^PX", s[1]) >= 0 {
		if i := strings.IndexAny(s[2:], "\x07\x1b"); i >= 0 && s[2+i] == 0x07 {
			return s[:i+3]
		}
	}
	_, _, n, state := ansi.DecodeSequence(s, ansi.NormalState, nil)
	if n == 0 || state != ansi.NormalState && n < len(s) {
		return s[:1]
	}
	return s[:n]
}

func clusterWidth(cluster string) int {
	if cluster == "\t" {
		return TabWidth
	}
	return displaywidth.String(cluster)
}

// Of returns the number of columns that s takes.
func Of(s string) int {
	n := 0
	for i := range len(s) {
		if !plain(s[i]) {
			return n + slowWidth(s, i)
		}
		n++
	}
	return n
}

// slowWidth measures s from byte i on; what stands before is ASCII and counted. The last
// counted character may carry a mark of what follows.
func slowWidth(s string, i int) int {
	width := 0
	if i > 0 {
		i--
		width--
	}
	for s = s[i:]; s != ""; {
		var p piece
		p, s = cut(s)
		width += p.width
	}
	return width
}

// Strip returns s without escape sequences.
func Strip(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	var b strings.Builder
	for s != "" {
		var p piece
		p, s = cut(s)
		if !p.escape {
			b.WriteString(p.s)
		}
	}
	return b.String()
}

// Graphemes returns the characters of s as a user sees them; escape sequences are no special
// case here.
func Graphemes(s string) []string {
	var out []string
	iter := graphemes.FromString(s)
	for iter.Next() {
		out = append(out, iter.Value())
	}
	return out
}
