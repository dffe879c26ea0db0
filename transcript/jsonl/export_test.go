package jsonl

import "github.com/rondo-agent/rondo/transcript"

// Scan feeds a line to a scanner in pieces and returns what it finds; false if it gives up.
func Scan(line []byte, size int) (head transcript.EntryHead, object []byte, found bool) {
	var l loader
	l.scan.reset()
	for rest := line; len(rest) > 0; {
		n := min(size, len(rest))
		l.scan.feed(rest[:n])
		rest = rest[n:]
	}
	if !l.scan.found() {
		return head, nil, false
	}
	return l.head(), line[l.scan.begin:l.scan.end], true
}
