package jsonl

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/transcript"
)

// entryStart is how the writers of session files begin an entry. No content block begins
// like this.
var entryStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{"type":"[^"]{1,64}","id":"[^"]{1,64}","parentId":`)
})

// maxStarts bounds the work on one damaged line.
const maxStarts = 16

// salvage takes the whole entries out of a line that is not one entry: two that were
// written without a newline between them, or one behind the beginning of another.
func (l *loader) salvage(line []byte, off int64, cause error) {
	found := 0
	for tries := 0; len(line) > 0; {
		if head, raw, n := firstEntry(line); n > 0 {
			l.add(head, off+int64(n-len(raw)), len(raw))
			line, off = skip(line, off, n)
			found++
			continue
		}
		n := len(line)
		if tries++; tries <= maxStarts {
			if at := entryStart().FindIndex(line[1:]); at != nil {
				n = at[0] + 1
			}
		}
		l.lose(line[:n])
		line, off = skip(line, off, n)
	}
	if found > 0 {
		cause = fmt.Errorf("%w; %d entries on this line were found", cause, found)
	}
	l.report(off, cause)
}

// firstEntry returns the entry that text begins with and how many bytes it takes, leading
// white space included; 0 if there is none.
func firstEntry(text []byte) (head transcript.EntryHead, raw []byte, n int) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	raw, err := d.ReadValue()
	if err != nil {
		return head, nil, 0
	}
	if head, err = transcript.DecodeHead(raw); err != nil || head.ID == "" {
		return head, nil, 0
	}
	return head, bytes.Clone(raw), int(d.InputOffset())
}

var (
	idField     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"id":"([^"\\]{1,64})"`) })
	parentField = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"parentId":"([^"\\]{1,64})"`) })
)

// lose remembers where the children of an entry belong that cannot be read.
func (l *loader) lose(text []byte) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return
	}
	text = text[:min(len(text), 512)]
	parent := len(l.records) - 1
	if m := parentField().FindSubmatch(text); m != nil {
		if i, ok := l.index.Find(transcript.EntryID(m[1])); ok {
			parent = i
		}
	}
	if m := idField().FindSubmatch(text); m != nil {
		l.lost[transcript.EntryID(m[1])] = parent
		return
	}
	l.gap, l.hasGap = parent, true
}
