package jsonl_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func TestLaw_S5_TornLastLine(t *testing.T) {
	a, b := message("aaaaaaa1", "", "a"), message("aaaaaaa2", "aaaaaaa1", "b")
	for _, test := range []struct {
		name, content string
		want          []string
	}{
		{"cut in the middle", header + a + b[:45], []string{"a", "new"}},
		{"only the newline is missing", header + a + strings.TrimSuffix(b, "\n"), []string{"a", "b", "new"}},
		{"cut to one byte", header + a + "{", []string{"a", "new"}},
		{"cut inside a character", header + a + strings.TrimSuffix(message("aaaaaaa2", "aaaaaaa1", "\u4e16"), "\"}],\"timestamp\":1}}\n")[:140], []string{"a", "new"}},
		{"header without newline", strings.TrimSuffix(header, "\n"), []string{"new"}},
		{"carriage returns", strings.ReplaceAll(header+a, "\n", "\r\n") + b, []string{"a", "b", "new"}},
		{"byte order mark", byteOrderMark + header + a, []string{"a", "new"}},
		{"blank lines", header + "\n \n" + a + "\n", []string{"a", "new"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := write(t, test.content)
			s := open(t, file)
			if read(t, file) != test.content {
				t.Error("opening changed the file")
			}
			mustAppend(t, s, storetest.User("new"))
			s.Close()
			if !strings.HasPrefix(read(t, file), test.content) {
				t.Error("appending changed earlier bytes")
			}
			wantPath(t, open(t, file), test.want...)
		})
	}
}

const byteOrderMark = "\xef\xbb\xbf"

func TestLaw_S5_BrokenLineDoesNotCutTheBranch(t *testing.T) {
	a, b := message("aaaaaaa1", "", "a"), message("aaaaaaa2", "aaaaaaa1", "b")
	c, side, d := message("aaaaaaa3", "aaaaaaa2", "c"), message("aaaaaaa4", "aaaaaaa1", "side"), message("aaaaaaa5", "aaaaaaa3", "d")
	for _, test := range []struct {
		name, content string
		want          []string
		problems      int
	}{
		{"damaged in the middle", a + b + strings.Replace(c, `"role"`, `"ro`, 1) + d, []string{"a", "b", "d"}, 1},
		{"a side branch comes first", a + b + strings.Replace(c, `"role"`, `"ro`, 1) + side + d, []string{"a", "b", "d"}, 1},
		{"nothing of it can be read", a + b + "#####\n" + side + d, []string{"a", "b", "d"}, 1},
		{"the line is missing", a + b + d, []string{"a", "b", "d"}, 1},
		{"two children", a + b + "#####\n" + d + message("aaaaaaa6", "aaaaaaa3", "e"), []string{"a", "b", "e"}, 1},
		{"parent below its child", a + message("aaaaaaa2", "aaaaaaa3", "b") + message("aaaaaaa3", "aaaaaaa2", "c"), []string{"a", "b", "c"}, 1},
		{"its own parent", a + message("aaaaaaa2", "aaaaaaa2", "b"), []string{"a", "b"}, 1},
		{"an id twice", a + b + message("aaaaaaa2", "aaaaaaa1", "other b") + c, []string{"a", "other b", "c"}, 1},
		{"ids that are numbers", a + `{"type":"message","id":5,"parentId":6}` + "\n" + d, []string{"a", "d"}, 1},
		{"a second header", a + header + b, []string{"a", "b"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, write(t, header+test.content))
			wantPath(t, s, test.want...)
			if len(s.Problems()) != test.problems {
				t.Errorf("problems are %v", s.Problems())
			}
			for _, p := range s.Problems() {
				if p.Line < 2 || p.Offset < int64(len(header)) {
					t.Errorf("the place of %v is wrong", p)
				}
			}
			parent := transcript.EntryID("")
			branch, err := transcript.Branch(s, s.Leaf())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range branch {
				if e.Base().ParentID != parent {
					t.Errorf("entry %s has parent %q, want %q", e.Base().ID, e.Base().ParentID, parent)
				}
				parent = e.Base().ID
			}
		})
	}
}

func TestEntriesWithoutIDKeepTheirPlace(t *testing.T) {
	file := write(t, header+message("aaaaaaa1", "", "a")+`{"type":"message","message":{"role":"user","content":"b"}}`+"\n")
	s := open(t, file)
	wantPath(t, s, "a", "b")
	mustAppend(t, s, storetest.User("c"))
	s.Close()
	wantPath(t, open(t, file), "a", "b", "c")
}
