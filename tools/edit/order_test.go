package edit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/tools/edit"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/host/hosttest"
	"github.com/rondo-agent/rondo/tools/write"
)

func TestParallelEditsOfOneFile(t *testing.T) {
	var before, after strings.Builder
	for i := range 50 {
		fmt.Fprintf(&before, "old %02d\n", i)
		fmt.Fprintf(&after, "new %02d\n", i)
	}
	dir, path := file(t, before.String())
	tool := edit.New(dir, nil)
	var wg sync.WaitGroup
	for i := range 50 {
		args := arguments(t, "a.txt", fmt.Sprintf("old %02d", i), fmt.Sprintf("new %02d", i))
		wg.Go(func() {
			if _, err := run(t, tool, args); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := content(t, path); got != after.String() {
		t.Errorf("got %q", got)
	}
}

// blocking is a file system whose first replacement of a file waits.
type blocking struct {
	host.Host
	name          string
	reached, free chan struct{}
}

func (b *blocking) ReplaceFile(ctx context.Context, path string, old, data []byte) error {
	if filepath.Base(path) == b.name {
		b.reached <- struct{}{}
		<-b.free
	}
	return b.Host.ReplaceFile(ctx, path, old, data)
}

func TestDifferentFilesDoNotWait(t *testing.T) {
	dir, path := file(t, "x")
	put(t, filepath.Join(dir, "b.txt"), "x")
	files := &blocking{host.Local, "a.txt", make(chan struct{}), make(chan struct{})}
	tool := edit.New(dir, &edit.Options{Host: files})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := run(t, tool, arguments(t, "a.txt", "x", "y")); err != nil {
			t.Error(err)
		}
	})
	<-files.reached
	if _, err := run(t, tool, arguments(t, "b.txt", "x", "y")); err != nil {
		t.Error(err)
	}
	if content(t, path) != "x" {
		t.Error("the first edit did not wait")
	}
	close(files.free)
	wg.Wait()
}

func TestAbortWhileWaiting(t *testing.T) {
	dir, path := file(t, "x")
	files := &blocking{host.Local, "a.txt", make(chan struct{}), make(chan struct{})}
	tool := edit.New(dir, &edit.Options{Host: files})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := run(t, tool, arguments(t, "a.txt", "x", "y")); err != nil {
			t.Error(err)
		}
	})
	<-files.reached
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(agent.ErrAborted)
	for _, waiting := range []*agent.Tool{tool, write.New(dir, nil)} {
		_, err := waiting.Execute(ctx, &agent.Call{Args: jsontext.Value(`{"path":"a.txt","content":"z","edits":[{"oldText":"x","newText":"z"}]}`)})
		if !errors.Is(err, agent.ErrAborted) {
			t.Errorf("%s: %v", waiting.Name, err)
		}
	}
	close(files.free)
	wg.Wait()
	if got := content(t, path); got != "y" {
		t.Errorf("got %q", got)
	}
}

// interfering changes the file between the tool's read and its write.
type interfering struct {
	host.Host
	change func(path string)
}

func (i interfering) ReplaceFile(ctx context.Context, path string, old, data []byte) error {
	i.change(path)
	return i.Host.ReplaceFile(ctx, path, old, data)
}

func TestChangeBySomebodyElse(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(path string)
		want   string
	}{
		"other text, same length": {func(path string) { put(t, path, "z") }, "z"},
		"longer":                  {func(path string) { put(t, path, "x and more") }, "x and more"},
		"removed":                 {func(path string) { os.Remove(path) }, ""},
	} {
		dir, path := file(t, "x")
		tool := edit.New(dir, &edit.Options{Host: interfering{host.Local, tt.change}})
		if _, err := run(t, tool, arguments(t, "a.txt", "x", "y")); !errors.Is(err, host.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
		if got, _ := os.ReadFile(path); string(got) != tt.want {
			t.Errorf("%s: the file is %q", name, got)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 1 {
			t.Errorf("%s: the folder holds %v, %v", name, entries, err)
		}
	}
}

func TestModeAndLinkAreKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	dir, path := file(t, "x")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, edit.New(dir, nil), arguments(t, "link", "x", "y")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o751 || content(t, path) != "y" {
		t.Errorf("%v, %v, %q", info, err, content(t, path))
	}
	if target, err := os.Readlink(filepath.Join(dir, "link")); err != nil || target != "a.txt" {
		t.Errorf("link: %q, %v", target, err)
	}
}

func TestFilesElsewhere(t *testing.T) {
	files := &hosttest.Memory{}
	cwd := filepath.Join(t.TempDir(), "elsewhere")
	if _, err := run(t, write.New(cwd, &write.Options{Host: files}), jsontext.Value(`{"path":"caf\u00e9's","content":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, edit.New(cwd, &edit.Options{Host: files}), arguments(t, "cafe\u0301's", "x", "y")); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(cwd, "caf\u00e9's")
	if data, err := host.ReadFile(t.Context(), files, want, 10); string(data) != "y" || err != nil || len(files.Paths()) != 1 {
		t.Errorf("%q, %v, files: %q", data, err, files.Paths())
	}
}
