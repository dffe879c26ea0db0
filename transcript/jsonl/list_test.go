package jsonl_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// save writes a session of the folder cwd with this id and age.
func save(t *testing.T, dir, id, cwd string, age time.Duration) string {
	t.Helper()
	h := transcript.NewHeader(cwd)
	h.ID = id
	path := filepath.Join(dir, jsonl.FileName(h))
	s, err := jsonl.Create(path, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, storetest.User("x"))
	s.Close()
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNames(t *testing.T) {
	if got, want := jsonl.Dir("/root", "/none/my.app/a b"), filepath.Join("/root", "--none-my.app-a b--"); got != want {
		t.Errorf("Dir is %s, want %s", got, want)
	}
	h := &transcript.Header{ID: "my-id", Timestamp: transcript.Time{Time: time.Date(2025, 1, 2, 3, 4, 5, 678e6, time.UTC)}}
	if got, want := jsonl.FileName(h), "2025-01-02T03-04-05-678Z_my-id.jsonl"; got != want {
		t.Errorf("FileName is %s, want %s", got, want)
	}
	if _, err := jsonl.Create(filepath.Join(t.TempDir(), "x"), &transcript.Header{ID: "../x"}, nil); err == nil {
		t.Error("an id with a slash was accepted")
	}
}

func TestOneProjectHasOneFolder(t *testing.T) {
	project := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(project, link); err != nil {
		t.Skip(err)
	}
	root := t.TempDir()
	if jsonl.Dir(root, link) != jsonl.Dir(root, project) {
		t.Errorf("%s and %s", jsonl.Dir(root, link), jsonl.Dir(root, project))
	}
	dir := jsonl.Dir(root, project)
	path := save(t, dir, "a", link, 0)
	for _, cwd := range []string{project, link, project + "/."} {
		info, err := jsonl.Recent(dir, cwd)
		if err != nil || info.Path != path {
			t.Errorf("from %s: %v, %v", cwd, info, err)
		}
	}
}

func TestMissingFolderIsSaid(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	_, err := transcript.NewHeader(gone).Dir()
	if missing, ok := errors.AsType[*transcript.MissingDirError](err); !ok || missing.Dir != gone || !strings.Contains(err.Error(), gone) {
		t.Errorf("error is %v", err)
	}
	here := t.TempDir()
	if dir, err := transcript.NewHeader(here).Dir(); err != nil || dir != transcript.CanonicalDir(here) {
		t.Errorf("%s, %v", dir, err)
	}
}

func TestRecent(t *testing.T) {
	dir, here, there := t.TempDir(), t.TempDir(), t.TempDir()
	if _, err := jsonl.Recent(filepath.Join(dir, "none"), here); !isNotFound(err) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
	save(t, dir, "old", here, 2*time.Hour)
	newest := save(t, dir, "new", here, time.Hour)
	other := save(t, dir, "other", there, time.Minute)
	for name, content := range map[string]string{"notes.jsonl": "notes\n", "empty.jsonl": "", "x.txt": header} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for cwd, want := range map[string]string{here: newest, there: other, "": other} {
		info, err := jsonl.Recent(dir, cwd)
		if err != nil || info.Path != want {
			t.Errorf("of %q: %v, %v, want %s", cwd, info, err, want)
		}
	}
	if _, err := jsonl.Recent(dir, t.TempDir()); !isNotFound(err) {
		t.Errorf("of a folder without sessions: %v", err)
	}
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*jsonl.NotFoundError](err)
	return ok
}

func TestFind(t *testing.T) {
	root, here, there := t.TempDir(), t.TempDir(), t.TempDir()
	dir := jsonl.Dir(root, here)
	one := save(t, dir, "0198-aaaa-1111", here, 0)
	two := save(t, dir, "0198-aaaa-2222", here, 0)
	exact := save(t, dir, "0198-aaaa", here, 0)
	far := save(t, jsonl.Dir(root, there), "0299-bbbb", there, 0)
	for partial, want := range map[string]string{
		"0198-aaaa-1111": one, "0198-aaaa-2": two, "0198-aaaa": exact, "1111": one, "0299": far, "bbbb": far,
	} {
		info, err := jsonl.Find(dir, partial)
		if err != nil || info.Path != want {
			t.Errorf("%s: %v, %v, want %s", partial, info, err, want)
		}
	}
	_, err := jsonl.Find(dir, "0198")
	if a, ok := errors.AsType[*jsonl.AmbiguousError](err); !ok || len(a.Matches) != 3 || !strings.Contains(err.Error(), "0198-aaaa-2222") {
		t.Errorf("error is %v", err)
	}
	for _, partial := range []string{"", "nope", "../"} {
		if _, err := jsonl.Find(dir, partial); !isNotFound(err) {
			t.Errorf("%q: %v", partial, err)
		}
	}
}
