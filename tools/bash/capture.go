package bash

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// spillLimit bounds the file of one command, so that an endless output does not fill the
// disk.
const spillLimit = 4 << 30

var errSpillLimit = errors.New("the output is larger than " + truncate.Size(spillLimit))

// capture keeps the end of a command's output in memory. As soon as there is more than a
// result can show, all of it goes to a file as well.
type capture struct {
	keep int // how many bytes of the end are needed

	mu      sync.Mutex
	clean   sanitizer
	scratch []byte
	tail    []byte // at least the last keep bytes, at most about twice as many
	bytes   int
	lines   int // newlines
	open    bool
	file    *os.File
	path    string
	written int64
	err     error // why the file lacks something
}

// newCapture returns a capture for output of which more than keep bytes are never shown.
func newCapture(keep int) *capture {
	// To see that a line is cut takes more than the lines that fit.
	return &capture{keep: max(keep, truncate.DefaultMaxBytes) + 1024}
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
	if c.file != nil {
		if err := c.file.Close(); err != nil && c.err == nil {
			c.err = err
		}
		c.file = nil
	}
	return c.scratch
}

func (c *capture) add(text []byte) {
	if len(text) == 0 {
		return
	}
	c.bytes += len(text)
	c.lines += bytes.Count(text, []byte("\n"))
	c.open = text[len(text)-1] != '\n'
	if c.path == "" && c.err == nil && c.exceeds() {
		c.create()
		c.spill(c.tail)
	}
	c.spill(text)
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

func (c *capture) create() {
	var id [8]byte
	rand.Read(id[:]) // never fails
	path := filepath.Join(os.TempDir(), "rondo-bash-"+hex.EncodeToString(id[:])+".log")
	c.file, c.err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if c.err == nil {
		c.path = path
	}
}

func (c *capture) spill(text []byte) {
	if c.file == nil || c.err != nil {
		return
	}
	if c.written += int64(len(text)); c.written > spillLimit {
		c.err = errSpillLimit
		return
	}
	_, c.err = c.file.Write(text)
}

// shown returns what fits a result, and the file with all of the output if that is more.
func (c *capture) shown() (r truncate.Result, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r = truncate.Tail(string(c.tail), 0, 0)
	r.TotalLines, r.TotalBytes = c.totalLines(), c.bytes
	return r, c.path
}

// fileNote tells where the output is as a whole.
func (c *capture) fileNote() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err == nil:
		return "Full output: " + c.path
	case c.path == "":
		return fmt.Sprintf("The full output could not be saved: %v", c.err)
	default:
		return fmt.Sprintf("The beginning of the output is in %s; it could not be saved as a whole: %v", c.path, c.err)
	}
}

// last returns the end of the output, in whole lines where possible.
func (c *capture) last(limit int) (text string, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := truncate.Tail(string(c.tail), len(c.tail)+1, limit)
	return r.Content, r.Truncated || c.bytes > len(c.tail)
}
