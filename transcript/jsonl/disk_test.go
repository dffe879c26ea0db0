package jsonl_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// texts are the texts of the entries that a new reader finds at a path.
func texts(t *testing.T, path string) []string {
	t.Helper()
	s, err := jsonl.Open(path, &jsonl.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list, err := storetest.Texts(s.Entries())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// said returns "0" … "n-1".
func said(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(i))
	}
	return strings.Join(list, " ")
}

// Whatever other programs do to the file of an open session, what Append has acknowledged is
// found at the store's path, a second writer is refused, and it is told.
func TestLaw_S5_WhatIsAcknowledgedIsAtThePath(t *testing.T) {
	copyOver := func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(path+".tmp", data, 0o600), os.Rename(path+".tmp", path)); err != nil {
			t.Fatal(err)
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		harm  func(t *testing.T, path string)
		moves bool // the session goes on elsewhere
	}{
		"deleted":              {harm: func(t *testing.T, path string) { must(t, os.Remove(path)) }},
		"renamed away":         {harm: func(t *testing.T, path string) { must(t, os.Rename(path, path+".old")) }},
		"its folder deleted":   {harm: func(t *testing.T, path string) { must(t, os.RemoveAll(filepath.Dir(path))) }},
		"emptied":              {harm: func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }},
		"cut in a line":        {harm: func(t *testing.T, path string) { must(t, os.Truncate(path, 250)) }},
		"replaced by its copy": {harm: copyOver},
		"replaced by other text": {moves: true, harm: func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, os.WriteFile(path, []byte("mine\n"), 0o600))
		}},
		"replaced by an older one": {moves: true, harm: func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			must(t, err)
			must(t, os.Remove(path))
			must(t, os.WriteFile(path, data[:len(data)/2], 0o600))
		}},
		"replaced by a folder": {moves: true, harm: func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o700)) }},
	} {
		for _, resumed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, resumed: %t", name, resumed), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "sessions", "s.jsonl")
				s, err := jsonl.Create(path, transcript.NewHeader("/"), nil)
				must(t, err)
				for i := range 8 {
					must(t, s.Append(storetest.User(fmt.Sprint(i))))
				}
				if resumed {
					must(t, s.Close())
					s, err = jsonl.Open(path, nil)
					must(t, err)
				}
				defer s.Close()
				var problems []error
				s.OnProblem(func(err error) { problems = append(problems, err) })
				c.harm(t, path)
				for i := 8; i < 16; i++ {
					must(t, s.Append(storetest.User(fmt.Sprint(i))))
				}
				if got := strings.Join(texts(t, s.Path()), " "); got != said(16) {
					t.Errorf("the file at %s has %q", s.Path(), got)
				}
				if list, err := storetest.Texts(s.Entries()); err != nil || strings.Join(list, " ") != said(16) {
					t.Errorf("the store has %q, %v", list, err)
				}
				told, ok := errors.AsType[*transcript.FileError](errors.Join(problems...))
				if len(problems) != 1 || !ok || told.Lost != 0 || told.Now != s.Path() {
					t.Errorf("told: %v", problems)
				}
				if moved := s.Path() != path; moved != c.moves {
					t.Errorf("the session is at %s now", s.Path())
				}
				if second, err := jsonl.Open(s.Path(), nil); err == nil {
					second.Close()
					t.Error("a second writer was admitted")
				}
			})
		}
	}
}

func TestAnEmptiedFileWithALongPastGetsWhatIsInMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s, err := jsonl.Create(path, transcript.NewHeader("/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	long := strings.Repeat("x", 300<<10)
	for i := range 8 {
		if err := s.Append(storetest.User(long + fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	var told *transcript.FileError
	s.OnProblem(func(err error) { told, _ = errors.AsType[*transcript.FileError](err) })
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(storetest.User("new")); err != nil {
		t.Fatal(err)
	}
	left := texts(t, path)
	if told == nil || told.Lost == 0 || len(left)+told.Lost != 9 || left[len(left)-1] != "new" {
		t.Errorf("%d entries are left, told: %v", len(left), told)
	}
}
