package jsonl_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func TestFilesKeepSessionsTogether(t *testing.T) {
	dir := t.TempDir()
	path := saved(t, dir, "a", "/", 0, storetest.User("x"))
	var repository transcript.Repository = jsonl.Files{}
	first, err := repository.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	header := transcript.NewHeader("/")
	second, err := repository.Create(header, first)
	if err != nil || second.Path() != filepath.Join(dir, jsonl.FileName(header)) {
		t.Fatalf("Create: %v, %v", second, err)
	}
	read, err := repository.Read(path)
	if err != nil || read.Len() != 1 {
		t.Errorf("Read of a session in use: %v", err)
	}
	if err := read.Append(storetest.User("y")); !errors.Is(err, transcript.ErrReadOnly) {
		t.Errorf("Append: %v", err)
	}
	if s, err := repository.Create(transcript.NewHeader("/"), memory.New(header)); err != nil || s.Path() != "" {
		t.Errorf("beside a session in memory: %v, %v", s, err)
	}
	if s, err := repository.Open(filepath.Join(dir, "none"), nil); err == nil || s != nil {
		t.Errorf("Open of nothing: %v, %v", s, err)
	}
}

func TestDiscardTakesTheFileBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s, err := jsonl.Create(path, transcript.NewHeader("/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(storetest.User("x")); err != nil {
		t.Fatal(err)
	}
	if err := s.Discard(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	// A file that was there before stays.
	path = saved(t, t.TempDir(), "a", "/", 0, storetest.User("x"))
	if s, err = jsonl.Open(path, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Discard(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestExport(t *testing.T) {
	dir := t.TempDir()
	src, err := jsonl.Open(saved(t, dir, "a", "/", 0, storetest.User("root"), storetest.Assistant("left"), storetest.User("mine")), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	branch, err := transcript.Branch(src, src.Leaf())
	if err != nil {
		t.Fatal(err)
	}
	root := branch[0].Base().ID
	if err := src.SetLeaf(root); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, src, &transcript.LabelEntry{TargetID: root, Label: "here"}, storetest.Assistant("right"))
	src.Header().ParentSession = "/somewhere"
	out := filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(out, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := jsonl.Export(src, out); err != nil {
		t.Fatal(err)
	}
	got, err := jsonl.Open(out, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := storetest.Texts(got.Entries())
	if err != nil || strings.Join(texts, " ") != "root right label" || got.Header().ID != "a" || got.Header().ParentSession != "" {
		t.Errorf("%q with %+v (%v)", texts, got.Header(), err)
	}
	parent := transcript.EntryID("")
	for e := range got.Entries() {
		if e.Base().ParentID != parent {
			t.Errorf("entry %s hangs below %s, not %s", e.Base().ID, e.Base().ParentID, parent)
		}
		parent = e.Base().ID
	}
	got.Close()
	if err := jsonl.Export(src, src.Path()); err == nil {
		t.Error("the session was written over itself")
	}
	if err := jsonl.Export(memory.New(transcript.NewHeader("/")), filepath.Join(dir, "empty.jsonl")); !errors.Is(err, jsonl.ErrEmpty) {
		t.Errorf("an empty session: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".export-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "empty.jsonl")); err == nil {
		t.Error("an empty export has a file")
	}
}

// The file was written by Pi 0.85.
func TestFilesOfPiOpen(t *testing.T) {
	data, err := os.ReadFile("testdata/pi-0.85.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := jsonl.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if problems := s.Problems(); len(problems) != 0 {
		t.Errorf("problems: %v", problems)
	}
	kinds := make(map[string]int)
	for e, err := range s.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := e.(*transcript.UnknownEntry); ok {
			t.Errorf("not known: %s %v", u.Type(), u.Err)
		}
		kinds[e.Type()]++
	}
	if kinds[transcript.TypeMessage] != 15 || kinds[transcript.TypeCompaction] != 1 || kinds[transcript.TypeBranchSummary] != 1 || kinds[transcript.TypeLabel] != 1 {
		t.Errorf("entries: %v", kinds)
	}
	past, err := transcript.Project(s, s.Leaf())
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, m := range past.Messages {
		roles = append(roles, m.Role())
	}
	// As Pi answered get_messages for it.
	want := "user assistant toolResult toolResult assistant bashExecution bashExecution branchSummary user assistant user assistant"
	if strings.Join(roles, " ") != want || past.ModelID != "m2" || past.ThinkingLevel != "off" {
		t.Errorf("the context is %q with %s at %s", roles, past.ModelID, past.ThinkingLevel)
	}
	mustAppend(t, s, storetest.User("by us"))
	s.Close()
	after, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(after, data) {
		t.Errorf("what Pi wrote has changed (%v)", err)
	}
}
