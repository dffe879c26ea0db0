package bash

import "unicode/utf8"

// sanitizer turns the bytes that a command writes into text that is safe to show and to
// send: valid UTF-8 without escape sequences and control characters, in lines that end
// with a newline alone. Bytes may be cut into pieces anywhere.
//
//   - Each maximal part of a UTF-8 sequence that cannot be completed becomes one U+FFFD,
//     as browsers decode.
//   - Escape sequences and control strings of terminals (ECMA-48) are dropped. One that is
//     broken off, by a newline for instance, ends there.
//   - A carriage return before a newline is dropped. Alone it ends a line: programs
//     redraw their progress with it.
//   - Tabs are kept. Other control characters, and the interlinear annotation marks
//     U+FFF9 to U+FFFB, are dropped: they break displays.
type sanitizer struct {
	state   state
	partial [utf8.UTFMax]byte // the beginning of a UTF-8 sequence
	n       int               // the length of partial
	cr      bool              // a carriage return has been seen, and not what follows it
	inLine  bool              // the current line has text
}

// state is where in an escape sequence the sanitizer is.
type state int

const (
	ground       state = iota
	escape             // after ESC
	intermediate       // in an escape sequence of more than two characters
	control            // in a control sequence (CSI)
	str                // in a control string (OSC, DCS and others)
	strEscape          // after ESC in a control string
)

const esc = 0x1b

// plain are the bytes that are characters of their own and pass unchanged.
var plain = func() (table [256]bool) {
	for b := ' '; b <= '~'; b++ {
		table[b] = true
	}
	table['\n'], table['\t'] = true, true
	return table
}()

// plainLen is how much of p passes unchanged when nothing is pending.
func plainLen(p []byte) int {
	for i := 0; i < len(p); {
		if plain[p[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRune(p[i:])
		if size < 2 || breaksDisplays(r) {
			return i
		}
		i += size
	}
	return len(p)
}

// breaksDisplays is true of the characters that are dropped.
func breaksDisplays(r rune) bool {
	return r < ' ' && r != '\t' || 0x7f <= r && r <= 0x9f || 0xfff9 <= r && r <= 0xfffb
}

// write appends the text of p to dst.
func (s *sanitizer) write(dst, p []byte) []byte {
	for i := 0; i < len(p); {
		if s.n == 0 {
			if s.state == ground && !s.cr {
				if run := plainLen(p[i:]); run > 0 {
					dst = append(dst, p[i:i+run]...)
					i += run
					s.inLine = p[i-1] != '\n'
					continue
				}
			}
			if r, size := utf8.DecodeRune(p[i:]); r != utf8.RuneError || size > 1 {
				dst = s.rune(dst, r)
				i += size
				continue
			}
		}
		dst = s.byte(dst, p[i])
		i++
	}
	return dst
}

// end appends what the end of the output makes of what is pending.
func (s *sanitizer) end(dst []byte) []byte {
	if s.n > 0 {
		s.n = 0
		dst = s.rune(dst, utf8.RuneError)
	}
	return dst
}

// byte decodes sequences that are invalid, or divided among pieces.
func (s *sanitizer) byte(dst []byte, b byte) []byte {
	if s.n > 0 && !s.continues(b) {
		s.n = 0
		dst = s.rune(dst, utf8.RuneError)
	}
	s.partial[s.n] = b
	s.n++
	switch want := sequenceLen(s.partial[0]); {
	case want == 0:
		s.n = 0
		return s.rune(dst, utf8.RuneError)
	case s.n < want:
		return dst
	}
	r, _ := utf8.DecodeRune(s.partial[:s.n])
	s.n = 0
	return s.rune(dst, r)
}

// sequenceLen is the length of a UTF-8 sequence by its first byte, 0 if none starts so.
func sequenceLen(first byte) int {
	switch {
	case first < 0x80:
		return 1
	case 0xc2 <= first && first <= 0xdf:
		return 2
	case 0xe0 <= first && first <= 0xef:
		return 3
	case 0xf0 <= first && first <= 0xf4:
		return 4
	}
	return 0
}

// continues reports whether b can follow the partial sequence (table 3-7 of the Unicode
// standard).
func (s *sanitizer) continues(b byte) bool {
	low, high := byte(0x80), byte(0xbf)
	if s.n == 1 {
		switch s.partial[0] {
		case 0xe0:
			low = 0xa0
		case 0xed:
			high = 0x9f
		case 0xf0:
			low = 0x90
		case 0xf4:
			high = 0x8f
		}
	}
	return low <= b && b <= high
}

func (s *sanitizer) rune(dst []byte, r rune) []byte {
	if s.state == ground || !s.inSequence(r) {
		return s.text(dst, r)
	}
	return dst
}

// inSequence advances an escape sequence. It reports false if r is not part of it, which
// has then ended.
func (s *sanitizer) inSequence(r rune) bool {
	if s.state == str || s.state == strEscape {
		return s.inString(r)
	}
	if r == esc {
		s.state = escape
		return true
	}
	was := s.state
	s.state = ground
	switch was {
	case escape:
		return s.afterEscape(r)
	case intermediate:
		if ' ' <= r && r <= '/' {
			s.state = intermediate
		}
		return ' ' <= r && r <= '~'
	default: // control
		if ' ' <= r && r <= '?' {
			s.state = control
		}
		return ' ' <= r && r <= '~'
	}
}

func (s *sanitizer) afterEscape(r rune) bool {
	switch {
	case r == '[':
		s.state = control
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		s.state = str
	case ' ' <= r && r <= '/':
		s.state = intermediate
	}
	return ' ' <= r && r <= '~'
}

func (s *sanitizer) inString(r rune) bool {
	const bell, cancel, substitute, terminator = 0x07, 0x18, 0x1a, 0x9c
	if s.state == strEscape {
		s.state = ground
		if r == '\\' {
			return true
		}
		s.state = escape
		return s.inSequence(r)
	}
	switch r {
	case bell, cancel, substitute, terminator:
		s.state = ground
	case esc:
		s.state = strEscape
	case '\n':
		s.state = ground
		return false
	}
	return true
}

// text appends a character that is not part of an escape sequence.
func (s *sanitizer) text(dst []byte, r rune) []byte {
	switch {
	case r == '\n':
		s.cr, s.inLine = false, false
		return append(dst, '\n')
	case r == '\r':
		s.cr = true
		return dst
	case r == esc:
		s.state = escape
		return dst
	case r == 0x9b:
		s.state = control
		return dst
	case r == 0x90 || r == 0x98 || 0x9d <= r && r <= 0x9f:
		s.state = str
		return dst
	case breaksDisplays(r):
		return dst
	}
	if s.cr && s.inLine {
		dst = append(dst, '\n')
	}
	s.cr, s.inLine = false, true
	return utf8.AppendRune(dst, r)
}
