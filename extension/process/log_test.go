package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/resource"
)

func TestLog_IsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	l := newLog(dir, &resource.Manifest{Name: "@me/ext", Dir: "/a"})
	if other := newLog(dir, &resource.Manifest{Name: "@me/ext", Dir: "/b"}); other.path == l.path {
		t.Error("two extensions of one name have one log")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there before anything is written")
	}
	line := bytes.Repeat([]byte("x"), 1000)
	for range 3 * maxLog / len(line) {
		if _, err := l.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Write(bytes.Repeat([]byte("y"), 2*maxLog)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("files: %v, %v", files, err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Size() > maxLog || info.Size() == 0 || strings.ContainsAny(f.Name(), `/\`) {
			t.Errorf("%s has %d bytes, %v", f.Name(), info.Size(), err)
		}
	}
	if _, err := l.Write(line); err != nil { // what comes late is not lost
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if newLog("", &resource.Manifest{}) != nil {
		t.Error("there is a log without a folder")
	}
}
