package jsonl

import (
	"io"
	"slices"
)

// recentBytes bounds the lines that a store keeps in memory.
const recentBytes = 1 << 20

// recent keeps the newest lines of a session in memory, so that a file that another program has
// emptied can be written again.
type recent struct {
	lines map[int][]byte // by the position of the entry, without the newline
	first int            // the oldest that may be there
	size  int
}

// fill keeps the newest lines of a file that was opened.
func (c *recent) fill(records []record, data io.ReaderAt) {
	first, size := len(records), 0
	for first > 0 && size+records[first-1].size <= recentBytes {
		first--
		size += records[first].size
	}
	c.lines, c.first, c.size = make(map[int][]byte, len(records)-first), first, 0
	if size == 0 {
		return
	}
	begin := records[first].off
	last := records[len(records)-1]
	all := make([]byte, last.off+int64(last.size)-begin)
	if _, err := data.ReadAt(all, begin); err != nil {
		return
	}
	for i := first; i < len(records); i++ {
		c.add(i, all, record{off: records[i].off - begin, size: records[i].size})
	}
}

// add keeps the line of the entry at position i, which r says where it is in buf.
func (c *recent) add(i int, buf []byte, r record) {
	if c.lines == nil {
		c.lines = make(map[int][]byte)
	}
	c.lines[i] = slices.Clone(buf[r.off : r.off+int64(r.size)])
	for c.size += r.size; c.size > recentBytes && c.first < i; c.first++ {
		c.size -= len(c.lines[c.first])
		delete(c.lines, c.first)
	}
}
