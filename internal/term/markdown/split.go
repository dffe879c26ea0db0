package markdown

import "strings"

// Split returns how many bytes of a text that is still growing are finished: whole blocks
// which no later text can change. It is 0 if there are none. The rest begins with a block.
//
// A block is finished when an empty line and then one that belongs to no list or quotation
// before it have come. A fence is open until it is closed.
func Split(src string) int {
	var s splitter
	for pos := 0; pos < len(src); {
		end := strings.IndexByte(src[pos:], '\n')
		if end < 0 {
			s.start(src[pos:], pos)
			break
		}
		s.line(src[pos:pos+end], pos)
		pos += end + 1
	}
	return s.safe
}

// SplitCode divides a block of code whose fence is still open once it has more than twice as
// many lines as most: n is how many bytes make a block of their own when closing is put behind
// them, and opening then begins the rest. n is 0 if there is nothing to divide.
func SplitCode(src string, most int) (n int, closing, opening string) {
	first, rest, ok := strings.Cut(src, "\n")
	mark := fence(strings.TrimSpace(first))
	if !ok || mark == "" || strings.HasPrefix(first, " ") || strings.Count(rest, "\n") <= 2*most {
		return 0, "", ""
	}
	n = len(first) + 1
	for range most {
		line, _, _ := strings.Cut(src[n:], "\n")
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, mark) && strings.Trim(trimmed, mark[:1]) == "" {
			return 0, "", "" // it is closed
		}
		n += len(line) + 1
	}
	return n, mark, first + "\n"
}

type splitter struct {
	safe  int
	fence string // what opened it; empty outside of code
	blank bool   // the line before is empty
}

// line looks at a complete line.
func (s *splitter) line(line string, pos int) {
	trimmed := strings.TrimSpace(line)
	if s.fence != "" {
		if strings.HasPrefix(trimmed, s.fence) && strings.Trim(trimmed, s.fence[:1]) == "" {
			s.fence = ""
		}
		s.blank = false
		return
	}
	s.start(line, pos)
	s.blank = trimmed == ""
	s.fence = fence(trimmed)
}

// start looks at the beginning of a line, which may be all that there is of it.
func (s *splitter) start(line string, pos int) {
	if s.fence == "" && s.blank && line != "" && line[0] != ' ' && line[0] != '\t' && line[0] != '\r' {
		s.safe = pos
	}
}

// fence returns the marks that open a fence; empty if the line does not.
func fence(line string) string {
	for _, mark := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, mark))
		if n >= 3 && !(mark == "`" && strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}
