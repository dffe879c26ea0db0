package skim

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Servers that are written in JavaScript cut an answer between the two UTF-16 halves of a character. A
// half is kept in the three bytes that UTF-8 would have for it if it were a character, so that [Join]
// can put the pieces together; it never leaves an answer in that form.
const (
	halfSize   = 3             // bytes of a half
	halfLead   = 0xed          // its first byte
	escapeSize = len(`\ud83d`) // bytes of a half as JSON writes it
)

// UnquotePiece is [Unquote] for a piece of a longer text: the second half of a character at its beginning
// and the first half of one at its end are kept for [Join].
func UnquotePiece(raw []byte) string {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return Unquote(raw)
	}
	var head, tail string
	if n := escapeSize; len(inner) >= n && isHalf(inner[:n], "cdef") {
		head, inner = halfOf(inner[:n]), inner[n:]
	}
	if n := len(inner) - escapeSize; n >= 0 && isHalf(inner[n:], "89ab") && !escaped(inner[:n]) {
		tail, inner = halfOf(inner[n:]), inner[:n]
	}
	if head == "" && tail == "" {
		return Unquote(raw)
	}
	quoted := make([]byte, 0, len(inner)+2)
	quoted = append(append(append(quoted, '"'), inner...), '"')
	return head + Unquote(quoted) + tail
}

// AppendPiece appends what [UnquotePiece] returns.
func AppendPiece(dst, raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		dst, _ = jsontext.AppendUnquote(dst, raw) // its only error is about invalid UTF-8, which it replaces
		return dst
	}
	return append(dst, UnquotePiece(raw)...)
}

// isHalf reports whether an escape of six bytes is a half whose second digit is one of these.
func isHalf(escape []byte, digits string) bool {
	return escape[0] == '\\' && escape[1] == 'u' && escape[2]|0x20 == 'd' && strings.IndexByte(digits, escape[3]|0x20) >= 0
}

// escaped reports whether the character after text is escaped by a backslash at its end.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

// halfOf returns a half, which is written as an escape, as three bytes.
func halfOf(escape []byte) string {
	var r rune
	for _, c := range escape[2:] {
		r <<= 4
		switch {
		case c <= '9':
			r |= rune(c - '0')
		default:
			r |= rune(c|0x20-'a') + 10
		}
	}
	return string([]byte{halfLead, 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
}

// half returns the half at the beginning of s; 0 if there is none.
func half(s string) rune {
	if len(s) < halfSize || s[0] != halfLead || s[1] < 0xa0 || s[1] > 0xbf || s[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}

// Join puts the next piece of a text behind held, which an earlier call has kept back. It returns what is
// complete of it, and the first half of a character at its end, if there is one, to be held. Halves that
// stand alone elsewhere become U+FFFD.
func Join(held, piece string) (text, hold string) {
	if held == "" && !hasHalf(piece) {
		return piece, ""
	}
	piece = held + piece
	if n := len(piece) - halfSize; n >= 0 {
		if r := half(piece[n:]); r != 0 && r < 0xdc00 {
			piece, hold = piece[:n], piece[n:]
		}
	}
	var b strings.Builder
	for len(piece) > 0 {
		first := half(piece)
		if first == 0 {
			_, size := utf8.DecodeRuneInString(piece)
			b.WriteString(piece[:size])
			piece = piece[size:]
			continue
		}
		piece = piece[halfSize:]
		whole := utf16.DecodeRune(first, half(piece)) // U+FFFD for two that do not belong together
		if whole != utf8.RuneError {
			piece = piece[halfSize:]
		}
		b.WriteRune(whole)
	}
	return b.String(), hold
}

// hasHalf reports whether s holds a half anywhere.
func hasHalf(s string) bool {
	for i := strings.IndexByte(s, halfLead); i >= 0; {
		if half(s[i:]) != 0 {
			return true
		}
		next := strings.IndexByte(s[i+1:], halfLead)
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}
