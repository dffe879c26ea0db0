package write_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/tools/write"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func arguments(t *testing.T, path, content string) jsontext.Value {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"path": path, "content": content})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func run(t *testing.T, tool *agent.Tool, path, content string) (string, error) {
	t.Helper()
	result, err := tool.Execute(t.Context(), &agent.Call{Tool: tool, Args: arguments(t, path, content)})
	if err != nil {
		return "", err
	}
	return result.Content.Text(), nil
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	tool := write.New(dir, nil)
	for _, tt := range []struct{ path, content, file string }{
		{"a/b/c.txt", "first\r\nlast without newline", "a/b/c.txt"},
		{"a/b/c.txt", "shorter", "a/b/c.txt"},
		{"@a/./new.txt", "\ufeffé\x00", "a/new.txt"},
		{filepath.Join(dir, "abs.txt"), "x\n", "abs.txt"},
	} {
		text, err := run(t, tool, tt.path, tt.content)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("Wrote %d bytes to %s.", len(tt.content), tt.path); text != want {
			t.Errorf("got %q, want %q", text, want)
		}
		if got := content(t, filepath.Join(dir, tt.file)); got != tt.content {
			t.Errorf("%s holds %q", tt.file, got)
		}
	}
}

func TestNothingToWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "empty")
	for range 2 {
		if text, err := run(t, write.New(dir, nil), "empty", ""); err != nil || text != "Wrote 0 bytes to empty." {
			t.Errorf("%q, %v", text, err)
		}
		if got := content(t, path); got != "" {
			t.Errorf("got %q", got)
		}
		if err := os.WriteFile(path, []byte("full"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrorsOfTheFileSystem(t *testing.T) {
	dir := t.TempDir()
	tool := write.New(dir, nil)
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"folder":     "is a directory",
		"folder/":    "must name a file",
		"":           "must name a file",
		"file/below": "not a directory",
		"a\x00b":     "invalid argument",
	} {
		if runtime.GOOS == "windows" && strings.Contains(want, " directory") {
			want = ""
		}
		if _, err := run(t, tool, path, "y"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
	if got := content(t, filepath.Join(dir, "file")); got != "x" {
		t.Errorf("the file holds %q", got)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("permissions do not bind root, and are different on Windows")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o777) })
	for _, name := range []string{"new", "sub/new"} {
		_, err := run(t, write.New(dir, nil), name, "x")
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestModeAndLinkAreKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "script")
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("script", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, write.New(dir, nil), "link", "x"); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() || content(t, path) != "x" {
		t.Errorf("%v, %v, %q", after, err, content(t, path))
	}
	if target, err := os.Readlink(filepath.Join(dir, "link")); err != nil || target != "script" {
		t.Errorf("link: %q, %v", target, err)
	}
}

func TestAbortedBeforeWriting(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(agent.ErrAborted)
	tool := write.New(dir, nil)
	if _, err := tool.Execute(ctx, &agent.Call{Args: arguments(t, "a", "x")}); !errors.Is(err, agent.ErrAborted) {
		t.Errorf("err = %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was written: %v", err)
	}
}
