package edit

import (
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/rondo-agent/rondo/tools/internal/path"
)

// folded is a text in the form in which spellings of one text are the same: Unicode form
// NFKC, plain quotes, dashes and spaces, no blanks at the ends of lines.
type folded struct {
	text string
	// pieces are in order and cover text; the last one begins at its end.
	pieces []piece
}

// piece is a part of the folded text and where it comes from.
type piece struct {
	// at and from are offsets in the folded and in the original text.
	at, from int
	// same says that the piece is unchanged, so that a place can begin or end inside of
	// it; other pieces can only be taken as a whole.
	same bool
	// blanks is the length of the original text before the piece that folding left out.
	blanks int
}

// fold returns the folded text of the document.
func (d *document) fold() *folded {
	if d.folded == nil {
		d.folded = foldText(d.text, true)
	}
	return d.folded
}

// foldText folds text; trimLast says whether its last line loses its blanks too.
func foldText(text string, trimLast bool) *folded {
	b := folder{text: text}
	b.out.Grow(len(text))
	blanks := 0
	for from := 0; from < len(text); {
		end, next := len(text), len(text)
		if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
			end, next = from+i, from+i+1
		}
		trimmed := end
		if trimLast || next > end {
			trimmed = from + len(strings.TrimRightFunc(text[from:end], isBlank))
		}
		b.line(from, trimmed)
		blanks = end - trimmed
		if next > end {
			b.add("\n", end, true, blanks)
			blanks = 0
		}
		from = next
	}
	b.add("", len(text), false, blanks)
	return &folded{b.out.String(), b.pieces}
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || path.IsUnicodeSpace(r) }

// folder builds a folded text.
type folder struct {
	text   string
	out    strings.Builder
	pieces []piece
}

// line adds text[from:end], which has no newline.
func (b *folder) line(from, end int) {
	for from < end {
		n := plainLength(b.text[from:end])
		if n > 0 {
			b.add(b.text[from:from+n], from, true, 0)
			from += n
			continue
		}
		n = norm.NFKC.NextBoundaryInString(b.text[from:end], true)
		b.add(foldRunes(b.text[from:from+n]), from, false, 0)
		from += n
	}
}

// plainLength is the length of the beginning of s that folding leaves as it is: ASCII, but
// for the character before something else, with which it may combine.
func plainLength(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return max(i-1, 0)
		}
	}
	return len(s)
}

func (b *folder) add(s string, from int, same bool, blanks int) {
	if n := len(b.pieces); n > 0 && same && blanks == 0 && b.pieces[n-1].same {
		if last := b.pieces[n-1]; last.from-last.at == from-b.out.Len() {
			b.out.WriteString(s) // goes on where the last piece ends
			return
		}
	}
	b.pieces = append(b.pieces, piece{b.out.Len(), from, same, blanks})
	b.out.WriteString(s)
}

// foldRunes folds characters that belong together. Bytes that are no UTF-8 stay.
func foldRunes(s string) string {
	if !utf8.ValidString(s) {
		return s
	}
	return strings.Map(foldRune, norm.NFKC.String(s))
}

func foldRune(r rune) rune {
	switch {
	case '\u2018' <= r && r <= '\u201b':
		return '\''
	case '\u201c' <= r && r <= '\u201f':
		return '"'
	case '\u2010' <= r && r <= '\u2015', r == '\u2212':
		return '-'
	case path.IsUnicodeSpace(r):
		return ' '
	}
	return r
}

// find returns the places of part, itself unfolded, in the original text.
func (f *folded) find(part string) []span {
	if places := f.places(foldText(part, false).text, false); len(places) > 0 {
		return places
	}
	return f.places(foldText(part, true).text, true)
}

// places finds folded text. With wholeLine, only such as ends where a line ends. Blanks
// alone are nowhere: folding makes too much of them the same.
func (f *folded) places(part string, wholeLine bool) []span {
	if strings.TrimSpace(part) == "" {
		return nil
	}
	var places []span
	for from := 0; len(places) < maxPlaces; {
		i := strings.Index(f.text[from:], part)
		if i < 0 {
			break
		}
		at := from + i
		from = at + 1
		end := at + len(part)
		if wholeLine && end < len(f.text) && f.text[end] != '\n' {
			continue
		}
		if p, ok := f.original(at, end); ok {
			places = append(places, p)
		}
	}
	return places
}

// original converts a place; not ok if it begins or ends inside of a character. Blanks that
// folding left out at its ends are not part of it.
func (f *folded) original(at, end int) (span, bool) {
	start, ok := f.offset(at, false)
	if !ok {
		return span{}, false
	}
	stop, ok := f.offset(end, true)
	return span{start, stop}, ok
}

// offset converts an offset; with blanks left out there, to that before or behind them.
func (f *folded) offset(at int, before bool) (int, bool) {
	i := sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].at > at }) - 1
	p := f.pieces[i]
	if p.at == at {
		if before {
			return p.from - p.blanks, true
		}
		return p.from, true
	}
	return p.from + at - p.at, p.same
}
