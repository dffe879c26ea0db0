package text

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// Writer makes what is written harmless for the terminal that may show it: each Write is a text of
// its own, which goes through [CleanSource]. It is for texts that people read.
type Writer struct{ w io.Writer }

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.w, CleanSource(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// JSONWriter does the same for lines of JSON, which stay what they are: a character that commands a
// terminal is written as its escape sequence of JSON. Those below U+0020 are never in JSON.
type JSONWriter struct{ w io.Writer }

// NewJSONWriter returns a writer of JSON to w.
func NewJSONWriter(w io.Writer) *JSONWriter { return &JSONWriter{w} }

// Write implements [io.Writer].
func (w *JSONWriter) Write(p []byte) (int, error) {
	text := p
	if !clean(string(p)) {
		text = make([]byte, 0, len(p)+32)
		for i := 0; i < len(p); {
			r, n := utf8.DecodeRune(p[i:])
			if r >= 0x7f && hidden(r) {
				text = fmt.Appendf(text, `\u%04x`, r)
			} else {
				text = append(text, p[i:i+n]...)
			}
			i += n
		}
	}
	if _, err := w.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}
