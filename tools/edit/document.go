package edit

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/rondo-agent/rondo/internal/textfile"
)

// document is a file's text as edits see it: without byte order mark, and every line
// ended by a plain newline.
type document struct {
	raw  []byte
	text string
	// skipped is the length of the byte order mark.
	skipped int
	// returns are the places in text of the newlines that are CR LF in raw.
	returns []int
	// lineEnd is that of the file's first line, for new lines.
	lineEnd string
	// folded is made when it is first needed.
	folded *folded
}

// narrow returns the content of a file as UTF-8. It refuses UTF-16 that could not be written
// back as it is.
func narrow(data []byte) ([]byte, textfile.Encoding, error) {
	e := textfile.Detect(data)
	if !e.Wide() {
		return data, e, nil
	}
	text, _ := textfile.Decode(data)
	if !bytes.Equal(e.Encode(text), data) {
		return nil, e, fmt.Errorf("the file is in %s and has bytes that are no character there; change it with a command instead", e)
	}
	return []byte(text), e, nil
}

// widen undoes narrow.
func widen(data []byte, e textfile.Encoding) []byte {
	if !e.Wide() {
		return data
	}
	return e.Encode(string(data))
}

const byteOrderMark = "\ufeff"

func newDocument(raw []byte) *document {
	d := &document{raw: raw, lineEnd: "\n"}
	body := raw
	if bytes.HasPrefix(raw, []byte(byteOrderMark)) {
		d.skipped = len(byteOrderMark)
		body = raw[d.skipped:]
	}
	if !bytes.Contains(body, []byte("\r\n")) {
		d.text = string(body)
		return d
	}
	if i := bytes.IndexByte(body, '\n'); body[max(i-1, 0)] == '\r' {
		d.lineEnd = "\r\n"
	}
	var text strings.Builder
	text.Grow(len(body))
	for {
		i := bytes.Index(body, []byte("\r\n"))
		if i < 0 {
			text.Write(body)
			break
		}
		text.Write(body[:i])
		d.returns = append(d.returns, text.Len())
		text.WriteByte('\n')
		body = body[i+2:]
	}
	d.text = text.String()
	return d
}

// plainLines is text with plain newlines and without a byte order mark.
func plainLines(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, byteOrderMark), "\r\n", "\n")
}

// rawOffset converts an offset in text to one in raw.
func (d *document) rawOffset(offset int) int {
	return d.skipped + offset + sort.SearchInts(d.returns, offset)
}

// line is the number of the line that an offset in text is in, counted from 1.
func (d *document) line(offset int) int { return 1 + strings.Count(d.text[:offset], "\n") }

// change replaces text[start:end].
type change struct {
	start, end int
	newText    string
}

// apply returns the file after changes, which are in order and do not overlap.
func (d *document) apply(changes []change) []byte {
	var out bytes.Buffer
	out.Grow(len(d.raw))
	last := 0
	for _, c := range changes {
		out.Write(d.raw[last:d.rawOffset(c.start)])
		newText := c.newText
		if d.lineEnd != "\n" {
			newText = strings.ReplaceAll(newText, "\n", d.lineEnd)
		}
		out.WriteString(newText)
		last = d.rawOffset(c.end)
	}
	out.Write(d.raw[last:])
	return out.Bytes()
}
