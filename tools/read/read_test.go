package read_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/internal/textfile"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
	"github.com/rondo-agent/rondo/tools/read"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// folder makes a folder with these files.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type args map[string]any

func call(t testing.TB, tool *agent.Tool, a args) (*agent.ToolResult, error) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Execute(t.Context(), &agent.Call{ID: "c1", Tool: tool, Args: raw})
}

func text(t testing.TB, tool *agent.Tool, a args) string {
	t.Helper()
	result, err := call(t, tool, a)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return result.Content.Text()
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadText(t *testing.T) {
	dir := folder(t, map[string]string{
		"notes.txt": "alpha\n\tbeta  \n\ngamma\n",
		"five.txt":  "l1\nl2\nl3\nl4\nl5\n",
		"open.txt":  "l1\nl2\nl3",
		"empty.txt": "",
		"blank.txt": "\n",
		"crlf.txt":  "a\r\nb\r\n",
		"raw.bin":   "ok \xff\xfe end\n\x00\x01\n",
		"2000.txt":  numbered(1, 2000),
		"2100.txt":  numbered(1, 2100),
		"wide.txt":  strings.Repeat(strings.Repeat("y", 99)+"\n", 600),
		"long.txt":  "short\n" + strings.Repeat("x", 60_000) + "\nend\n",
		"it's.txt":  strings.Repeat("x", 60_000),
	})
	wide := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(strings.Repeat("y", 99)+"\n", n), "\n")
	}
	tests := []struct {
		args args
		want string
	}{
		{args{"path": "notes.txt"}, "alpha\n\tbeta  \n\ngamma\n"},
		{args{"path": filepath.Join(dir, "notes.txt")}, "alpha\n\tbeta  \n\ngamma\n"},
		{args{"path": "empty.txt"}, ""},
		{args{"path": "blank.txt"}, "\n"},
		{args{"path": "crlf.txt"}, "a\r\nb\r\n"},
		{args{"path": "raw.bin"}, "ok \ufffd\ufffd end\n\x00\x01\n"},
		{args{"path": "five.txt", "offset": 2, "limit": 2}, "l2\nl3\n\n[2 more lines in the file. Read on with offset=4.]"},
		{args{"path": "five.txt", "offset": 2, "limit": 3}, "l2\nl3\nl4\n\n[1 more line in the file. Read on with offset=5.]"},
		{args{"path": "five.txt", "offset": 4}, "l4\nl5\n"},
		{args{"path": "five.txt", "limit": 5}, "l1\nl2\nl3\nl4\nl5\n\n[The file ends here.]"},
		{args{"path": "five.txt", "limit": 6}, "l1\nl2\nl3\nl4\nl5\n"},
		{args{"path": "five.txt", "offset": 5, "limit": 1e300}, "l5\n"},
		{args{"path": "five.txt", "offset": 0, "limit": 1.5}, "l1\n\n[4 more lines in the file. Read on with offset=2.]"},
		{args{"path": "five.txt", "offset": -3, "limit": nil}, "l1\nl2\nl3\nl4\nl5\n"},
		{args{"path": "open.txt", "limit": 3}, "l1\nl2\nl3"},
		{args{"path": "open.txt", "offset": 3}, "l3"},
		{args{"path": "2000.txt"}, numbered(1, 2000)},
		{args{"path": "2100.txt"}, numbered(1, 2000) + "\n[Lines 1-2000 of 2100. Read on with offset=2001.]"},
		{args{"path": "2100.txt", "offset": 2001}, numbered(2001, 2100)},
		{args{"path": "2100.txt", "offset": 90, "limit": 2005}, numbered(90, 2089) + "\n[Lines 90-2089 of 2100. Read on with offset=2090.]"},
		{args{"path": "wide.txt"}, wide(512) + "\n\n[Lines 1-512 of 600, cut at 50.0KB. Read on with offset=513.]"},
		{args{"path": "long.txt"}, "short\n\n[Lines 1-1 of 3, cut at 50.0KB. Read on with offset=2.]"},
		{args{"path": "long.txt", "offset": 2}, "[Line 2 has 58.6KB, more than the 50.0KB that fit. Look at parts of it in a shell: sed -n '2p' long.txt | head -c 51200]"},
		{args{"path": "long.txt", "offset": 3}, "end\n"},
		{args{"path": "it's.txt"}, `[Line 1 has 58.6KB, more than the 50.0KB that fit. Look at parts of it in a shell: sed -n '1p' 'it'\''s.txt' | head -c 51200]`},
	}
	tool := read.New(dir, nil)
	for _, tt := range tests {
		if got := text(t, tool, tt.args); got != tt.want {
			t.Errorf("%v:\ngot  …%q\nwant …%q", tt.args, tail(got), tail(tt.want))
		}
	}
}

func TestUTF16IsReadAsText(t *testing.T) {
	text16 := strings.Repeat("línea\r\n", 200_000) + "Ende 😀"
	dir := folder(t, map[string]string{
		"le": string(textfile.UTF16LE.Encode(text16)), "be": string(textfile.UTF16BE.Encode(text16)),
		"short": "\xff\xfeh\x00i\x00", "half": "\xfe\xff\x00a\x00", "empty": "\xff\xfe",
	})
	tool := read.New(dir, nil)
	for _, name := range []string{"le", "be"} {
		if got := text(t, tool, args{"path": name, "offset": 200_000}); got != "línea\r\nEnde 😀" {
			t.Errorf("the end of %s is %q", name, tail(got))
		}
		if got := text(t, tool, args{"path": name, "limit": 1}); !strings.HasPrefix(got, "línea\r\n\n[200000 more lines in the file.") {
			t.Errorf("the beginning of %s is %q", name, tail(got))
		}
	}
	for name, want := range map[string]string{"short": "hi", "half": "a\ufffd", "empty": ""} {
		if got := text(t, tool, args{"path": name}); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-200):] }

func TestReadErrorsNameTheCause(t *testing.T) {
	dir := folder(t, map[string]string{"two.txt": "l1\nl2\n", "empty.txt": ""})
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	tool := read.New(dir, nil)
	for _, tt := range []struct {
		args args
		want string
	}{
		{args{"path": "missing.txt"}, "no such file"},
		{args{"path": "two.txt/below"}, "not a directory"},
		{args{"path": "sub"}, "is a folder"},
		{args{"path": "two.txt", "offset": 3}, "offset 3 is beyond the end: the file has 2 lines"},
		{args{"path": "empty.txt", "offset": 2}, "offset 2 is beyond the end: the file has 0 lines"},
		{args{"path": "two.txt", "limit": 0}, "limit must be at least 1"},
	} {
		if runtime.GOOS == "windows" && strings.Contains(tt.want, "director") {
			continue
		}
		if _, err := call(t, tool, tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.args, err, tt.want)
		}
	}
}

func TestPermissionErrorIsShown(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("permissions do not bind root, and are different on Windows")
	}
	dir := folder(t, map[string]string{"secret.txt": "x"})
	if err := os.Chmod(filepath.Join(dir, "secret.txt"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, read.New(dir, nil), args{"path": "secret.txt"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("err = %v", err)
	}
}

func TestSpellingsAreFound(t *testing.T) {
	dir := folder(t, map[string]string{"Screenshot 9.41\u202fAM.txt": "screen", "cafe\u0301.txt": "coffee", "Bob\u2019s.md": "bob"})
	tool := read.New(dir, nil)
	for name, want := range map[string]string{
		"Screenshot 9.41 AM.txt": "screen", "caf\u00e9.txt": "coffee", "Bob's.md": "bob", "@Bob's.md": "bob",
	} {
		if got := text(t, tool, args{"path": name}); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestDetailsHoldTheTruncation(t *testing.T) {
	dir := folder(t, map[string]string{"a.txt": numbered(1, 2100), "b.txt": strings.Repeat("é\xff\n", 100_000)})
	tool := read.New(dir, nil)
	truncation := func(a args) truncate.Result {
		result, err := call(t, tool, a)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Truncation truncate.Result `json:"truncation"`
		}
		if err := json.Unmarshal(result.Details, &d); err != nil {
			t.Fatal(err)
		}
		return d.Truncation
	}
	got := truncation(args{"path": "a.txt"})
	want := truncate.Head(numbered(1, 2100), 0, 0)
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	got = truncation(args{"path": "b.txt", "offset": 11})
	if got.TotalLines != 99_990 || got.TotalBytes != 4*99_990 || got.OutputLines != 2000 || got.TruncatedBy != truncate.ByLines {
		t.Errorf("got %+v", got)
	}
	if result, err := call(t, tool, args{"path": "a.txt", "limit": 3}); err != nil || result.Details != nil {
		t.Errorf("details without truncation: %s, %v", result.Details, err)
	}
}

// slow is a file system whose Open waits, as that of a dead server does.
type slow struct{ host.Host }

func (slow) Open(ctx context.Context, _ string) (io.ReadCloser, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// endless is a file without end.
type endless struct {
	host.Host
	started chan struct{}
}

func (e endless) Open(context.Context, string) (io.ReadCloser, error) {
	close(e.started)
	return io.NopCloser(zeros{}), nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAbortWhileOpening(t *testing.T) {
	dir := folder(t, map[string]string{"a.txt": "x"})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		tool := read.New(dir, &read.Options{Host: slow{host.Local}})
		done := make(chan error)
		go func() {
			_, err := tool.Execute(ctx, &agent.Call{Args: jsontext.Value(`{"path":"a.txt"}`)})
			done <- err
		}()
		synctest.Wait()
		cancel(agent.ErrAborted)
		if err := <-done; !errors.Is(err, agent.ErrAborted) || err.Error() != "read a.txt: aborted" {
			t.Errorf("err = %v", err)
		}
	})
}

func TestAbortWhileReading(t *testing.T) {
	dir := folder(t, map[string]string{"a.txt": "x"})
	ctx, cancel := context.WithCancelCause(t.Context())
	started := make(chan struct{})
	tool := read.New(dir, &read.Options{Host: endless{host.Local, started}})
	done := make(chan error)
	go func() {
		_, err := tool.Execute(ctx, &agent.Call{Args: jsontext.Value(`{"path":"a.txt"}`)})
		done <- err
	}()
	<-started
	cancel(agent.ErrAborted)
	if err := <-done; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("err = %v", err)
	}
}

func TestHugeFileTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 512 MB")
	}
	dir := folder(t, map[string]string{"huge": numbered(1, 100)})
	path := filepath.Join(dir, "huge")
	const size = 256 << 20
	if err := os.Truncate(path, size); err != nil { // a hole: one line of NULs
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\nlast but one\nlast\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	tool := read.New(dir, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := text(t, tool, args{"path": "huge", "offset": 102})
	head := text(t, tool, args{"path": "huge", "limit": 2})
	runtime.ReadMemStats(&after)
	if got != "last but one\nlast\n" || head != "line 1\nline 2\n\n[101 more lines in the file. Read on with offset=3.]" {
		t.Errorf("got %.100q and %.100q", got, head)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a\nb\nc\n", 2, 1)
	f.Add("\xff\n\n", 1, 5)
	f.Add("GIF89a text\n", 1, 1)
	f.Add("", 1, 1)
	f.Fuzz(func(t *testing.T, content string, offset, limit int) {
		if offset < 1 || limit < 1 || !utf8.ValidString(content) && len(content) > 40 {
			return
		}
		tool := read.New(folder(t, map[string]string{"f": content}), nil)
		result, err := call(t, tool, args{"path": "f", "offset": offset, "limit": limit})
		lines := strings.SplitAfter(content, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		if offset > max(len(lines), 1) {
			if err == nil {
				t.Errorf("offset %d of %d lines: no error", offset, len(lines))
			}
			return
		}
		if err != nil {
			return // an image that is none
		}
		end := len(lines)
		if limit < end-offset+1 {
			end = offset - 1 + limit
		}
		want := strings.TrimSuffix(strings.Join(lines[min(offset-1, end):end], ""), "\n")
		if got := result.Content.Text(); len(want) < 1000 && len(result.Details) == 0 && strings.ToValidUTF8(want, "") == want && !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func BenchmarkReadFromTheMiddle(b *testing.B) {
	content := strings.Repeat(strings.Repeat("y", 99)+"\n", 1<<20)
	tool := read.New(folder(b, map[string]string{"f": content}), nil)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		text(b, tool, args{"path": "f", "offset": 500_000, "limit": 100})
	}
}
