package jsonl_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func FuzzLines(f *testing.F) {
	f.Add([]byte(header + message("aaaaaaa1", "", "a") + message("aaaaaaa2", "aaaaaaa1", "b")))
	f.Add([]byte(header + message("aaaaaaa1", "", "a")[:50]))
	f.Add([]byte(header + message("aaaaaaa1", "", "a")[:50] + message("aaaaaaa2", "aaaaaaa1", "b")))
	f.Add([]byte(header + `{"type":"x","id":"aaaaaaa1"}{"type":"x","id":"aaaaaaa1","parentId":"aaaaaaa1"}`))
	f.Add([]byte("notes\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		if old(content) {
			content = append([]byte(header), content...) // older versions are rewritten
		}
		file := write(t, string(content))
		s, err := jsonl.Open(file, &jsonl.Options{Header: transcript.NewHeader("/work")})
		if err != nil {
			if read(t, file) != string(content) {
				t.Fatal("a refused file was changed")
			}
			return
		}
		defer s.Close()
		if s.Header().Version != transcript.Version {
			t.Skip()
		}
		readable := countReadable(content)
		if s.Len() < readable {
			t.Fatalf("%d entries of %d readable ones", s.Len(), readable)
		}
		before, err := storetest.Texts(s.Entries())
		if err != nil {
			t.Fatal(err)
		}
		if s.Leaf() != "" {
			path(t, s)
		}
		mustAppend(t, s, storetest.User("appended"))
		s.Close()
		if !strings.HasPrefix(read(t, file), string(content)) {
			t.Fatal("earlier bytes were changed")
		}
		again := open(t, file)
		after, err := storetest.Texts(again.Entries())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append(before, "appended"), after); diff != "" {
			t.Fatalf("after appending (-want +got):\n%s", diff)
		}
	})
}

// old reports whether a line of content is the header of an older version.
func old(content []byte) bool {
	for line := range bytes.Lines(content) {
		if h, err := transcript.DecodeHeader(bytes.TrimSpace(line)); err == nil && h.Version < transcript.Version {
			return true
		}
	}
	return false
}

// countReadable counts the lines that are entries, behind the header.
func countReadable(content []byte) int {
	n := 0
	for line := range bytes.Lines(content) {
		if head, err := transcript.DecodeHead(line); err == nil && head.Type != transcript.TypeSession {
			n++
		}
	}
	return n
}
