package bash

import (
	"bytes"

	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// A line that is longer than both together is shown with its beginning and its end: one long line
// must not push all others out of a result.
const (
	maxLineStart = 2 << 10 // bytes
	maxLineEnd   = 2 << 10
)

// shortened keeps the end of a text, of whose long lines the middle is left out.
type shortened struct {
	keep int    // how many bytes of the end are needed
	out  []byte // at least those, at most about twice as many
	cut  bool   // the middle of some line is left out
	// The rest is about the line that has no end yet.
	start int    // how much of it is in out
	full  bool   // no more of it goes there
	end   []byte // at least the last maxLineEnd bytes of what does not
	rest  int    // how many bytes do not
}

// write adds valid UTF-8, which ends between two characters.
func (s *shortened) write(text []byte) {
	for len(text) > 0 {
		line, after, ended := bytes.Cut(text, []byte("\n"))
		s.grow(line)
		if ended {
			s.out = append(s.pending(s.out), '\n')
			s.cut = s.cut || s.long()
			s.start, s.full, s.end, s.rest = 0, false, s.end[:0], 0
		}
		text = after
		if len(s.out) > 2*s.keep {
			s.out = s.out[:copy(s.out, s.out[len(s.out)-s.keep:])]
		}
	}
}

// grow adds a piece of the line.
func (s *shortened) grow(piece []byte) {
	if !s.full {
		begin := truncate.Prefix(string(piece[:min(len(piece), maxLineStart+4)]), maxLineStart-s.start)
		s.out = append(s.out, begin...)
		s.start += len(begin)
		s.full = len(begin) < len(piece)
		piece = piece[len(begin):]
	}
	s.rest += len(piece)
	if len(piece) > 2*maxLineEnd {
		piece = piece[len(piece)-2*maxLineEnd:]
	}
	if s.end = append(s.end, piece...); len(s.end) > 4*maxLineEnd {
		s.end = s.end[:copy(s.end, s.end[len(s.end)-2*maxLineEnd:])]
	}
}

// long reports whether the middle of the line is left out.
func (s *shortened) long() bool { return s.rest > maxLineEnd }

// pending appends to dst what the line has beyond its start.
func (s *shortened) pending(dst []byte) []byte {
	if !s.long() {
		return append(dst, s.end...)
	}
	end := truncate.Suffix(string(s.end), maxLineEnd)
	dst = append(dst, " … ["+truncate.Size(int64(s.rest-len(end)))+" left out] … "...)
	return append(dst, end...)
}

// text returns the text so far, and whether something is left out of a line.
func (s *shortened) text() (string, bool) {
	return string(s.pending(bytes.Clone(s.out))), s.cut || s.long()
}
