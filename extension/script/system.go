package script

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// system is what scripts of one machine have of the computer: a working folder and
// variables of their own, and the programs that they have started.
type system struct {
	settings *Settings

	mu          sync.Mutex
	dir         string             // of chdir; empty is the program's
	env         map[string]*string // set or, nil, removed
	processes   map[int]*child
	connections map[int]net.Conn
	last        int
}

// Terminal is the program's terminal, where scripts may write to it.
type Terminal interface {
	Write(p []byte) (int, error)
	Size() (columns, rows int)
}

type originKey struct{}

// check asks the policy about an access.
func (s *system) check(ctx context.Context, kind Kind, subject string) error {
	if s.settings.Policy == nil {
		return nil
	}
	origin, _ := ctx.Value(originKey{}).(string)
	return s.settings.Policy.check(Access{Kind: kind, Subject: subject, Extension: origin})
}

func (s *system) cwd() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		return s.dir
	}
	if s.settings.Dir != "" {
		return s.settings.Dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "/"
	}
	return dir
}

func (s *system) chdir(dir string) error {
	dir = s.path(dir)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &Error{Code: "ENOTDIR", Message: "ENOTDIR: not a directory, chdir '" + dir + "'"}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dir = dir
	return nil
}

// path makes a path of a script absolute.
func (s *system) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(s.cwd(), p)
}

// getenv returns a variable, nil if there is none or if it is refused.
func (s *system) getenv(name string) *string {
	s.mu.Lock()
	value, changed := s.env[name]
	s.mu.Unlock()
	if changed {
		return value
	}
	v, ok := os.LookupEnv(name)
	if !ok || s.check(context.Background(), Environment, name) != nil {
		return nil
	}
	return &v
}

func (s *system) envNames() []string {
	var names []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, value := range s.env {
		if value != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if value == nil {
			names = slices.DeleteFunc(names, func(n string) bool { return n == name })
		}
	}
	return names
}

// environ is the environment of programs that a script runs: its own, or what it gives.
func (s *system) environ(given map[string]string) []string {
	var list []string
	if given != nil {
		for name, value := range given {
			list = append(list, name+"="+value)
		}
		return list
	}
	for _, name := range s.envNames() {
		if v := s.getenv(name); v != nil {
			list = append(list, name+"="+*v)
		}
	}
	return list
}
