package html

import (
	"iter"
	"strings"
)

// The parser of markdown takes time that grows with the square of some texts, and many
// times their memory. So it gets a long text in parts.
const (
	// partSize is how long a part is at least, before it ends at the next blank line.
	partSize = 16 << 10
	// maxPart is how much of a part may stand outside of code before it is not parsed.
	maxPart = 32 << 10
	// maxTotal is how long a part may be with its code.
	maxTotal = 128 << 10
	// maxLine is how long a line may be that is parsed.
	maxLine = 8 << 10
)

// parts divides a text at blank lines, where no block can go on over them. The second
// value says whether a part can be parsed in reasonable time.
func parts(source string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		start, pos, prose, long := 0, 0, 0, false
		tame := func() bool { return !long && prose <= maxPart && pos-start <= maxTotal }
		fence, blank := "", false
		for line := range strings.Lines(source) {
			if fence == "" && blank && pos-start >= partSize && !strings.ContainsAny(line[:1], " \t\n\r") {
				if !yield(source[start:pos], tame()) {
					return
				}
				start, prose, long = pos, 0, false
			}
			blank = strings.TrimSpace(line) == ""
			fence = fenceAfter(line, fence)
			if fence == "" {
				prose += len(line)
				long = long || len(line) > maxLine
			}
			pos += len(line)
		}
		if start < len(source) {
			yield(source[start:], tame())
		}
	}
}

// fenceAfter returns the fence of the code that goes on behind a line; empty if there is
// none.
func fenceAfter(line, fence string) string {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || text == "" || text[0] != '`' && text[0] != '~' {
		return fence
	}
	rest := strings.TrimLeft(text, text[:1])
	mark := text[:len(text)-len(rest)]
	switch {
	case fence == "" && len(mark) >= 3 && (mark[0] == '~' || !strings.Contains(rest, "`")):
		return mark
	case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(rest) == "":
		return ""
	}
	return fence
}
