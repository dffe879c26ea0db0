package html

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// page writes HTML. Its methods that take text escape it; raw takes what this package has
// written itself. The first error of the writer stays; see check.
type page struct{ w *bufio.Writer }

func newPage(w io.Writer) *page { return &page{bufio.NewWriterSize(w, 64<<10)} }

// check returns the first error of the writer.
func (p *page) check() error {
	if _, err := p.w.Write(nil); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// raw writes markup.
func (p *page) raw(parts ...string) {
	for _, part := range parts {
		p.w.WriteString(part)
	}
}

// rawf writes markup with numbers; text must not be among the values.
func (p *page) rawf(format string, values ...any) { fmt.Fprintf(p.w, format, values...) }

// text writes prose.
func (p *page) text(s string) { p.escape(s, false) }

// code writes text in which every character matters.
func (p *page) code(s string) { p.escape(s, true) }

// attr writes an attribute; name is one of ours. Line breaks become spaces.
func (p *page) attr(name, value string) {
	if strings.ContainsAny(value, "\n\t\r") {
		value = strings.Join(strings.Fields(value), " ")
	}
	p.raw(" ", name, `="`)
	p.text(value)
	p.raw(`"`)
}

// clean returns text as escape writes it, so that its length is known.
func clean(s string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf && (escaped[c] == "" || c >= ' ' && c < 0x7f) {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if by, special := replacement(r, size, false); special {
			b.WriteString(s[from:i])
			b.WriteString(by)
			from = i + size
		}
		i += size
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// escape writes text so that it is nothing but text. Control characters other than tabs
// and line breaks are dropped, which HTML does not allow.
func (p *page) escape(s string, exact bool) {
	from := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf && escaped[c] == "" {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		by, special := replacement(r, size, exact)
		if special {
			p.w.WriteString(s[from:i])
			p.w.WriteString(by)
			from = i + size
		}
		i += size
	}
	p.w.WriteString(s[from:])
}

// dropped stands for characters that are not written.
const dropped = "\x00"

// escaped are the replacements of ASCII characters; empty for those that stay.
var escaped = [utf8.RuneSelf]string{
	'<': "&lt;", '>': "&gt;", '&': "&amp;", '"': "&#34;", '\'': "&#39;", '\r': "\n",
	0: dropped, 1: dropped, 2: dropped, 3: dropped, 4: dropped, 5: dropped, 6: dropped, 7: dropped, 8: dropped,
	0xb: dropped, 0xc: dropped, 0xe: dropped, 0xf: dropped, 0x10: dropped, 0x11: dropped, 0x12: dropped, 0x13: dropped,
	0x14: dropped, 0x15: dropped, 0x16: dropped, 0x17: dropped, 0x18: dropped, 0x19: dropped, 0x1a: dropped,
	0x1b: dropped, 0x1c: dropped, 0x1d: dropped, 0x1e: dropped, 0x1f: dropped, 0x7f: dropped,
}

// replacement returns what is written for a character, unless it stays.
func replacement(r rune, size int, exact bool) (string, bool) {
	switch {
	case r < utf8.RuneSelf:
		by := escaped[r]
		return strings.TrimPrefix(by, dropped), by != ""
	case r == utf8.RuneError && size == 1:
		return "\uFFFD", true
	case r < 0xa0 || 0xfdd0 <= r && r <= 0xfdef || r&0xfffe == 0xfffe:
		return "", true
	case turnsDirection(r) && exact:
		return fmt.Sprintf(`<i class="u">U+%04X</i>`, r), true
	case turnsDirection(r):
		return fmt.Sprintf("U+%04X", r), true
	}
	return "", false
}

// turnsDirection is true of the characters that make text look like other text. They are shown.
func turnsDirection(r rune) bool {
	return 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}
