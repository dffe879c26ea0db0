package jsonl_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func TestMain(m *testing.M) {
	if runChild() {
		return
	}
	goleak.VerifyTestMain(m)
}

func TestStore(t *testing.T) {
	t.Run("New", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) transcript.Store {
			return create(t, filepath.Join(t.TempDir(), "a", "s.jsonl"))
		})
	})
	t.Run("Saved", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) transcript.Store {
			return open(t, write(t, header))
		})
	})
}

const header = `{"type":"session","version":3,"id":"s1","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/work"}` + "\n"

// message is a line with a message of the user.
func message(id, parent, text string) string {
	if parent != "" {
		parent = `"` + parent + `"`
	} else {
		parent = "null"
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":%q}],"timestamp":1}}`, id, parent, text) + "\n"
}

func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func create(t testing.TB, path string) *jsonl.Store {
	t.Helper()
	s, err := jsonl.Create(path, transcript.NewHeader("/work"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func open(t testing.TB, path string) *jsonl.Store {
	t.Helper()
	s, err := jsonl.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustAppend(t testing.TB, s transcript.Store, entries ...transcript.Entry) {
	t.Helper()
	if err := s.Append(entries...); err != nil {
		t.Fatal(err)
	}
}

// path returns the texts from the root to the leaf.
func path(t testing.TB, s transcript.Store) []string {
	t.Helper()
	texts, err := storetest.Texts(s.Ancestors(s.Leaf()))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(texts)
	return texts
}

func wantPath(t *testing.T, s transcript.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, path(t, s)); diff != "" {
		t.Errorf("path (-want +got):\n%s", diff)
	}
}

func TestConcurrentRecordsStayWhole(t *testing.T) {
	file := write(t, header)
	s := open(t, file)
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for range 10 {
				if err := s.Append(storetest.User(strings.Repeat(string(rune('a'+w)), 200<<10))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s.Close()
	again := open(t, file)
	if again.Len() != 20 || len(again.Problems()) != 0 || len(path(t, again)) != 20 {
		t.Errorf("%d entries, problems %v", again.Len(), again.Problems())
	}
}

func TestWeldedRecordsAreBothFound(t *testing.T) {
	a, b, c := message("aaaaaaa1", "", "a"), message("aaaaaaa2", "aaaaaaa1", "b"), message("aaaaaaa3", "aaaaaaa2", "c")
	for _, test := range []struct {
		name, line string
		want       []string
	}{
		{"two whole records", strings.TrimSuffix(a, "\n") + b + c, []string{"a", "b", "c"}},
		{"a whole one behind a torn one", a + b[:60] + c, []string{"a", "c"}},
		{"a torn one behind a whole one", strings.TrimSuffix(a, "\n") + b[:60] + "\n" + c, []string{"a", "c"}},
		{"zeros of a lost block", a + strings.Repeat("\x00", 100) + b + c, []string{"a", "b", "c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, write(t, header+test.line))
			wantPath(t, s, test.want...)
			if len(s.Problems()) == 0 {
				t.Error("the damage was not reported")
			}
		})
	}
}

func TestWrongFilesStayAsTheyAre(t *testing.T) {
	for _, content := range []string{
		"my notes\nmore notes\n",
		"{\"type\":\"message\"}\n" + header,
		"{}\n",
		"[1,2]\n",
		"\n\n",
		`{"type":"session","version":3,"id":"../x","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}` + "\n",
		`{"type":"session","version":9,"id":"s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}` + "\n",
		strings.Repeat("x", 2<<20) + "\n" + header,
	} {
		file := write(t, content)
		_, err := jsonl.Open(file, &jsonl.Options{Header: transcript.NewHeader("/work")})
		if _, ok := errors.AsType[*jsonl.FormatError](err); !ok {
			t.Errorf("%.40q: error is %v", content, err)
		}
		if read(t, file) != content {
			t.Errorf("%.40q was changed", content)
		}
	}
	if _, err := jsonl.Open(t.TempDir(), nil); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := jsonl.Open(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestEmptyFileIsInitialised(t *testing.T) {
	file := write(t, "")
	h := transcript.NewHeader("/work")
	s, err := jsonl.Open(file, &jsonl.Options{Header: h})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, &transcript.ModelEntry{Provider: "p", ModelID: "m"})
	if read(t, file) != "" {
		t.Error("written before the first message")
	}
	mustAppend(t, s, storetest.User("a"))
	s.Close()
	again := open(t, file)
	if again.Header().ID != h.ID {
		t.Errorf("header %+v", again.Header())
	}
	wantPath(t, again, transcript.TypeModel, "a")
}

func TestLongChain(t *testing.T) {
	s := open(t, write(t, chain(200_000)))
	roots := 0
	for e, err := range s.Ancestors(s.Leaf(), transcript.TypeInfo) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Base().ParentID != "" {
			t.Errorf("the root has parent %q", e.Base().ParentID)
		}
		roots++
	}
	if roots != 1 || s.Len() != 200_000 || len(s.Problems()) != 0 {
		t.Errorf("%d roots, %d entries, problems %v", roots, s.Len(), s.Problems())
	}
}

// chain returns a file with n entries, each the parent of the next; the first is a name.
func chain(n int) string {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString(`{"type":"session_info","id":"00000000","parentId":null,"timestamp":"2025-01-01T00:00:01.000Z","name":"root"}` + "\n")
	for i := 1; i < n; i++ {
		b.WriteString(message(fmt.Sprintf("%08x", i), fmt.Sprintf("%08x", i-1), "x"))
	}
	return b.String()
}

func TestFileExistsFromTheFirstUserMessage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sessions", "--work--", "s.jsonl")
	s := create(t, file)
	mustAppend(t, s, &transcript.ModelEntry{Provider: "lab", ModelID: "m"})
	mustAppend(t, s, &transcript.ThinkingLevelEntry{ThinkingLevel: "off"})
	if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, fs.ErrNotExist) || s.Saved() {
		t.Errorf("something is on disk before the first message: %v", err)
	}
	wantPath(t, s, transcript.TypeModel, transcript.TypeThinkingLevel)
	mustAppend(t, s, storetest.User("go"))
	lines := strings.Split(strings.TrimSuffix(read(t, file), "\n"), "\n")
	if len(lines) != 4 || !s.Saved() {
		t.Fatalf("the file has %d lines after the first user message", len(lines))
	}
	for i, want := range []string{
		`{"type":"session","version":3,"id":"` + s.Header().ID + `","timestamp":"`,
		`{"type":"model_change","id":"`,
		`{"type":"thinking_level_change","id":"`,
		`{"type":"message","id":"`,
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %s", i+1, lines[i])
		}
	}
	if info, _ := os.Stat(file); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	s.Close()
	wantPath(t, open(t, file), transcript.TypeModel, transcript.TypeThinkingLevel, "go")
}

func TestCreationNeverOverwrites(t *testing.T) {
	file := write(t, header)
	s := create(t, file)
	if err := s.Append(storetest.User("a")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error is %v", err)
	}
	if read(t, file) != header || s.Len() != 0 {
		t.Error("the refused append left something")
	}
}

func TestFileOrderIsAppendOrder(t *testing.T) {
	file := write(t, header)
	s := open(t, file)
	var ids []transcript.EntryID
	for i := range 50 {
		e := storetest.User(fmt.Sprint(i))
		mustAppend(t, s, e)
		ids = append(ids, e.ID)
	}
	i := 0
	for line := range strings.Lines(read(t, file)[len(header):]) {
		if want := fmt.Sprintf(`{"type":"message","id":"%s",`, ids[i]); !strings.HasPrefix(line, want) {
			t.Errorf("line %d is %.60s, want %s", i, line, want)
		}
		i++
	}
}

func TestToleratesWhatOthersWrote(t *testing.T) {
	lines := []string{
		`{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2025-01-01T00:00:01Z","message":{"role":"user","content":"a string"}}`,
		`{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":1735689601000,"message":{"role":"assistant","content":[{"type":"text","text":"no usage"}]}}`,
		`{"type":"future_thing",  "id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"","x":{"y":1.50},"z":[ ]}`,
		`{"type":"message","id":"aaaaaaa4","parentId":"aaaaaaa3","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"oddity","a":1}}`,
		`{"type":"message","id":"aaaaaaa5","parentId":"aaaaaaa4","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"half \ud83d"}]}}`,
		`{"type":"message","id":"aaaaaaa6","parentId":"aaaaaaa5","timestamp":"2025-01-01T00:00:01.000Z","extra":true,"message":{"role":"user","content":[{"type":"text","text":"last","new":1}]}}`,
	}
	content := header + strings.Join(lines, "\n") + "\n"
	file := write(t, content)
	s := open(t, file)
	wantPath(t, s, "a string", "no usage", "future_thing", "message", "half \ufffd", "last")
	for i, id := range []transcript.EntryID{"aaaaaaa1", "aaaaaaa2", "aaaaaaa3", "aaaaaaa4"} {
		e, err := s.Entry(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(e.Base().Raw()); got != lines[i] {
			t.Errorf("raw is %s, want %s", got, lines[i])
		}
	}
	mustAppend(t, s, storetest.User("more"))
	if got := read(t, file); !strings.HasPrefix(got, content) {
		t.Error("earlier bytes were changed")
	}
}

func TestBadContentDoesNotSpoilTheSession(t *testing.T) {
	for _, content := range []string{`null`, `"str"`, `[]`, `[null]`, `["str"]`, `{}`, `5`, `[{"type":"text","text":7}]`} {
		s := open(t, write(t, header+
			message("aaaaaaa1", "", "a")+
			`{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"t","content":`+content+`}}`+"\n"+
			message("aaaaaaa3", "aaaaaaa2", "b")))
		if got := path(t, s); len(got) != 3 || got[0] != "a" || got[2] != "b" {
			t.Errorf("content %s: path %q", content, got)
		}
		if _, err := transcript.Project(s, s.Leaf()); err != nil {
			t.Errorf("content %s: %v", content, err)
		}
	}
}

func TestFullDiskIsAnErrorAndChangesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a limit on the size of files")
	}
	file := write(t, header+message("aaaaaaa1", "", "a"))
	cmd, out, in := child(t, "full", file)
	in.Close()
	first, _ := out.ReadString('\n')
	second, _ := out.ReadString('\n')
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if first != "true true true true\n" {
		t.Errorf("error, leaf kept, length kept, entry untouched: %s", first)
	}
	if second != "<nil>\n" {
		t.Errorf("the second try: %s", second)
	}
	s := open(t, file)
	wantPath(t, s, "a", strings.Repeat("y", 500))
	if len(s.Problems()) != 0 {
		t.Errorf("the failed write left %v", s.Problems())
	}
}

func TestLaw_S5_OneWriterAtATime(t *testing.T) {
	file := write(t, header+message("aaaaaaa1", "", "a"))
	cmd, out, in := child(t, "hold", file)
	if line, err := out.ReadString('\n'); err != nil || line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	link := file + ".link"
	if err := os.Symlink(file, link); err != nil {
		link = file
	}
	for _, name := range []string{file, link} {
		_, err := jsonl.Open(name, nil)
		locked, ok := errors.AsType[*jsonl.LockedError](err)
		if !ok || locked.Path != name || !strings.Contains(err.Error(), name) {
			t.Errorf("error is %v, want one that names %s", err, name)
		} else if runtime.GOOS == "linux" && locked.PID != cmd.Process.Pid {
			t.Errorf("the error names process %d, want %d", locked.PID, cmd.Process.Pid)
		}
	}
	reader, err := jsonl.Open(file, &jsonl.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	wantPath(t, reader, "a")
	if err := reader.Append(storetest.User("b")); !errors.Is(err, transcript.ErrReadOnly) {
		t.Errorf("appending while reading: %v", err)
	}
	reader.Close()
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s := open(t, file)
	if _, err := jsonl.Open(file, nil); err == nil {
		t.Error("the same process could open the session twice")
	} else if !strings.Contains(err.Error(), "this process") && runtime.GOOS == "linux" {
		t.Errorf("error is %v", err)
	}
	s.Close()
	open(t, file)
}

func TestLaw_S5_AKilledWriterDoesNotKeepTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no fork")
	}
	file := write(t, header+message("aaaaaaa1", "", "a"))
	cmd, out, in := child(t, "bequeath", file)
	defer in.Close()
	if line, err := out.ReadString('\n'); err != nil || line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	wantPath(t, open(t, file), "a")
}

func TestLaw_S5_KilledWriterLosesNothing(t *testing.T) {
	testKilled(t, "append", 20, func(round int) int { return 1 + round*7%40 })
}

func TestKilledAmidLargeRecords(t *testing.T) {
	testKilled(t, "append large", 10, func(round int) int { return 1 + round%4 })
}

// testKilled kills a child after it has acknowledged some entries, again and again.
func testKilled(t *testing.T, task string, rounds int, after func(round int) int) {
	file := write(t, header)
	var acknowledged []transcript.EntryID
	for round := range rounds {
		cmd, out, in := child(t, task, file)
		for range after(round) {
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatalf("the writer says %q, %v", line, err)
			}
			acknowledged = append(acknowledged, transcript.EntryID(strings.TrimSuffix(line, "\n")))
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for { // what it acknowledged before it died
			line, err := out.ReadString('\n')
			if err != nil {
				break
			}
			acknowledged = append(acknowledged, transcript.EntryID(strings.TrimSuffix(line, "\n")))
		}
		in.Close()
		cmd.Wait()
	}
	s := open(t, file)
	for _, id := range acknowledged {
		if _, err := s.Entry(id); err != nil {
			t.Fatalf("an acknowledged entry is lost: %v", err)
		}
	}
	if got := len(path(t, s)); got != s.Len() {
		t.Errorf("%d of %d entries are reachable", got, s.Len())
	}
}

func TestForeignWriterIsNoticed(t *testing.T) {
	file := write(t, header)
	s := open(t, file)
	mustAppend(t, s, storetest.User("a"))
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(message("bbbbbbb1", "", "foreign")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	mustAppend(t, s, storetest.User("b"))
	wantPath(t, s, "a", "b")
	if len(s.Problems()) != 1 {
		t.Errorf("problems are %v", s.Problems())
	}
	s.Close()
	wantPath(t, open(t, file), "a", "b")
}

func TestSyncedAppend(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	s, err := jsonl.Create(file, transcript.NewHeader("/work"), &jsonl.Options{Sync: true})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, storetest.User("a"))
	s.Close()
	wantPath(t, open(t, file), "a")
}
