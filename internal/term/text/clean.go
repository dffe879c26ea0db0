package text

import (
	"strings"
	"unicode/utf8"
)

// tabWidth is how many cells a tab goes to the next multiple of.
const tabWidth = 4

// Clean makes text of unknown origin harmless: what remains has no control character but
// line breaks. Escape sequences that are complete are removed, since they only colour or
// move; what else commands a terminal or turns the direction of writing becomes a visible
// character. Tabs become spaces, and of a line that was overwritten by a carriage return the
// newest version remains.
func Clean(s string) string { return Expand(CleanSource(s)) }

// CleanSource is [Clean] for a text that is parsed before it is shown: its tabs stay. [Expand]
// replaces them where the place of a line on the screen is known.
func CleanSource(s string) string {
	if clean(s) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	lineStart := 0 // in b
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f {
			b = append(b, c)
			i++
			continue
		}
		switch c {
		case '\n':
			b = append(b, '\n')
			lineStart = len(b)
			i++
		case '\t':
			b = append(b, c)
			i++
		case '\r':
			i++
			for i < len(s) && s[i] == '\r' {
				i++
			}
			if i < len(s) && s[i] != '\n' {
				b = b[:lineStart]
			}
		case 0x1b:
			if n := sequence(s[i:]); n > 0 {
				i += n
				continue
			}
			b = append(b, visible(rune(c))...)
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = append(b, visible(r)...)
			i += n
		}
	}
	return string(b)
}

// Expand replaces tabs by spaces, up to the next multiple of four characters of their line.
func Expand(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	column := 0
	for _, r := range s {
		switch r {
		case '\t':
			n := tabWidth - column%tabWidth
			b = append(b, "    "[:n]...)
			column += n
		case '\n':
			b = append(b, '\n')
			column = 0
		default:
			b = utf8.AppendRune(b, r)
			column++
		}
	}
	return string(b)
}

// clean reports whether nothing in s has to be changed.
func clean(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < 0x80 {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if hidden(r) || r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
	}
	return true
}

// hidden reports whether a character commands the terminal, or changes the order in which
// text is read.
func hidden(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029
}

// visible returns what is shown for a character.
func visible(r rune) string {
	switch {
	case r < 0x20:
		return string(rune(0x2400) + r) // ␀ to ␟
	case r == 0x7f:
		return "␡"
	case hidden(r) || r == utf8.RuneError:
		return "\uFFFD"
	}
	return string(r)
}

// longestSequence bounds how much of a text an escape sequence may hide.
const longestSequence = 4096

// sequence returns the length of the complete escape sequence at the beginning of s; 0 if
// there is none. Strings such as titles end on their own line.
func sequence(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch c := s[1]; {
	case c == '[':
		return controlSequence(s)
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
		return controlString(s)
	case c >= 0x30 && c <= 0x7e:
		return 2
	case c >= 0x20 && c < 0x30 && len(s) > 2 && s[2] >= 0x30 && s[2] <= 0x7e:
		return 3
	}
	return 0
}

// controlSequence is ESC [ parameters intermediates final.
func controlSequence(s string) int {
	for i := 2; i < min(len(s), 64); i++ {
		switch c := s[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return 0
		}
	}
	return 0
}

// controlString is ESC ] and its like, up to BEL or ESC \.
func controlString(s string) int {
	for i := 2; i < min(len(s), longestSequence); i++ {
		switch s[i] {
		case '\a':
			return i + 1
		case '\n':
			return 0
		case 0x1b:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 0
		}
	}
	return 0
}

// OneLine makes text of unknown origin a single line.
func OneLine(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }
