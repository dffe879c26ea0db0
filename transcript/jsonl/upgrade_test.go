package jsonl_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

const version1 = `{"type":"session","id":"11111111-1111-4111-8111-111111111111","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w","provider":"lab"}
{"type":"message","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"old question"}],"timestamp":1735689600000}}
{"type":"message","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Old answer."}],"model":"m","z":1,"a":2.0}}
{"type":"compaction","timestamp":"2025-01-01T00:00:03.000Z","summary":"s","firstKeptEntryIndex":2,"tokensBefore":9}
not a line
{"type":"thinking_level_change","timestamp":"2025-01-01T00:00:03.000Z","thinkingLevel":"off"}`

const version2 = `{"type":"session","version":2,"id":"22222222-1111-4111-8111-111111111111","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w"}
{"type":"message","id":"ddddddd1","parentId":null,"timestamp":"2025-01-01T00:00:14.000Z","message":{"role":"user","content":[{"type":"text","text":"old question"}],"timestamp":1735689600000}}
{"type":"message","id":"ddddddd2","parentId":"ddddddd1","timestamp":"2025-01-01T00:00:15.000Z","message":{"role":"hookMessage","customType":"x","content":"from a hook","display":true,"timestamp":1735689600000}}
{"type":"message","id":"ddddddd3","parentId":"ddddddd1","timestamp":"2025-01-01T00:00:16.000Z","message":{"role":"user","content":"on a branch"}}
`

func TestVersion1(t *testing.T) {
	for _, content := range []string{version1, version1 + "\n", byteOrderMark + version1} {
		file := write(t, content)
		s := open(t, file)
		wantPath(t, s, "old question", "Old answer.", transcript.TypeCompaction, transcript.TypeThinkingLevel)
		branch, err := transcript.Branch(s, s.Leaf())
		if err != nil {
			t.Fatal(err)
		}
		if c := branch[2].(*transcript.CompactionEntry); c.FirstKeptEntryID != branch[1].Base().ID {
			t.Errorf("the first kept entry is %q, want %q", c.FirstKeptEntryID, branch[1].Base().ID)
		}
		mustAppend(t, s, storetest.User("go on"))
		s.Close()

		text := strings.TrimPrefix(read(t, file), byteOrderMark)
		if !strings.HasPrefix(text, `{"type":"session","version":3,"id":"11111111-1111-4111-8111-111111111111",`) {
			t.Errorf("the header became %.120s", text)
		}
		for _, want := range []string{`"provider":"lab"}`, "\nnot a line\n", `"z":1,"a":2.0`} {
			if !strings.Contains(text, want) {
				t.Errorf("%q was lost", want)
			}
		}
		wantPath(t, open(t, file), "old question", "Old answer.", transcript.TypeCompaction, transcript.TypeThinkingLevel, "go on")
		leftovers(t, file)
	}
}

func TestVersion2(t *testing.T) {
	file := write(t, version2)
	s := open(t, file)
	wantPath(t, s, "old question", "on a branch")
	e, err := s.Entry("ddddddd2")
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := transcript.EntryMessage(e).(*transcript.CustomMessage); !ok || m.Content.Text != "from a hook" {
		t.Errorf("the hook's message is %#v", transcript.EntryMessage(e))
	}
	want := strings.Replace(strings.Replace(version2, `"version":2`, `"version":3`, 1),
		`{"role":"hookMessage","customType":"x","content":"from a hook","display":true,"timestamp":1735689600000}`,
		`{"content":"from a hook","customType":"x","display":true,"role":"custom","timestamp":1735689600000}`, 1)
	if diff := cmp.Diff(want, read(t, file)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	leftovers(t, file)
}

func TestReadingDoesNotRewrite(t *testing.T) {
	for _, content := range []string{version1, version2} {
		file := write(t, content)
		s, err := jsonl.Open(file, &jsonl.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := path(t, s); got[0] != "old question" {
			t.Errorf("path %q", got)
		}
		s.Close()
		if read(t, file) != content {
			t.Error("the file was changed")
		}
	}
}

func TestUpgradedFileStaysLocked(t *testing.T) {
	file := write(t, version2)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	s := open(t, link)
	if _, err := jsonl.Open(file, nil); err == nil {
		t.Error("a second writer was let in")
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	s.Close()
	open(t, file)
}

// leftovers checks that nothing but the session is in its folder.
func leftovers(t *testing.T, file string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != filepath.Base(file) && runtime.GOOS != "windows" {
			t.Errorf("%s was left behind", f.Name())
		}
	}
}
