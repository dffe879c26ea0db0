package script

import (
	"context"
	"net/http"
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
	connections map[int]*connection
	servers     map[int]*server
	exchanges   map[int]*exchange
	files       map[int]*os.File
	transports  map[string]*http.Transport // of dispatchers
	opened      int
	last        int
	accepted    int
}

// Terminal is the program's terminal, where scripts may write to it.
type Terminal interface {
	Write(p []byte) (int, error)
	Size() (columns, rows int)
}

// newSystem returns one that has changed nothing.
func newSystem(s *Settings) *system {
	return &system{settings: s, processes: map[int]*child{}, connections: map[int]*connection{}, servers: map[int]*server{}, exchanges: map[int]*exchange{}, files: map[int]*os.File{}, transports: map[string]*http.Transport{}, env: map[string]*string{}}
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

// plainVariables are those that tell nothing but where things are. Every script may read them,
// and every program that it runs gets them: few work without.
var plainVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "TEMP", "TMP", "TERM", "COLORTERM", "NO_COLOR",
	"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ",
	"USERPROFILE", "USERNAME", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES",
}

func plainVariable(name string) bool { return slices.Contains(plainVariables, strings.ToUpper(name)) }

// getenv returns a variable, nil if there is none. One that the policy refuses is not there:
// programs look at many that they do not need.
func (s *system) getenv(ctx context.Context, name string) *string {
	value, own := s.lookup(name)
	if value == nil || own || plainVariable(name) || permit(ctx, Access{Kind: Env, Subject: name}) == nil {
		return value
	}
	return nil
}

// lookup returns a variable, nil if there is none, and whether the script has set it.
func (s *system) lookup(name string) (value *string, own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value, own = s.env[name]; own {
		return value, true
	}
	if v, ok := os.LookupEnv(name); ok {
		return &v, false
	}
	return nil, false
}

// envNames lists the variables that getenv has.
func (s *system) envNames(ctx context.Context) []string {
	var names []string
	p := policyOf(ctx)
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if p == nil || plainVariable(name) || p.refuses(Access{Kind: Env, Subject: name}) == nil {
			names = append(names, name)
		}
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
func (s *system) environ(ctx context.Context, given map[string]string) []string {
	list := []string{}
	if given != nil {
		for name, value := range given {
			list = append(list, name+"="+value)
		}
		return list
	}
	for _, name := range s.envNames(ctx) {
		if v, _ := s.lookup(name); v != nil {
			list = append(list, name+"="+*v)
		}
	}
	return list
}
