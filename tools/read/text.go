package read

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/encoding/unicode"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// selection is the lines that are asked for, both included.
type selection struct{ first, last int }

// keepBytes is enough of the selection to see that it is above the limit: decoding makes
// no text shorter.
const keepBytes = truncate.DefaultMaxBytes + 16

// window looks at a file piece by piece. It keeps the beginning of the selected lines and
// measures the rest, so that a file of any size takes the same memory.
type window struct {
	selection
	kept []byte
	// newlines counts those seen; openLine says that bytes follow the last of them.
	newlines int
	openLine bool
	// size is that of the selection in bytes.
	size int
	// firstLine is the length of the selection's first line.
	firstLine     int
	firstLineDone bool
}

func (w *window) add(piece []byte) {
	if len(piece) == 0 {
		return
	}
	w.openLine = piece[len(piece)-1] != '\n'
	before, rest := takeLines(piece, w.first-1-w.newlines)
	w.newlines += bytes.Count(before, newline)
	selected, after := takeLines(rest, w.last-w.newlines)
	w.newlines += bytes.Count(selected, newline) + bytes.Count(after, newline)
	w.keep(selected)
}

var newline = []byte{'\n'}

// takeLines splits b behind its n-th newline.
func takeLines(b []byte, n int) (taken, rest []byte) {
	if n <= 0 {
		return nil, b
	}
	if n > len(b) || n > bytes.Count(b, newline) {
		return b, nil
	}
	end := 0
	for range n {
		end += bytes.IndexByte(b[end:], '\n') + 1
	}
	return b[:end], b[end:]
}

func (w *window) keep(selected []byte) {
	w.size += len(selected)
	w.kept = append(w.kept, selected[:min(len(selected), keepBytes-len(w.kept))]...)
	if w.firstLineDone || len(selected) == 0 {
		return
	}
	end := bytes.IndexByte(selected, '\n')
	if w.firstLineDone = end >= 0; !w.firstLineDone {
		end = len(selected)
	}
	w.firstLine += end
}

// total is the number of lines in the file.
func (w *window) total() int {
	if w.openLine {
		return w.newlines + 1
	}
	return w.newlines
}

func readText(source *source, name string, lines selection) (*agent.ToolResult, error) {
	w := &window{selection: lines}
	if err := source.pieces(w.add); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	total := w.total()
	if w.first > max(total, 1) {
		return nil, fmt.Errorf("read %s: offset %d is beyond the end: the file has %s", name, w.first, count(total, "line"))
	}
	cut := w.truncate()
	result := &agent.ToolResult{Content: ai.TextContent(w.text(name, cut))}
	if !cut.Truncated {
		return result, nil
	}
	var err error
	if result.Details, err = json.Marshal(details{cut}); err != nil {
		return nil, fmt.Errorf("write the details of %s: %w", Name, err)
	}
	return result, nil
}

// truncate applies the limits to the selection.
func (w *window) truncate() truncate.Result {
	cut := truncate.Head(decode(w.kept), 0, 0)
	if w.size > len(w.kept) {
		cut.TotalLines = min(w.last, w.total()) - w.first + 1
		cut.TotalBytes = w.size
	}
	return cut
}

// decode replaces what is not UTF-8, as web browsers do.
func decode(b []byte) string {
	// The decoder never fails: it has a replacement for everything.
	text, _ := unicode.UTF8.NewDecoder().Bytes(b)
	return string(text)
}

// text is what the model sees: the lines and, in brackets, what it does not see.
func (w *window) text(name string, cut truncate.Result) string {
	total, end := w.total(), w.first+cut.OutputLines-1
	switch {
	case cut.FirstLineExceedsLimit:
		return fmt.Sprintf("[Line %d has %s, more than the %s that fit. Look at parts of it in a shell: sed -n '%dp' %s | head -c %d]",
			w.first, truncate.Size(int64(w.firstLine)), truncate.Size(int64(cut.MaxBytes)), w.first, shellQuote(name), cut.MaxBytes)
	case cut.Truncated && cut.TruncatedBy == truncate.ByBytes:
		return note(cut.Content, "Lines %d-%d of %d, cut at %s. Read on with offset=%d.", w.first, end, total, truncate.Size(int64(cut.MaxBytes)), end+1)
	case cut.Truncated:
		return note(cut.Content, "Lines %d-%d of %d. Read on with offset=%d.", w.first, end, total, end+1)
	case w.last < total:
		return note(cut.Content, "%s in the file. Read on with offset=%d.", count(total-w.last, "more line"), w.last+1)
	case w.last == total && !w.openLine:
		return note(cut.Content, "The file ends here.")
	}
	return cut.Content
}

func note(content, format string, args ...any) string {
	return strings.TrimSuffix(content, "\n") + "\n\n[" + fmt.Sprintf(format, args...) + "]"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shellQuote makes name one word of a shell command.
func shellQuote(name string) string {
	if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,%@") == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
