package jsonl_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// A scanner may give up on a line that is an entry, but what it takes for one must be one,
// with the same head, in whichever pieces it comes.
func checkScan(t *testing.T, line string, mustFind bool) {
	t.Helper()
	want, err := transcript.DecodeHead([]byte(line))
	for _, size := range []int{1, 3, 8, len(line) + 1} {
		head, object, found := jsonl.Scan([]byte(line), size)
		switch {
		case !found && mustFind:
			t.Errorf("%q in pieces of %d: not found", line, size)
		case !found:
		case err != nil:
			t.Errorf("%q: found, but it is no entry: %v", line, err)
		case head.Type != want.Type || head.ID != want.ID || head.ParentID != want.ParentID:
			t.Errorf("%q: head %q %q %q, want %q %q %q", line, head.Type, head.ID, head.ParentID, want.Type, want.ID, want.ParentID)
		case string(object) != strings.TrimSpace(line):
			t.Errorf("%q: the object is %q", line, object)
		}
	}
}

func TestScan_FindsEntries(t *testing.T) {
	for _, line := range []string{
		message("aaaaaaa1", "", "a"),
		message("aaaaaaa2", "aaaaaaa1", "quotes \" and \\ and \u4e16\U0001f600, new\nlines"),
		" {\"id\" : \"a\" , \"type\":\"x\" }\t\r\n",
		`{"type":"x","id":"a","parentId":null,"n":[0,-1,10,1.5,-0.25e+10,2E5,[],{},[[{"a":[true,false,null]}]]]}`,
		`{"type":"x","message":{"type":"y","id":5,"parentId":[]},"id":"a"}`,
		`{"type":"x","id":"a","id":"b","parentId":"p","parentId":null}`,
		`{"type":"x"}`,
		`{"type":"x","text":"half \ud83d of a pair, \u00e9, \/"}`,
		"{\"type\":\"x\",\"text\":\"\xff\xfe\"}",
	} {
		checkScan(t, line, true)
	}
}

func TestScan_GivesUp(t *testing.T) {
	for _, line := range []string{
		"", " ", "null", "5", "[]", `"x"`, "{", "}", "{}", `{"id":"a"}`, `{"type":""}`, `{"type":5}`, `{"type":null}`, `{"type":"x","id":5}`, `{"type":"x","parentId":{}}`,
		`{"type":"x"}{"type":"x"}`, `{"type":"x"} x`, `{"type":"x",}`, `{"type":"x","a"}`, `{"type":"x","a":}`, `{"type":"x" "a":1}`, `{,"type":"x"}`, `{type:"x"}`,
		`{"type":"x","a":[1,]}`, `{"type":"x","a":[1 2]}`, `{"type":"x","a":[1}`, `{"type":"x","a":{1]}`, `{"type":"x","a":]}`, `{"type":"x","a":[}}`,
		`{"type":"x","a":01}`, `{"type":"x","a":1.}`, `{"type":"x","a":.5}`, `{"type":"x","a":-}`, `{"type":"x","a":+1}`, `{"type":"x","a":1e}`, `{"type":"x","a":1e+}`, `{"type":"x","a":1.5.5}`, `{"type":"x","a":0x1}`,
		`{"type":"x","a":tru}`, `{"type":"x","a":nulll}`, `{"type":"x","a":True}`,
		`{"type":"x","a":"\q"}`, `{"type":"x","a":"\u12g4"}`, `{"type":"x","a":"\u12"}`, "{\"type\":\"x\",\"a\":\"\x01\"}", "{\"type\":\"x\",\"a\":\"b\nc\"}", `{"type":"x","a":"b`,
		"\x00\x00{\"type\":\"x\"}", byteOrderMark + `{"type":"x"}`,
		// Entries all the same, for who reads them as usual:
		`{"\u0074ype":"x"}`, `{"type":"\u0078"}`, `{"type":"é"}`, `{"type":"x","id":"` + strings.Repeat("a", 300) + `"}`,
		`{"type":"x","a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
	} {
		checkScan(t, line, false)
		if _, _, found := jsonl.Scan([]byte(line), 7); found {
			t.Errorf("%q: taken for an entry", line)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add(message("aaaaaaa1", "aaaaaaa0", "text \\ \" \n"))
	f.Add(`{"type":"x","id":null,"a":[1,-2.5e+3,{"b":[true,false,null]}]} `)
	f.Add(`{"type":"\u0078","id":"é"}`)
	f.Fuzz(func(t *testing.T, line string) { checkScan(t, line, false) })
}

// Lines that are longer than the buffer are found as well, whole or damaged, and what is
// around them.
func TestLongLines(t *testing.T) {
	const long = 700 << 10
	a, b, c := message("aaaaaaa1", "", "a"), message("aaaaaaa2", "aaaaaaa1", strings.Repeat("b", long)), message("aaaaaaa3", "aaaaaaa2", "c")
	torn := b[:long/2]
	for _, test := range []struct {
		name, content string
		want          []string
	}{
		{"whole", a + b + c, []string{"a", strings.Repeat("b", long), "c"}},
		{"the last one", a + b, []string{"a", strings.Repeat("b", long)}},
		{"without its newline", a + strings.TrimSuffix(b, "\n"), []string{"a", strings.Repeat("b", long)}},
		{"torn", a + torn + "\n" + c, []string{"a", "c"}},
		{"torn at the end", a + torn, []string{"a"}},
		{"torn, with an entry behind it", a + torn + c, []string{"a", "c"}},
		{"exactly the buffer", a + "{" + strings.Repeat(" ", 256<<10-2) + "\n" + c, []string{"a", "c"}},
	} {
		t.Run(test.name, func(t *testing.T) { wantPath(t, open(t, write(t, header+test.content)), test.want...) })
	}
}

// The text of a session is not in memory once it is open, however long its lines are.
func TestMemoryOfAnOpenSession(t *testing.T) {
	const size, most = 64 << 20, 4 << 20
	file := filepath.Join(t.TempDir(), "s.jsonl")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString(header)
	f.WriteString(message("aaaaaaa1", "", "a"))
	f.WriteString(strings.TrimSuffix(message("aaaaaaa2", "aaaaaaa1", ""), `"}],"timestamp":1}}`+"\n"))
	for piece := bytes.Repeat([]byte("0123456789abcde "), 1<<16); ; {
		if info, err := f.Stat(); err != nil || info.Size() > size/2 {
			break
		}
		f.Write(piece)
	}
	f.WriteString(`"}],"timestamp":1}}` + "\n")
	parent := "aaaaaaa2"
	for i := range 64 {
		id := "bbbbbb" + string("0123456789abcdef"[i/16]) + string("0123456789abcdef"[i%16])
		f.WriteString(message(id, parent, strings.Repeat("line of a file\n", size/2/64/15)))
		parent = id
	}
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	s := open(t, file)
	if got := allocated() - before; got > most {
		t.Errorf("opening a session of %d MB allocated %d KB", size>>20, got>>10)
	}
	if s.Len() != 66 || len(s.Problems()) != 0 {
		t.Errorf("%d entries, problems %v", s.Len(), s.Problems())
	}
}
