// Package hosttest is the suite that every host of the tools passes, and a host in memory for
// the tests of others.
package hosttest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/tools/host"
)

// Open returns a host, and an empty folder of it for one test.
type Open func(t *testing.T) (h host.Host, dir string)

// Files tests the files of a host.
func Files(t *testing.T, open Open) {
	for name, test := range map[string]func(s *suite){
		"new file":                (*suite).newFile,
		"replaced file":           (*suite).replacedFile,
		"changed file":            (*suite).changedFile,
		"what is no file":         (*suite).noFile,
		"what does not exist":     (*suite).missing,
		"folders":                 (*suite).folders,
		"created file":            (*suite).created,
		"removed file":            (*suite).removed,
		"paths":                   (*suite).paths,
		"nothing after the abort": (*suite).aborted,
	} {
		t.Run(name, func(t *testing.T) {
			h, dir := open(t)
			test(&suite{Host: h, T: t, dir: dir})
		})
	}
}

// suite is a host under test.
type suite struct {
	host.Host
	*testing.T
	dir string
}

func (s *suite) at(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) mustBe(err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("error %v, want %v", err, want)
	}
}

func (s *suite) mustHold(path, want string) {
	s.Helper()
	data, err := host.ReadFile(s.Context(), s, path, 1<<20)
	if err != nil || string(data) != want {
		s.Errorf("%s holds %q, %v; want %q", path, data, err, want)
	}
}

func (s *suite) newFile() {
	const content = "one\r\ntwo\x00\xff"
	s.must(s.WriteFile(s.Context(), s.at("a"), []byte(content)))
	s.mustHold(s.at("a"), content)
	info, err := s.Stat(s.Context(), s.at("a"))
	s.must(err)
	if !info.Mode().IsRegular() || info.Size() != int64(len(content)) || info.Name() != "a" {
		s.Errorf("%v, %d bytes, named %q", info.Mode(), info.Size(), info.Name())
	}
	s.must(s.WriteFile(s.Context(), s.at("empty"), nil))
	s.mustHold(s.at("empty"), "")
}

func (s *suite) replacedFile() {
	s.must(s.WriteFile(s.Context(), s.at("a"), []byte("a long text")))
	open, err := s.Open(s.Context(), s.at("a"))
	s.must(err)
	defer open.Close()
	s.must(s.WriteFile(s.Context(), s.at("a"), []byte("short")))
	s.mustHold(s.at("a"), "short")
	if data, err := io.ReadAll(open); err != nil || string(data) != "a long text" && string(data) != "short" {
		s.Errorf("a reader has seen %q, %v: neither the old content nor the new one", data, err)
	}
	s.must(s.ReplaceFile(s.Context(), s.at("a"), []byte("short"), []byte("x")))
	s.mustHold(s.at("a"), "x")
}

func (s *suite) changedFile() {
	s.must(s.WriteFile(s.Context(), s.at("a"), []byte("theirs")))
	for _, old := range []string{"ours", "their", "theirs and more", ""} {
		s.mustBe(s.ReplaceFile(s.Context(), s.at("a"), []byte(old), []byte("new")), host.ErrChanged)
	}
	s.mustHold(s.at("a"), "theirs")
	s.mustBe(s.ReplaceFile(s.Context(), s.at("gone"), []byte("x"), []byte("y")), host.ErrChanged)
	_, err := s.Stat(s.Context(), s.at("gone"))
	s.mustBe(err, fs.ErrNotExist)
}

func (s *suite) noFile() {
	s.must(s.MkdirAll(s.Context(), s.at("folder")))
	if _, err := host.ReadFile(s.Context(), s, s.at("folder"), 1); err == nil {
		s.Error("a folder was read")
	}
	if s.WriteFile(s.Context(), s.at("folder"), []byte("x")) == nil {
		s.Error("a folder was replaced")
	}
	s.must(s.WriteFile(s.Context(), s.at("file"), nil))
	if s.MkdirAll(s.Context(), s.at("file")) == nil {
		s.Error("a file became a folder")
	}
}

func (s *suite) missing() {
	_, err := s.Stat(s.Context(), s.at("none"))
	s.mustBe(err, fs.ErrNotExist)
	_, err = s.Open(s.Context(), s.at("none"))
	s.mustBe(err, fs.ErrNotExist)
	_, err = s.ReadDir(s.Context(), s.at("none"))
	s.mustBe(err, fs.ErrNotExist)
	s.mustBe(s.WriteFile(s.Context(), s.at("none", "a"), nil), fs.ErrNotExist)
	s.mustBe(s.Remove(s.Context(), s.at("none")), fs.ErrNotExist)
	_, err = s.Create(s.Context(), s.at("none", "a"))
	s.mustBe(err, fs.ErrNotExist)
}

func (s *suite) folders() {
	s.must(s.MkdirAll(s.Context(), s.at("b", "deep")))
	s.must(s.MkdirAll(s.Context(), s.at("b")))
	for _, name := range []string{"c", "a", "B"} {
		s.must(s.WriteFile(s.Context(), s.at(name), []byte(name)))
	}
	entries, err := s.ReadDir(s.Context(), s.dir)
	s.must(err)
	var names []string
	for _, e := range entries {
		if e.IsDir() != (e.Name() == "b") || e.Type().IsRegular() == e.IsDir() {
			s.Errorf("%s has the type %v", e.Name(), e.Type())
		}
		info, err := e.Info()
		if s.must(err); info.IsDir() != e.IsDir() || !e.IsDir() && info.Size() != 1 {
			s.Errorf("%s is described as %v with %d bytes", e.Name(), info.Mode(), info.Size())
		}
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "B a b c" {
		s.Errorf("the folder has %s", got)
	}
	if info, err := s.Stat(s.Context(), s.at("b", "deep")); err != nil || !info.IsDir() {
		s.Errorf("the inner folder: %v, %v", info, err)
	}
}

func (s *suite) created() {
	f, err := s.Create(s.Context(), s.at("log"))
	s.must(err)
	for _, piece := range []string{"one ", "two ", "three"} {
		if n, err := f.Write([]byte(piece)); n != len(piece) || err != nil {
			s.Errorf("wrote %d bytes, %v", n, err)
		}
	}
	s.must(f.Close())
	s.mustHold(s.at("log"), "one two three")
	_, err = s.Create(s.Context(), s.at("log"))
	s.mustBe(err, fs.ErrExist)
	s.mustHold(s.at("log"), "one two three")
}

func (s *suite) removed() {
	s.must(s.MkdirAll(s.Context(), s.at("b")))
	s.must(s.WriteFile(s.Context(), s.at("b", "a"), nil))
	if s.Remove(s.Context(), s.at("b")) == nil {
		s.Error("a folder with a file was removed")
	}
	s.must(s.Remove(s.Context(), s.at("b", "a")))
	s.must(s.Remove(s.Context(), s.at("b")))
	_, err := s.Stat(s.Context(), s.at("b"))
	s.mustBe(err, fs.ErrNotExist)
}

func (s *suite) paths() {
	s.must(s.WriteFile(s.Context(), s.at("a"), nil))
	if one, two := s.Real(s.at("a")), s.Real(s.at("b", "..", "a")); one != two || !filepath.IsAbs(one) {
		s.Errorf("one file is both %s and %s", one, two)
	}
	if s.Exists(s.at("none")) {
		s.Error("what does not exist is said to exist")
	}
	if info, err := s.Stat(s.Context(), s.TempDir()); err != nil || !info.IsDir() {
		s.Errorf("the folder for temporary files: %v, %v", info, err)
	}
	if home := s.HomeDir(); home != "" && !filepath.IsAbs(home) {
		s.Errorf("the home folder is %s", home)
	}
}

// aborted checks what waits: a host with the files at hand need not look at the context for
// those that do not.
func (s *suite) aborted() {
	s.must(s.WriteFile(s.Context(), s.at("a"), []byte("old")))
	ctx, cancel := context.WithCancelCause(s.Context())
	cancel(errors.New("stopped by the user"))
	if s.ReplaceFile(ctx, s.at("a"), []byte("old"), []byte("new")) == nil {
		s.Error("the file was replaced")
	}
	s.mustHold(s.at("a"), "old")
}
