package jsonl_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// saved writes a session with these entries, of an age.
func saved(t testing.TB, dir, id, cwd string, age time.Duration, entries ...transcript.Entry) string {
	t.Helper()
	h := transcript.NewHeader(cwd)
	h.ID = id
	path := filepath.Join(dir, jsonl.FileName(h))
	s, err := jsonl.Create(path, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(entries...); err != nil {
		t.Fatal(err)
	}
	s.Close()
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

func ids(list []*jsonl.Summary) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Header.ID)
	}
	return strings.Join(out, " ")
}

func TestList(t *testing.T) {
	root := t.TempDir()
	here, there := t.TempDir(), t.TempDir()
	dir := jsonl.Dir(root, here)
	long := strings.Repeat("ü", 1000)
	saved(t, dir, "old", here, 3*time.Hour, &transcript.InfoEntry{Name: "first name"}, storetest.User("Find the BUG\nplease"), storetest.Assistant("It is in main.go."), &transcript.InfoEntry{Name: "The hunt"})
	saved(t, dir, "new", here, time.Hour, storetest.User(long), storetest.User("more"))
	saved(t, dir, "mid", here, 2*time.Hour, &transcript.CustomEntry{CustomType: "x"}, storetest.Assistant("no question"))
	saved(t, jsonl.Dir(root, there), "far", there, 0, storetest.User("bug elsewhere"))
	for name, text := range map[string]string{"notes.jsonl": "hello\n", "empty.jsonl": "", "list.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := jsonl.List(t.Context(), dir, here, nil)
	if err != nil || ids(list) != "new mid old" {
		t.Fatalf("the list is %s (%v)", ids(list), err)
	}
	if s := list[2]; s.Name != "The hunt" || s.First != "Find the BUG\nplease" || s.Messages != 2 || s.Header.CWD != here {
		t.Errorf("a summary is %+v", s)
	}
	if s := list[0]; !strings.HasPrefix(long, s.First) || len(s.First) != 500 || s.Messages != 2 {
		t.Errorf("the first message is %d bytes of it: %q", len(s.First), s.First)
	}
	if s := list[1]; s.First != "" || s.Messages != 1 {
		t.Errorf("a summary is %+v", s)
	}
	for search, want := range map[string]string{
		"bug":            "far old",
		"BUG main":       "old",
		"bug hunt":       "old",
		"bug mid":        "",
		"question":       "mid",
		"first":          "", // what it was called before
		"NEW":            "new",
		"ü":              "new",
		here + " x":      "",
		"  ":             "far new mid old",
		"main elsewhere": "",
	} {
		list, err := jsonl.ListAll(t.Context(), root, &jsonl.ListOptions{Search: search})
		if err != nil || ids(list) != want {
			t.Errorf("%q finds %s (%v), want %s", search, ids(list), err, want)
		}
	}
	if list, err := jsonl.ListAll(t.Context(), root, &jsonl.ListOptions{Named: true}); err != nil || ids(list) != "old" {
		t.Errorf("with names are %s (%v)", ids(list), err)
	}
	if list, err := jsonl.List(t.Context(), dir, there, nil); err != nil || len(list) != 0 {
		t.Errorf("of another folder are %s (%v)", ids(list), err)
	}
	if list, err := jsonl.List(t.Context(), filepath.Join(root, "none"), "", nil); err != nil || len(list) != 0 {
		t.Errorf("a folder that is not there: %s (%v)", ids(list), err)
	}
	if list, err := jsonl.ListAll(t.Context(), filepath.Join(root, "none"), nil); err != nil || len(list) != 0 {
		t.Errorf("a root that is not there: %s (%v)", ids(list), err)
	}
}

func TestListingTellsHowFarItIs(t *testing.T) {
	dir := t.TempDir()
	for i := range 25 {
		saved(t, dir, fmt.Sprintf("s%02d", i), "/", 0, storetest.User("x"))
	}
	var steps []int
	list, err := jsonl.List(t.Context(), dir, "", &jsonl.ListOptions{Progress: func(done, total int) {
		if total != 25 {
			t.Errorf("%d of %d", done, total)
		}
		steps = append(steps, done)
	}})
	if err != nil || len(list) != 25 || len(steps) != 25 || !slices.IsSorted(steps) || steps[24] != 25 {
		t.Errorf("%d sessions in steps %v (%v)", len(list), steps, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = jsonl.List(ctx, dir, "", &jsonl.ListOptions{Readers: 1, Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		} else if done > 3 {
			t.Errorf("it goes on after the end: %d", done)
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
}

func TestRemove(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	dir := t.TempDir()
	path := saved(t, dir, "a", "/", 0, storetest.User("x"))
	s, err := jsonl.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = jsonl.Remove(t.Context(), path)
	if _, locked := errors.AsType[*jsonl.LockedError](err); !locked {
		t.Errorf("a session in use: %v", err)
	}
	s.Close()
	if err := jsonl.Remove(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := jsonl.Remove(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session that is gone: %v", err)
	}
	// With a trash, it goes there.
	script := "#!/bin/sh\n/bin/mv \"$1\" " + bin + "/\n"
	if err := os.WriteFile(filepath.Join(bin, "trash"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	path = saved(t, dir, "b", "/", 0, storetest.User("x"))
	if err := jsonl.Remove(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(bin, filepath.Base(path))); err != nil {
		t.Skipf("no script can be run here: %v", err)
	}
}

func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	text := strings.Repeat("word ", 200)
	for i := range 50 {
		var entries []transcript.Entry
		for range 100 {
			entries = append(entries, storetest.User(text), storetest.Assistant(text))
		}
		saved(b, dir, fmt.Sprintf("s%02d", i), "/", 0, entries...)
	}
	for _, search := range []string{"", "nothing"} {
		b.Run("search="+search, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsonl.List(b.Context(), dir, "", &jsonl.ListOptions{Search: search}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
