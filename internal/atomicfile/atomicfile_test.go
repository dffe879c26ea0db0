package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/internal/atomicfile"
)

func put(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// onlyFiles fails if dir holds anything but the files of these names.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if strings.Join(found, " ") != strings.Join(names, " ") {
		t.Errorf("the folder holds %v, want %v", found, names)
	}
}

func TestWriteKeepsTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o640 | fs.ModeSetgid} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		put(t, path, "old", mode)
		if err := atomicfile.Write(path, []byte("new"), &atomicfile.Options{Perm: 0o400, Sync: true}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode || content(t, path) != "new" {
			t.Errorf("mode %v, content %q; want mode %v", info.Mode(), content(t, path), mode)
		}
		onlyFiles(t, dir, "a")
	}
}

func TestWriteMakesANewFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := atomicfile.Write(path, nil, nil); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	if err := atomicfile.Write(secret, []byte("x"), &atomicfile.Options{Perm: 0o600}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(secret)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	onlyFiles(t, dir, "a", "secret")
}

func TestWriteFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "real", "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	links := [][2]string{{"link1", "link2"}, {"link2", "real/a"}, {"dangling", "real/b"}, {"dirlink", "real/deep"}, {"real/deep/up", "../c"}, {"loop", "loop"}}
	for _, l := range links {
		if err := os.Symlink(l[1], filepath.Join(dir, l[0])); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "real/a"), "old", 0o644)
	for link, target := range map[string]string{"link1": "real/a", "dangling": "real/b", "dirlink/up": "real/c"} {
		if err := atomicfile.Write(filepath.Join(dir, link), []byte(link), nil); err != nil {
			t.Fatal(err)
		}
		if got := content(t, filepath.Join(dir, target)); got != link {
			t.Errorf("%s: %s holds %q", link, target, got)
		}
		if info, err := os.Lstat(filepath.Join(dir, link)); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s is no link any more: %v, %v", link, info, err)
		}
	}
	if err := atomicfile.Write(filepath.Join(dir, "loop"), nil, nil); err == nil {
		t.Error("a loop of links was written")
	}
}

func TestWriteErrorsNameThePathAndTheCause(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	put(t, file, "x", 0o644)
	for path, want := range map[string]string{
		dir:                                dir,
		filepath.Join(dir, "missing", "a"): filepath.Join(dir, "missing", "a"),
		filepath.Join(file, "below"):       filepath.Join(file, "below"),
	} {
		err := atomicfile.Write(path, []byte("y"), nil)
		p, ok := errors.AsType[*fs.PathError](err)
		if !ok || p.Path != want {
			t.Errorf("Write(%q): %v", path, err)
		}
	}
	onlyFiles(t, dir, "file")
}

func TestWriteRespectsPermissions(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("permissions do not bind root, and are different on Windows")
	}
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o777); err != nil {
		t.Fatal(err)
	}
	readOnly, writable := filepath.Join(dir, "read-only"), filepath.Join(locked, "writable")
	put(t, readOnly, "old", 0o444)
	put(t, writable, "old", 0o644)
	if err := os.Chmod(locked, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(locked, 0o777) })

	for _, path := range []string{readOnly, filepath.Join(locked, "new")} {
		err := atomicfile.Write(path, []byte("new"), nil)
		if p, ok := errors.AsType[*fs.PathError](err); !ok || p.Path != path || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Write(%q): %v", path, err)
		}
	}
	if err := atomicfile.Write(writable, []byte("new"), nil); err != nil || content(t, writable) != "new" {
		t.Errorf("a writable file in a read-only folder: %v, %q", err, content(t, writable))
	}
	if content(t, readOnly) != "old" {
		t.Error("a read-only file was replaced")
	}
}

func TestCheckStopsTheWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	put(t, path, "old", 0o644)
	stop := errors.New("stop")
	if err := atomicfile.Write(path, []byte("new"), &atomicfile.Options{Check: func() error { return stop }}); err != stop {
		t.Errorf("err = %v", err)
	}
	if content(t, path) != "old" {
		t.Error("the file was written")
	}
	onlyFiles(t, dir, "a")
}

func TestReadersNeverSeeAPart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be replaced")
	}
	path := filepath.Join(t.TempDir(), "a")
	a, b := strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<20)
	put(t, path, a, 0o644)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 20 {
			for _, s := range []string{b, a} {
				if err := atomicfile.Write(path, []byte(s), nil); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 100 {
		if got := content(t, path); got != a && got != b {
			t.Errorf("read %d bytes of a mixture", len(got))
		}
	}
	wg.Wait()
}

// What a killed process has left of a file is removed, and nothing else.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "auth.json")
	random := strings.Repeat("A", 26)
	for _, name := range []string{"auth.json", ".auth.json." + random + ".tmp", ".other.json." + random + ".tmp", ".auth.json.tmp", ".auth.json.mine.tmp", random + ".tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	atomicfile.Sweep(target, time.Hour)
	if left, _ := os.ReadDir(dir); len(left) != 6 {
		t.Errorf("a young file was removed: %v", left)
	}
	atomicfile.Sweep(target, 0)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 5 {
		t.Errorf("left are %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".auth.json."+random+".tmp")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the leftover is still there: %v", err)
	}
}
