// Package textfile turns the bytes of a file into text, and text into the bytes of a file: UTF-8,
// or what the byte order mark at the beginning says, as in files of PowerShell and of Windows'
// editors.
package textfile

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// Encoding says how a file has its text.
type Encoding int

// The encodings. The zero value is UTF-8 without a byte order mark.
const (
	UTF8 Encoding = iota
	UTF8Mark
	UTF16LE
	UTF16BE
)

// marks begin files of each encoding.
var marks = [...]string{UTF8: "", UTF8Mark: "\xef\xbb\xbf", UTF16LE: "\xff\xfe", UTF16BE: "\xfe\xff"}

// MarkLen is how many bytes of a file [Detect] needs.
const MarkLen = 3

// Detect returns the encoding of a file that begins with head.
func Detect(head []byte) Encoding {
	for e := UTF16BE; e > UTF8; e-- {
		if bytes.HasPrefix(head, []byte(marks[e])) {
			return e
		}
	}
	return UTF8
}

// Mark returns the byte order mark of the encoding, which is no part of the text.
func (e Encoding) Mark() string { return marks[e] }

// Wide reports whether the encoding is UTF-16.
func (e Encoding) Wide() bool { return e == UTF16LE || e == UTF16BE }

// String names the encoding.
func (e Encoding) String() string {
	return [...]string{"UTF-8", "UTF-8 with a byte order mark", "UTF-16 (little-endian)", "UTF-16 (big-endian)"}[e]
}

// wide is UTF-16 without looking at marks.
func (e Encoding) wide() encoding.Encoding {
	if e == UTF16BE {
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
}

// Decode returns the text of a file, which is valid UTF-8 without a byte order mark: U+FFFD
// stands for what is not valid.
func Decode(data []byte) (string, Encoding) {
	e := Detect(data)
	body := data[len(e.Mark()):]
	if !e.Wide() {
		return strings.ToValidUTF8(string(body), "\ufffd"), e
	}
	text, _ := e.wide().NewDecoder().Bytes(body) // it replaces what is wrong
	return string(text), e
}

// Encode returns the bytes of a file with a text.
func (e Encoding) Encode(text string) []byte {
	if !e.Wide() {
		return []byte(e.Mark() + text)
	}
	body, _ := e.wide().NewEncoder().Bytes([]byte(text)) // it replaces what is wrong
	return append([]byte(e.Mark()), body...)
}

// Reader returns the text that is behind the byte order mark of the encoding, from r, which
// stands there. What is not valid UTF-8 stays as it is; what is not valid UTF-16 is U+FFFD.
func (e Encoding) Reader(r io.Reader) io.Reader {
	if !e.Wide() {
		return r
	}
	return e.wide().NewDecoder().Reader(r)
}
