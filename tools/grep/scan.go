package grep

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

const (
	blockSize = 64 << 10
	// maxLine is how much of a line is searched, in bytes: what bounds the memory for files
	// without line breaks.
	maxLine = 8 << 20
	// maxKept is how much text one file may contribute, in bytes: several times what a
	// result can show.
	maxKept = 256 << 10
	// maxChars is where a line that is shown is cut, in characters (Pi 0.85).
	maxChars = 500
)

// line is a line of a result.
type line struct {
	number int
	text   string
	match  bool // and not context
	cut    bool
}

// found is what was found in a file.
type found struct {
	lines []line
	// more says that there are more matches than the limit, or more text than can be shown.
	more, full bool
	// binary says that the search ended at a NUL byte.
	binary bool
	// longLines counts the lines of which only the beginning was searched.
	longLines int
	err       error
}

// scanner searches files one after another.
type scanner struct {
	*search
	stopped func() bool
	buf     []byte
	folded  []byte
	hits    []int
}

func newScanner(s *search) *scanner {
	return &scanner{search: s, buf: make([]byte, blockSize), hits: make([]int, len(s.matcher.literals))}
}

// scan searches a file. Like ripgrep, it stops at the first block with a NUL byte.
func (s *scanner) scan(ctx context.Context, r io.Reader) *found {
	s.stopped = func() bool { return ctx.Err() != nil }
	c := &collector{context: s.context, limit: s.limit, number: 1}
	n, r, err := begin(r, s.buf[:len(s.buf)-1])
	fresh, skipping := 0, false
	for !c.done() {
		if bytes.IndexByte(s.buf[fresh:n], 0) >= 0 {
			c.found.binary = true
			break
		}
		if skipping {
			n, skipping = dropLine(s.buf[:n])
			fresh = 0
		}
		last := err == io.EOF //nolint:errorlint // an io.EOF inside another error is a failure
		if last || bytes.IndexByte(s.buf[fresh:n], '\n') >= 0 {
			n = s.lines(c, n, last)
		}
		switch {
		case last:
			return &c.found
		case err != nil:
			c.found.err = err
			return &c.found
		case ctx.Err() != nil:
			c.found.err = context.Cause(ctx)
			return &c.found
		}
		if n == len(s.buf)-1 {
			n, skipping = s.makeRoom(c, n)
		}
		fresh = n
		n, err = r.Read(s.buf[n : len(s.buf)-1])
		n += fresh
	}
	return &c.found
}

// dropLine removes the rest of a line from the front of buf.
func dropLine(buf []byte) (n int, skipping bool) {
	_, rest, ended := bytes.Cut(buf, []byte{'\n'})
	return copy(buf, rest), !ended
}

// lines searches the complete lines among the first n bytes of the buffer, at the end of
// the file all of them, and moves what is left to the front. It returns how much that is.
func (s *scanner) lines(c *collector, n int, last bool) int {
	if last && n > 0 && s.buf[n-1] != '\n' {
		s.buf[n] = '\n'
		n++
	}
	end := bytes.LastIndexByte(s.buf[:n], '\n') + 1
	if end > 0 {
		s.block(c, s.buf[:end])
	}
	return copy(s.buf, s.buf[end:n])
}

// makeRoom grows the buffer for a line that does not fit. A line that is too long is
// searched as far as it goes, and the rest is skipped.
func (s *scanner) makeRoom(c *collector, n int) (int, bool) {
	if len(s.buf) < maxLine {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
		return n, false
	}
	s.buf[n] = '\n'
	s.block(c, s.buf[:n+1])
	c.found.longLines++
	return 0, true
}

func (s *scanner) block(c *collector, text []byte) {
	f := finder{m: s.matcher, text: text, folded: text, hits: s.hits, stopped: s.stopped}
	for i := range f.hits {
		f.hits[i] = -1
	}
	if s.matcher.lower {
		s.folded = appendLower(s.folded[:0], text)
		f.folded = s.folded
	}
	for pos := 0; !c.done(); {
		start, end, ok := f.next(pos)
		if !ok {
			c.skip(text[pos:])
			return
		}
		c.skip(text[pos:start])
		c.match(text[start:end])
		pos = end + 1
	}
}

// collector makes the lines of a result from matches and what is between them.
type collector struct {
	context, limit int
	found          found
	matches        int
	number         int // of the next line
	kept           int // bytes of text
	after          int // lines of context still to show after the last match
	// before are the latest lines since the last one shown, at most context.
	before []line
}

func (c *collector) done() bool { return c.found.more || c.found.full }

func (c *collector) add(l line) {
	c.kept += len(l.text)
	c.found.full = c.kept > maxKept
	c.found.lines = append(c.found.lines, l)
}

func (c *collector) match(text []byte) {
	if c.matches == c.limit {
		c.found.more = true
		return
	}
	for _, l := range c.before {
		c.add(l)
	}
	c.before = c.before[:0]
	l := newLine(c.number, text)
	l.match = true
	c.add(l)
	c.matches++
	c.number++
	c.after = c.context
}

// skip takes lines without a match, each with its newline. Those before a match are kept
// for its context, and so are those at the end of a block, which has no match yet.
func (c *collector) skip(text []byte) {
	for c.after > 0 && len(text) > 0 && !c.done() {
		end := bytes.IndexByte(text, '\n')
		c.add(newLine(c.number, text[:end]))
		text = text[end+1:]
		c.number++
		c.after--
	}
	c.number += bytes.Count(text, []byte{'\n'})
	if c.context > 0 {
		c.remember(text)
	}
}

// remember keeps the last lines of text, and of those before it, as context to come.
func (c *collector) remember(text []byte) {
	start, n := len(text), 0
	for start > 0 && n < c.context {
		start = bytes.LastIndexByte(text[:start-1], '\n') + 1
		n++
	}
	if drop := len(c.before) + n - c.context; drop > 0 {
		c.before = append(c.before[:0], c.before[drop:]...)
	}
	for number := c.number - n; number < c.number; number++ {
		end := start + bytes.IndexByte(text[start:], '\n')
		c.before = append(c.before, newLine(number, text[start:end]))
		start = end + 1
	}
}

// newLine copies what is shown of a line.
func newLine(number int, text []byte) line {
	const most = 8 * maxChars // more than maxChars characters have
	text = bytes.TrimSuffix(text, []byte{'\r'})
	long := len(text) > most
	shown, cut := truncate.Line(strings.ReplaceAll(string(text[:min(len(text), most)]), "\r", ""), maxChars)
	if cut || long {
		shown += "... [truncated]"
	}
	return line{number: number, text: shown, cut: cut || long}
}
