package conformance

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// validText replaces bytes that are no UTF-8 by U+FFFD, one for each longest beginning of
// a character, as browsers do.
func validText(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var b strings.Builder
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			size = brokenPrefix(data)
		}
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String()
}

// brokenPrefix is the length of the longest beginning of data that a valid character
// could begin with, and at least 1.
func brokenPrefix(data []byte) int {
	n := 1
	for n < len(data) && n < utf8.UTFMax && !utf8.FullRune(data[:n]) {
		n++
	}
	if n > 1 && utf8.FullRune(data[:n]) {
		n--
	}
	return n
}

// readLines yields the lines of a program's output. Only a line feed ends a line; what
// stands behind the last one is no line of the protocol, whatever it holds.
func readLines(out io.Reader) iter.Seq[ordered.Object] {
	return func(yield func(ordered.Object) bool) {
		in := bufio.NewReaderSize(out, 64<<10)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				if len(line) > 0 {
					yield(unparsed(line))
				}
				return
			}
			if !yield(parseLine(bytes.TrimSuffix(line, []byte("\n")))) {
				return
			}
		}
	}
}

// parseLines reads the lines of a session file that are not blank.
func parseLines(data []byte) []ordered.Object {
	lines := []ordered.Object{}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, parseSessionLine(line))
		}
	}
	return lines
}

// parseSessionLine is stricter than parseLine: a file is text for good, so what is no
// UTF-8 in it must show.
func parseSessionLine(line []byte) ordered.Object {
	if !utf8.Valid(line) {
		return unparsed(line)
	}
	return parseLine(line)
}

func parseLine(line []byte) ordered.Object {
	value, err := ordered.Parse([]byte(validText(line)))
	if object, ok := value.(ordered.Object); ok && err == nil {
		return object
	}
	return unparsed(line)
}

func unparsed(line []byte) ordered.Object { return ordered.Of("unparsed", validText(line)) }
