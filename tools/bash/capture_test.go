package bash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// A capture shows what truncating the whole output would, however it comes in, and has a
// file exactly if something is cut.
func TestCaptureIsLikeTruncatingTheWhole(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	line := strings.Repeat("x", 99) + "\n"
	for _, test := range []struct{ name, text string }{
		{"empty", ""},
		{"one newline", "\n"},
		{"2000 lines", strings.Repeat("a\n", 2000)},
		{"2000 lines, the last one open", strings.Repeat("a\n", 1999) + "a"},
		{"2001 lines", strings.Repeat("a\n", 2001)},
		{"2000 lines and a beginning", strings.Repeat("a\n", 2000) + "b"},
		{"the limit in bytes", strings.Repeat(line, 512)},
		{"the limit without newline", strings.Repeat(line, 512)[:51199] + "z"},
		{"one byte more", strings.Repeat(line, 512) + "y"},
		{"one empty line more", strings.Repeat(line, 512) + "\n"},
		{"many times the limit", strings.Repeat(line, 5_000)},
		{"very many lines", strings.Repeat("\n", 150_000)},
	} {
		for _, size := range []int{100, 4096, 65536, 1 << 20} {
			t.Run(fmt.Sprintf("%s in pieces of %d", test.name, size), func(t *testing.T) {
				c := newCapture(t.Context(), host.Local, 0)
				for rest := test.text; rest != ""; {
					n := min(len(rest), 1+rand.IntN(size))
					c.write([]byte(rest[:n]))
					rest = rest[n:]
				}
				c.end()
				checkCapture(t, c, test.text)
			})
		}
	}
}

func checkCapture(t *testing.T, c *capture, text string) {
	t.Helper()
	got, path := c.shown()
	if want := truncate.Tail(text, 0, 0); got != want {
		got.Content, want.Content = short(got.Content), short(want.Content)
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Truncated != (path != "") {
		t.Fatalf("truncated %v, file %q", got.Truncated, path)
	}
	if path == "" {
		return
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		t.Errorf("the file has %d bytes of %d, error %v", len(data), len(text), err)
	}
}

func short(s string) string { return s[:min(len(s), 10)] + "…" + s[max(0, len(s)-10):] }

func TestCaptureFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	c := newCapture(t.Context(), host.Local, 0)
	c.write([]byte(strings.Repeat("a\n", 2001)))
	c.end()
	_, path := c.shown()
	if ok, _ := filepath.Match(filepath.Join(dir, "rondo-bash-????????????????.log"), path); !ok {
		t.Errorf("file %q", path)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("file %v, error %v", info, err)
	}
}

func TestCaptureWithoutFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	c := newCapture(t.Context(), host.Local, 0)
	for range 3 {
		c.write([]byte(strings.Repeat("a\n", 2001)))
	}
	c.end()
	r := result(c)
	if !r.Truncated || r.FullOutputPath != "" || !strings.Contains(r.Notice(), "could not be saved") {
		t.Errorf("truncated %v, file %q, notice %q", r.Truncated, r.FullOutputPath, r.Notice())
	}
}

func TestLogOfOneCommandIsBounded(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := newCapture(t.Context(), host.Local, 0)
	c.write([]byte(strings.Repeat("a\n", 2001)))
	c.log.written = maxLog - 3
	c.write([]byte("more\n"))
	c.end()
	r := result(c)
	if info, err := os.Stat(r.FullOutputPath); err != nil || info.Size() != 2*2001+3 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if !strings.Contains(r.Notice(), "as a whole: only the first 64.0MB are kept") {
		t.Errorf("notice %q", r.Notice())
	}
}

func TestCaptureMemoryIsBounded(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := newCapture(t.Context(), host.Local, 0)
	piece := []byte(strings.Repeat("some output of a command\n", 2000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 200 {
		c.write(piece)
	}
	runtime.ReadMemStats(&after)
	c.end()
	if used := after.TotalAlloc - before.TotalAlloc; used > 2<<20 {
		t.Errorf("%d bytes of output took %d bytes of memory", 200*len(piece), used)
	}
}

// logAt makes a file of an earlier command, which takes no room on the disk.
func logAt(t *testing.T, dir, name string, size int64, age time.Duration) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestOldLogsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	logAt(t, dir, "rondo-bash-000000000000new1.log", 1, time.Hour)
	logAt(t, dir, "rondo-bash-000000000000big1.log", maxLogs/2, 2*time.Hour)
	logAt(t, dir, "rondo-bash-000000000000big2.log", maxLogs/2, 3*time.Hour)
	logAt(t, dir, "rondo-bash-000000000000big3.log", 1, 4*time.Hour)
	logAt(t, dir, "rondo-bash-000000000000old1.log", 0, maxLogAge+time.Hour)
	logAt(t, dir, "rondo-bash-of-the-user.log", maxLogs, maxLogAge+time.Hour)
	logAt(t, dir, "other.log", maxLogs, maxLogAge+time.Hour)
	sweepLogs(t.Context(), host.Local, time.Now())
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := "other.log rondo-bash-000000000000big1.log rondo-bash-000000000000new1.log rondo-bash-of-the-user.log"
	if got := strings.Join(left, " "); got != want {
		t.Errorf("left are %s", got)
	}
}

func TestLongLinesLeaveRoomForOthers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	long := "BEGIN " + strings.Repeat("漢", 40_000) + " END"
	for _, tt := range []struct{ name, text, want string }{
		{"between others", "first\n" + long + "\nlast\n", `^first\nBEGIN 漢+ … \[11\d\.\dKB left out\] … 漢+ END\nlast\n$`},
		{"alone", long, `^BEGIN 漢+ … \[11\d\.\dKB left out\] … 漢+ END$`},
		{"at the beginning", long + "\nlast", `^BEGIN 漢+ … \[11\d\.\dKB left out\] … 漢+ END\nlast$`},
		{"at the end", "first\n" + long + "\n", `^first\nBEGIN 漢+ … \[11\d\.\dKB left out\] … 漢+ END\n$`},
		{"several", strings.Repeat(long+"\n", 3) + "last\n", `^(BEGIN 漢+ … \[11\d\.\dKB left out\] … 漢+ END\n){3}last\n$`},
		{"more than fit", "first\n" + strings.Repeat(long+"\n", 30) + "last\n", `^(BEGIN 漢+ … \[11\d\.\dKB left out\] … 漢+ END\n){11,12}last$`},
	} {
		for _, size := range []int{1, 100, 4096, 1 << 20} {
			t.Run(fmt.Sprintf("%s in pieces of %d", tt.name, size), func(t *testing.T) {
				c := newCapture(t.Context(), host.Local, 0)
				for rest := []byte(tt.text); len(rest) > 0; {
					n := min(len(rest), size)
					c.write(rest[:n])
					rest = rest[n:]
				}
				c.end()
				got, path := c.shown()
				if !regexp.MustCompile(tt.want).MatchString(got.Content) || !utf8.ValidString(got.Content) {
					t.Errorf("%d bytes: %s", len(got.Content), short(got.Content))
				}
				if !got.Truncated || got.TotalBytes != len(tt.text) || got.TotalLines != truncate.Lines(tt.text) || len(got.Content) > truncate.DefaultMaxBytes {
					t.Errorf("truncated %v, %d lines, %d bytes", got.Truncated, got.TotalLines, got.TotalBytes)
				}
				if data, err := os.ReadFile(path); err != nil || string(data) != tt.text {
					t.Errorf("the file has %d bytes of %d, %v", len(data), len(tt.text), err)
				}
			})
		}
	}
}

// A line that is long, in an output that fits, is shown as it is.
func TestLongLineThatFits(t *testing.T) {
	c := newCapture(t.Context(), host.Local, 0)
	text := strings.Repeat("x", 40_000) + "\n"
	c.write([]byte(text))
	c.end()
	if got, path := c.shown(); got.Content != text || got.Truncated || path != "" {
		t.Errorf("%d bytes, truncated %v, file %q", len(got.Content), got.Truncated, path)
	}
}
