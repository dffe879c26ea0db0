package width

import (
	"strings"
	"unicode"
)

// Wrap breaks s into lines of at most width columns: at newlines, between words, and within
// words that are longer than a line. Han, kana and hangul break anywhere. A style that is
// active at a break is written again at the start of the next line. Lines that were broken end
// without spaces; a line that fits is left as it is.
func Wrap(s string, width int) []string {
	var lines []string
	var st style
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n") {
		opened := st.open()
		if Of(line) <= width {
			lines = append(lines, opened+line)
			st.follow(line)
			continue
		}
		w := wrapper{width: width, style: st, line: opened}
		for _, t := range words(line) {
			w.add(t)
		}
		if w.used > 0 || w.line != w.style.open() || len(w.lines) == 0 {
			w.lines = append(w.lines, w.line)
		}
		for _, l := range w.lines {
			lines = append(lines, trim(l))
		}
		st = w.style
	}
	return lines
}

// trim cuts white space off the end.
func trim(s string) string { return strings.TrimRightFunc(s, space) }

func space(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

// word is a run of spaces, a run of others, or one character between which lines may break.
type word struct {
	s     string
	width int
}

// words splits a line. Escape sequences belong to the character after them.
func words(line string) []word {
	var out []word
	var pending string
	const none, blank, letters, ideograph = 0, 1, 2, 3
	last := none
	for line != "" {
		var p piece
		p, line = cut(line)
		if p.escape {
			pending += p.s
			continue
		}
		kind := letters
		switch {
		case p.s == " ":
			kind = blank
		case breaksAnywhere(p.s):
			kind = ideograph
		}
		if kind != last || kind == ideograph {
			out = append(out, word{})
		}
		last = kind
		w := &out[len(out)-1]
		w.s += pending + p.s
		w.width += p.width
		pending = ""
	}
	if pending != "" {
		if len(out) == 0 {
			out = append(out, word{})
		}
		out[len(out)-1].s += pending
	}
	return out
}

// breaksAnywhere reports whether lines may break on both sides of a character.
func breaksAnywhere(cluster string) bool {
	for _, r := range cluster {
		return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
	}
	return false
}

// wrapper fills lines with words.
type wrapper struct {
	width int
	style style
	lines []string
	line  string // under way
	used  int    // its columns
}

func (w *wrapper) add(t word) {
	blank := strings.TrimFunc(t.s, space) == ""
	switch {
	case t.width > w.width && !blank:
		w.breakWord(t.s)
		return
	case w.used+t.width > w.width && w.used > 0:
		w.end(trim(w.line))
		if !blank {
			w.line += t.s
			w.used = t.width
		}
	default:
		w.line += t.s
		w.used += t.width
	}
	w.style.follow(t.s)
}

// end finishes a line and starts the next in the same style.
func (w *wrapper) end(line string) {
	w.lines = append(w.lines, line+w.style.close())
	w.line, w.used = w.style.open(), 0
}

// breakWord spreads a word over lines of its own.
func (w *wrapper) breakWord(s string) {
	if w.used > 0 {
		w.end(w.line)
	}
	for s != "" {
		var p piece
		p, s = cut(s)
		if p.escape {
			w.line += p.s
			w.style.apply(p.s)
			continue
		}
		if w.used+p.width > w.width {
			w.end(w.line)
		}
		w.line += p.s
		w.used += p.width
	}
}
