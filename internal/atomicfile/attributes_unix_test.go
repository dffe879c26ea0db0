//go:build linux || darwin

package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/rondo-agent/rondo/internal/atomicfile"
)

func TestHardLinksStayOneFile(t *testing.T) {
	for name, data := range map[string]string{"longer": "a longer text than before", "shorter": "x", "empty": ""} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, other := filepath.Join(dir, "a"), filepath.Join(dir, "other")
			put(t, path, "old content", 0o640)
			if err := os.Link(path, other); err != nil {
				t.Skip(err)
			}
			if err := os.Symlink("other", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{path, filepath.Join(dir, "link")} {
				if err := atomicfile.Write(name, []byte(data), &atomicfile.Options{Sync: true}); err != nil {
					t.Fatal(err)
				}
				if content(t, path) != data || content(t, other) != data {
					t.Errorf("one name has %q, the other %q", content(t, path), content(t, other))
				}
			}
			onlyFiles(t, dir, "a", "link", "other")
		})
	}
}

func TestCheckStopsTheWriteInPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	put(t, path, "old", 0o644)
	if err := os.Link(path, filepath.Join(dir, "b")); err != nil {
		t.Skip(err)
	}
	stop := errors.New("stop")
	if err := atomicfile.Write(path, []byte("new"), &atomicfile.Options{Check: func() error { return stop }}); !errors.Is(err, stop) || content(t, path) != "old" {
		t.Errorf("%v, the file holds %q", err, content(t, path))
	}
}

func TestExtendedAttributesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	put(t, path, "old", 0o644)
	values := map[string]string{"user.origin": "https://example.org/a", "user.empty": "", "user.bytes": "\x00\xff"}
	for name, value := range values {
		if err := unix.Setxattr(path, name, []byte(value), 0); err != nil {
			t.Skip(err)
		}
	}
	if err := atomicfile.Write(path, []byte("new"), nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range values {
		buf := make([]byte, 100)
		if n, err := unix.Getxattr(path, name, buf); err != nil || string(buf[:n]) != want {
			t.Errorf("%s is %q, %v", name, buf[:max(n, 0)], err)
		}
	}
	if content(t, path) != "new" {
		t.Errorf("the file holds %q", content(t, path))
	}
}
