package script

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// runArg says which program a script runs, and how.
type runArg struct {
	File      string            `json:"file"`
	Args      []string          `json:"args"`
	Shell     string            `json:"shell"` // "" runs the program itself, "default" is the system's shell
	CWD       string            `json:"cwd"`
	Env       map[string]string `json:"env"`
	Input     []byte            `json:"input"`
	Timeout   float64           `json:"timeout"` // milliseconds
	MaxBuffer int               `json:"maxBuffer"`
	Detached  bool              `json:"detached"`
	Stdio     [3]string         `json:"stdio"` // pipe, inherit, ignore, or fd:NUMBER of an open file
}

// toRun is the access of a program; a command line is run by its shell.
func (s *system) toRun(a *runArg) []Access {
	dir := s.cwd()
	if a.CWD != "" {
		dir = s.path(a.CWD)
	}
	a.CWD = dir
	if a.Shell == "" {
		return []Access{toRun(dir, a.File, a.Args...)}
	}
	shell, args := shellCommand(a.Shell, strings.Join(append([]string{a.File}, a.Args...), " "))
	if a.Shell == "default" {
		return []Access{toRun(dir, filepath.Base(shell), args...)}
	}
	return []Access{toRun(dir, shell, args...)}
}

// command makes a command; it is not started.
func (s *system) command(ctx context.Context, a *runArg) *exec.Cmd {
	name, args := a.File, a.Args
	if a.Shell != "" {
		line := strings.Join(append([]string{name}, args...), " ")
		name, args = shellCommand(a.Shell, line)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = a.CWD
	cmd.Env = s.environ(ctx, a.Env)
	cmd.SysProcAttr = ownGroup()
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

func shellCommand(shell, line string) (name string, args []string) {
	if shell == "default" {
		shell = "/bin/sh"
		if runtime.GOOS == "windows" {
			shell = "cmd.exe"
		}
	}
	if strings.EqualFold(filepath.Base(shell), "cmd.exe") {
		return shell, []string{"/d", "/s", "/c", line}
	}
	return shell, []string{"-c", line}
}

// startError is what Node says of a program that cannot be started.
func startError(err error, a *runArg) *Error {
	code, _, number := errnoName(err)
	switch {
	case errors.Is(err, exec.ErrNotFound) || code == "":
		code, number = "ENOENT", 2
	case code == "ENOENT":
	}
	return &Error{Code: code, Errno: -number, Syscall: "spawn " + a.File, Path: a.File, Message: "spawn " + a.File + " " + code}
}

// ended is how a program has ended.
type ended struct {
	Status *int    `json:"status"`
	Signal *string `json:"signal"`
	Stdout []byte  `json:"stdout"`
	Stderr []byte  `json:"stderr"`
	PID    int     `json:"pid"`
	Error  *Error  `json:"error"`
}

func (e *ended) of(state *os.ProcessState) {
	if state == nil {
		return
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		name := signalName(ws.Signal())
		e.Signal = &name
		return
	}
	code := state.ExitCode()
	e.Status = &code
}

// inherit is where the program's own streams go: to the terminal if there is one, or to files
// that the script has opened.
func (s *system) inherit(cmd *exec.Cmd, stdio [3]string) {
	if f := s.fileOf(stdio[0]); f != nil {
		cmd.Stdin = f
	}
	if stdio[0] == "inherit" && s.settings.Terminal != nil {
		cmd.Stdin = os.Stdin
	}
	for i, w := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		if f := s.fileOf(stdio[i+1]); f != nil {
			*w = f
		}
		if stdio[i+1] != "inherit" {
			continue
		}
		*w = os.Stderr
		if i == 0 && s.settings.Terminal != nil {
			*w = os.Stdout
		}
	}
}

// fileOf is the open file of fd:NUMBER; nil if there is none.
func (s *system) fileOf(side string) *os.File {
	n, ok := strings.CutPrefix(side, "fd:")
	fd, err := strconv.Atoi(n)
	if !ok || err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[fd]
}

// run runs a program to its end.
func (s *system) run(ctx context.Context, a runArg) (*ended, error) {
	cmd := s.command(ctx, &a)
	if a.MaxBuffer <= 0 {
		a.MaxBuffer = 1 << 20
	}
	out, errs := &capped{left: a.MaxBuffer}, &capped{left: a.MaxBuffer}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(a.Input), out, errs
	s.inherit(cmd, a.Stdio)
	if cmd.Stdin == os.Stdin { // a program at the terminal belongs to the terminal's group
		cmd.SysProcAttr = nil
	}
	if err := cmd.Start(); err != nil {
		return &ended{Error: startError(err, &a)}, nil
	}
	e := &ended{PID: cmd.Process.Pid}
	limit := ctx
	if a.Timeout > 0 {
		var cancel context.CancelFunc
		limit, cancel = context.WithTimeout(ctx, time.Duration(a.Timeout*float64(time.Millisecond)))
		defer cancel()
	}
	stop := context.AfterFunc(limit, func() { killGroup(cmd.Process.Pid) })
	_ = cmd.Wait()
	stop()
	e.of(cmd.ProcessState)
	e.Stdout, e.Stderr = out.Bytes(), errs.Bytes()
	switch {
	case limit.Err() != nil:
		e.Error = &Error{Code: "ETIMEDOUT", Syscall: "spawnSync " + a.File, Message: "spawnSync " + a.File + " ETIMEDOUT"}
	case out.cut || errs.cut:
		e.Error = &Error{Code: "ENOBUFS", Syscall: "spawnSync " + a.File, Message: "spawnSync " + a.File + " ENOBUFS"}
	}
	return e, nil
}

// capped keeps the beginning of an output.
type capped struct {
	bytes.Buffer
	left int
	cut  bool
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.left -= n
	c.cut = c.cut || n < len(p)
	c.Buffer.Write(p[:n])
	return len(p), nil
}

// child is a program that runs beside the script.
type child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	pipes [2]io.ReadCloser
	// A detached program lives on when the machine ends.
	detached bool
}

func (s *system) childOps() Table {
	return Table{
		"process.run":    Reaching(s.toRun, s.run),
		"process.start":  Reaching(s.toRun, s.startChild),
		"process.follow": Typed(s.follow),
		"process.feed": Typed(func(_ context.Context, a struct {
			ID   int    `json:"id"`
			Data []byte `json:"data"`
			End  bool   `json:"end"`
		},
		) (any, error) {
			c := s.child(a.ID)
			if c == nil || c.stdin == nil {
				return nil, &Error{Code: "EPIPE", Syscall: "write", Message: "write EPIPE"}
			}
			if _, err := c.stdin.Write(a.Data); err != nil {
				return nil, &Error{Code: "EPIPE", Syscall: "write", Message: "write EPIPE"}
			}
			if a.End {
				return nil, c.stdin.Close()
			}
			return nil, nil
		}),
	}
}

func (s *system) child(id int) *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.processes[id]
}

type startedChild struct {
	ID    int    `json:"id"`
	PID   int    `json:"pid"`
	Error *Error `json:"error"`
}

func (s *system) startChild(ctx context.Context, a runArg) (*startedChild, error) {
	cmd := s.command(ctx, &a)
	var err error
	c := &child{cmd: cmd, detached: a.Detached}
	s.inherit(cmd, a.Stdio)
	if a.Stdio[0] == "pipe" {
		if c.stdin, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if a.Stdio[1] == "pipe" {
		if c.pipes[0], err = cmd.StdoutPipe(); err != nil {
			return nil, err
		}
	}
	if a.Stdio[2] == "pipe" {
		if c.pipes[1], err = cmd.StderrPipe(); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil {
		return &startedChild{Error: startError(err, &a)}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.processes[s.last] = c
	return &startedChild{ID: s.last, PID: cmd.Process.Pid}, nil
}

// follow sends what a program writes and returns when it has ended. If the machine ends, so
// does the program.
func (s *system) follow(ctx context.Context, a struct {
	ID int `json:"id"`
},
) (*ended, error) {
	c := s.child(a.ID)
	if c == nil {
		return nil, &Error{Code: "ESRCH", Message: "there is no such process"}
	}
	stop := context.AfterFunc(ctx, func() {
		if !c.detached {
			killGroup(c.cmd.Process.Pid)
		}
	})
	defer stop()
	over := make(chan struct{})
	go func() {
		var pumps sync.WaitGroup
		for i, pipe := range c.pipes {
			pumps.Go(func() { pump(ctx, i+1, pipe) })
		}
		pumps.Wait()
		_ = c.cmd.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
		if c.detached { // it lives on
			return nil, context.Cause(ctx)
		}
		<-over
	}
	s.mu.Lock()
	delete(s.processes, a.ID)
	s.mu.Unlock()
	e := &ended{PID: c.cmd.Process.Pid}
	e.of(c.cmd.ProcessState)
	return e, nil
}

func pump(ctx context.Context, fd int, from io.Reader) {
	if from == nil {
		return
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			emitJSON(ctx, struct {
				FD   int    `json:"fd"`
				Data []byte `json:"data"`
			}{fd, buf[:n]})
		}
		if err != nil {
			emitJSON(ctx, struct {
				FD  int  `json:"fd"`
				End bool `json:"end"`
			}{fd, true})
			return
		}
	}
}

func emitJSON(ctx context.Context, v any) {
	if raw, err := json.Marshal(v, lenient.Options); err == nil {
		Emit(ctx, raw)
	}
}
