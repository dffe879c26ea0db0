package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// rondoSide is Rondo: its command and the test binaries of packages with benchmarks, each
// built when it is first needed.
type rondoSide struct {
	root    string // folder of the module
	scratch string
	given   string // program to measure instead of building one
	node    string // folder of the Node that Pi runs in, for benchmarks that use one; "" for the machine's

	program *program
	built   bool
	tests   map[string]string // test binaries by package
}

func newRondoSide(ctx context.Context, given, scratch string) (*rondoSide, error) {
	mod, err := goCommand(ctx, "", "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	file := strings.TrimSpace(mod)
	if file == "" || file == os.DevNull {
		return nil, errors.New("run this inside Rondo's module: go run ./bench")
	}
	if given != "" {
		if given, err = filepath.Abs(given); err != nil {
			return nil, err
		}
	}
	return &rondoSide{root: filepath.Dir(file), scratch: scratch, given: given}, nil
}

// command is the program to measure, or nil when it cannot be built.
func (s *rondoSide) command(ctx context.Context, b *bench) *program {
	if s.built {
		return s.program
	}
	s.built = true
	file := s.given
	if file == "" {
		file = filepath.Join(s.scratch, "rondo")
		if _, err := goCommand(ctx, s.root, "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./cmd/rondo"); err != nil {
			b.fail("Rondo's command", err)
			return nil
		}
	}
	s.program = &program{argv: []string{file}, stateVar: "RONDO_HOME"}
	return s.program
}

// benchmark runs one of the benchmarks of a package once.
func (s *rondoSide) benchmark(ctx context.Context, pkg, name string, p plan) (values, error) {
	file := s.tests[pkg]
	if file == "" {
		file = filepath.Join(s.scratch, strings.ReplaceAll(pkg, "/", "-")+".test")
		if _, err := goCommand(ctx, s.root, "test", "-c", "-o", file, "./"+pkg); err != nil {
			return nil, err
		}
		if s.tests == nil {
			s.tests = make(map[string]string)
		}
		s.tests[pkg] = file
	}
	cmd := exec.CommandContext(ctx, file, "-test.run=^$", "-test.bench=^"+name+"$", "-test.benchtime="+p.window.String(), "-test.count="+strconv.Itoa(p.windows))
	cmd.Dir = filepath.Join(s.root, filepath.FromSlash(pkg))
	if s.node != "" {
		cmd.Env = append(os.Environ(), "PATH="+s.node+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, tail(string(out), 600))
	}
	found, err := parseGoBench(bytes.NewReader(out))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s printed no result: %s", name, tail(string(out), 600))
	}
	return found, err
}

// goCommand runs the go tool in a folder and returns what it prints. Programs are static, as
// those of make build are: to find C's library takes a fifth of the start.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, tail(stderr.String(), 1000))
	}
	return string(out), nil
}
