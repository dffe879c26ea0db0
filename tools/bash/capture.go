package bash

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// capture keeps the end of a command's output in memory. As soon as there is more than a
// result can show, all of it goes to a file as well.
type capture struct {
	keep    int // how many bytes of the end are needed
	openLog func() *log

	mu      sync.Mutex
	clean   sanitizer
	scratch []byte
	tail    []byte // at least the last keep bytes, at most about twice as many
	short   shortened
	bytes   int
	lines   int // newlines
	open    bool
	log     *log // nil while a result can show everything
}

// newCapture returns a capture for output of which more than keep bytes are never shown.
func newCapture(ctx context.Context, h host.Host, keep int) *capture {
	return &capture{
		// To see that a line is cut takes more than the lines that fit.
		keep:    max(keep, truncate.DefaultMaxBytes) + 1024,
		openLog: func() *log { return openLog(ctx, h) },
		short:   shortened{keep: truncate.DefaultMaxBytes + 1024},
	}
}

// write adds a piece of output and returns its text, which is valid until the next call.
func (c *capture) write(p []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scratch = c.clean.write(c.scratch[:0], p)
	c.add(c.scratch)
	return c.scratch
}

// end closes the file, after the last piece. It returns text that was still pending.
func (c *capture) end() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scratch = c.clean.end(c.scratch[:0])
	c.add(c.scratch)
	if c.log != nil {
		c.log.close()
	}
	return c.scratch
}

func (c *capture) add(text []byte) {
	if len(text) == 0 {
		return
	}
	c.short.write(text)
	c.bytes += len(text)
	c.lines += bytes.Count(text, []byte("\n"))
	c.open = text[len(text)-1] != '\n'
	if c.log == nil && c.exceeds() {
		c.log = c.openLog()
		c.log.write(c.tail)
	}
	if c.log != nil {
		c.log.write(text)
	}
	if len(c.tail)+len(text) > 2*c.keep {
		end := c.tail[max(0, len(c.tail)-c.keep):]
		c.tail = c.tail[:copy(c.tail, end)]
		text = text[max(0, len(text)-c.keep):]
	}
	c.tail = append(c.tail, text...)
}

// totalLines counts as wc -l does, plus a last line without a newline.
func (c *capture) totalLines() int {
	if c.open {
		return c.lines + 1
	}
	return c.lines
}

// exceeds reports whether the output is too much for a result, as truncate.Tail decides.
func (c *capture) exceeds() bool {
	body := c.bytes
	if !c.open {
		body--
	}
	return c.totalLines() > truncate.DefaultMaxLines || body > truncate.DefaultMaxBytes
}

// shown returns what fits a result, and the file with all of the output if that is more: first
// the middle of long lines is left out, then the first lines.
func (c *capture) shown() (r truncate.Result, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.exceeds() {
		return truncate.Tail(string(c.tail), 0, 0), ""
	}
	text, cut := c.short.text()
	r = truncate.Tail(text, 0, 0)
	r.TotalLines, r.TotalBytes = c.totalLines(), c.bytes
	if cut && !r.Truncated {
		r.Truncated, r.TruncatedBy = true, truncate.ByBytes
	}
	return r, c.log.path
}

// fileNote tells where the output is as a whole.
func (c *capture) fileNote() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch l := c.log; {
	case l.err == nil:
		return "Full output: " + l.path
	case l.path == "":
		return fmt.Sprintf("The full output could not be saved: %v", l.err)
	default:
		return fmt.Sprintf("The beginning of the output is in %s; it is not saved as a whole: %v", l.path, l.err)
	}
}

// last returns the end of the output, in whole lines where possible.
func (c *capture) last(limit int) (text string, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := truncate.Tail(string(c.tail), len(c.tail)+1, limit)
	return r.Content, r.Truncated || c.bytes > len(c.tail)
}
