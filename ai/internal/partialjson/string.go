package partialjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

func (s *scanner) beginString() {
	inside := inString
	if s.state == atName || s.state == atFirstName {
		inside = inName
	}
	s.next(inside)
	s.token, s.decoded, s.escaped = s.pos, nil, false
	s.dirty = s.dirty || inside == inString
}

// readString reads on in a string. It returns false if it needs bytes that are not there
// yet.
func (s *scanner) readString() bool {
	for s.pos < len(s.text) {
		s.readPlain()
		if s.pos == len(s.text) {
			return false
		}
		switch s.text[s.pos] {
		case '"':
			s.endString()
			return true
		case '\\':
			if !s.readEscape() {
				return false
			}
		default:
			if !utf8.FullRuneInString(s.text[s.pos:]) {
				return false
			}
			s.replace(1, utf8.RuneError)
		}
	}
	return false
}

// readPlain reads up to a quote, a backslash or a byte that is no UTF-8. Control
// characters are not allowed by JSON and are taken as they are.
func (s *scanner) readPlain() {
	from := s.pos
	i := from
	for i < len(s.text) {
		c := s.text[i]
		if c == '"' || c == '\\' {
			break
		}
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	if i == from {
		return
	}
	if s.escaped {
		s.decoded = append(s.decoded, s.text[from:i]...)
	}
	s.pos = i
	s.changed()
}

func (s *scanner) changed() { s.dirty = s.dirty || s.state == inString }

// replace reads n bytes, which stand for r.
func (s *scanner) replace(n int, r rune) {
	if !s.escaped {
		so := s.text[s.token:s.pos]
		s.decoded = append(make([]byte, 0, 2*len(so)+utf8.UTFMax), so...)
		s.escaped = true
	}
	s.decoded = utf8.AppendRune(s.decoded, r)
	s.pos += n
	s.changed()
}

// stringValue returns the string so far, without copying it: bytes that have been read
// are never changed.
func (s *scanner) stringValue() string {
	if !s.escaped {
		return s.text[s.token:s.pos]
	}
	return unsafe.String(unsafe.SliceData(s.decoded), len(s.decoded))
}

func (s *scanner) endString() {
	value := s.stringValue()
	s.decoded, s.escaped = nil, false
	if s.state == inName {
		s.top().name = value
		s.next(atColon)
		return
	}
	s.pos++
	s.add(value)
}

// readEscape reads an escape. It returns false if the escape is not whole yet.
func (s *scanner) readEscape() bool {
	const letters, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	rest := s.text[s.pos:]
	if len(rest) < 2 {
		return false
	}
	if rest[1] == 'u' {
		return s.readUnicodeEscape(rest)
	}
	if i := strings.IndexByte(letters, rest[1]); i >= 0 {
		s.replace(2, rune(meanings[i]))
	} else {
		s.replace(1, '\\')
	}
	return true
}

func (s *scanner) readUnicodeEscape(rest string) bool {
	r, n := hexRune(rest)
	if n < 0 {
		s.replace(1, '\\')
		return true
	}
	if n == 0 {
		return false
	}
	if !utf16.IsSurrogate(r) {
		s.replace(n, r)
		return true
	}
	low, m := hexRune(rest[n:])
	pair := utf16.DecodeRune(r, low)
	switch {
	case m > 0 && pair != utf8.RuneError:
		s.replace(n+m, pair)
	case m == 0 && utf16.DecodeRune(r, 0xDC00) != utf8.RuneError: // a low surrogate may be coming
		return false
	default:
		s.replace(n, utf8.RuneError)
	}
	return true
}

// hexRune reads an escape of the form \u0000. The number of its bytes is 0 if s is only
// the beginning of one, and negative if s is none.
func hexRune(s string) (r rune, n int) {
	const form = `\u0000`
	for i := range len(form) {
		if i == len(s) {
			return 0, 0
		}
		if i < 2 {
			if s[i] != form[i] {
				return 0, -1
			}
			continue
		}
		digit := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if digit < 0 || s[i] < '0' {
			return 0, -1
		}
		r = r<<4 | rune(digit)
	}
	return r, len(form)
}
