package path_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/path"
	"github.com/rondo-agent/rondo/tools/internal/tooltest"
)

func touch(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		p := filepath.Join(dir, name)
		tooltest.WriteFile(t, p, "")
	}
}

func TestResolve(t *testing.T) {
	cwd, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	touch(t, cwd, "@types/node.d.ts", "odd\u00a0name.txt", "~/in-tilde.txt")
	tests := map[string]string{
		"a.txt":               filepath.Join(cwd, "a.txt"),
		"./x/../a.txt":        filepath.Join(cwd, "a.txt"),
		"@a.txt":              filepath.Join(cwd, "a.txt"),
		"@types/node.d.ts":    filepath.Join(cwd, "@types/node.d.ts"),
		"@types/new.d.ts":     filepath.Join(cwd, "@types/new.d.ts"),
		"~":                   home,
		"~/a.txt":             filepath.Join(home, "a.txt"),
		"@~/a.txt":            filepath.Join(home, "a.txt"),
		"~someone/a.txt":      filepath.Join(cwd, "~someone/a.txt"),
		"./~/in-tilde.txt":    filepath.Join(cwd, "~/in-tilde.txt"),
		"a\u00a0b\u3000c.txt": filepath.Join(cwd, "a b c.txt"),
		"odd\u00a0name.txt":   filepath.Join(cwd, "odd\u00a0name.txt"),
		home:                  home,
		"":                    cwd,
	}
	for name, want := range tests {
		if got := (path.Names{Host: host.Local, Dir: cwd}).Resolve(name); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSpellingsOfMacOS(t *testing.T) {
	cwd := t.TempDir()
	touch(t, cwd, "Screenshot 9.41\u202fAM.png", "cafe\u0301.txt", "Bob\u2019s.md", "Ze\u0301 9.41\u202fpm it\u2019s.txt", "\u00e9.txt")
	tests := map[string]string{
		"Screenshot 9.41 AM.png":      "Screenshot 9.41\u202fAM.png",
		"Screenshot 9.41\u202fAM.png": "Screenshot 9.41\u202fAM.png",
		"caf\u00e9.txt":               "cafe\u0301.txt",
		"Bob's.md":                    "Bob\u2019s.md",
		"@Bob's.md":                   "Bob\u2019s.md",
		"Z\u00e9 9.41 pm it's.txt":    "Ze\u0301 9.41\u202fpm it\u2019s.txt",
		"e\u0301.txt":                 "\u00e9.txt",
		"missing's.txt":               "missing's.txt",
	}
	for name, want := range tests {
		if got := (path.Names{Host: host.Local, Dir: cwd}).Find(t.Context(), name); got != filepath.Join(cwd, want) {
			t.Errorf("Find(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestExactNameComesFirst(t *testing.T) {
	cwd := t.TempDir()
	touch(t, cwd, "Bob\u2019s.md", "Bob's.md", "@a.txt", "a.txt")
	for _, name := range []string{"Bob\u2019s.md", "Bob's.md", "@a.txt", "a.txt"} {
		if got := (path.Names{Host: host.Local, Dir: cwd}).Find(t.Context(), name); got != filepath.Join(cwd, name) {
			t.Errorf("Find(%q) = %q", name, got)
		}
	}
}

func TestRealFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	touch(t, dir, "real/a.txt")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("real/a.txt", "to-file")
	link("real", "to-dir")
	link("to-dir/new.txt", "dangling")
	link("loop", "loop")
	tests := map[string]string{
		"real/a.txt":          "real/a.txt",
		"to-file":             "real/a.txt",
		"to-dir/a.txt":        "real/a.txt",
		"to-dir/sub/new.txt":  "real/sub/new.txt",
		"dangling":            "real/new.txt",
		"missing/x/../y":      "missing/y",
		"loop":                "loop",
		"to-dir/../real/new2": "real/new2",
	}
	for name, want := range tests {
		if got := host.Local.Real(filepath.Join(dir, name)); got != filepath.Join(dir, want) {
			t.Errorf("Real(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestError_NamesAPathOnce(t *testing.T) {
	lost := &fs.PathError{Op: "open", Path: "/w/a", Err: fs.ErrNotExist}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"/w/a", lost, "read /w/a: file does not exist"},
		{"a", fmt.Errorf("sync: %w", lost), "read a: file does not exist (/w/a)"},
		{"a", fs.ErrClosed, "read a: file already closed"},
	} {
		err := path.Error("read", tt.name, tt.err)
		if err.Error() != tt.want {
			t.Errorf("got %q, want %q", err, tt.want)
		}
		if errors.Is(tt.err, fs.ErrNotExist) != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q does not wrap what it is about", err)
		}
	}
}
