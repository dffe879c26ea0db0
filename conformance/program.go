package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// Program is what is tested.
type Program struct {
	// Command is the program with its first arguments; those of a scenario follow.
	Command []string
	// HomeVars are the environment variables that pass the state folder; nil means
	// RONDO_HOME.
	HomeVars []string
	// StepTimeout bounds one step of the client; 0 means 30 seconds.
	StepTimeout time.Duration
}

func (p *Program) stepTimeout() time.Duration {
	if p.StepTimeout == 0 {
		return 30 * time.Second
	}
	return p.StepTimeout
}

// Recording is all that a program has shown to the outside.
type Recording struct {
	// Lines is the standard output; a line that is no JSON object is {"unparsed": TEXT}.
	Lines []ordered.Object
	// Requests is what the model received.
	Requests []Request
	// Sessions are the session files, line by line.
	Sessions [][]ordered.Object
	// Files are those files of the working folder that the scenario shows.
	Files ordered.Object
	// Exit is the exit code, negative for the signal that ended the program.
	Exit int
	// ClosedEarly is the number of answers that were not read to the end.
	ClosedEarly int
	// Problem says why the scenario could not be played to its end.
	Problem string
	// Stderr is the end of the standard error, for a reader.
	Stderr string

	// scenario is the scenario with the real values in place of placeholders.
	scenario *Scenario
	paths    []place
	top      string
	port     int
}

// place is a real path and the placeholder that stands for it.
type place struct{ real, mark string }

// Run plays a scenario. The error is for what keeps it from being played at all; what
// goes wrong in the course of it is the recording's Problem.
func (p *Program) Run(ctx context.Context, s *Scenario) (*Recording, error) {
	model, err := NewModel(s.API, p.stepTimeout())
	if err != nil {
		return nil, err
	}
	defer model.Close()
	w, err := newWorkspace(model.Port())
	if err != nil {
		return nil, fmt.Errorf("make the folder of a scenario: %w", err)
	}
	defer w.remove()
	s, err = s.at(w.places())
	if err != nil {
		return nil, err
	}
	if err := w.fill(s); err != nil {
		return nil, fmt.Errorf("write the files of %s: %w", s.Name, err)
	}
	model.Script(s.Replies)
	rec := &Recording{
		scenario: s,
		paths:    []place{{w.slug(), "<cwd-slug>"}, {w.cwd, "<cwd>"}, {w.home, "<home>"}, {w.ext, "<ext>"}},
		top:      w.top,
		port:     w.port,
	}
	if err := p.play(ctx, rec, model, w); err != nil {
		return nil, err
	}
	model.Close()
	rec.Requests, rec.ClosedEarly = model.Requests(), model.ClosedEarly()
	if rec.Sessions, err = w.sessions(); err != nil {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	if rec.Files, err = w.shown(s.ShowFiles); err != nil {
		return nil, fmt.Errorf("read the working folder: %w", err)
	}
	return rec, nil
}

// play runs the program while the client acts, and ends it.
func (p *Program) play(ctx context.Context, rec *Recording, model *Model, w *workspace) error {
	proc, err := startProcess(p.command(rec.scenario, w))
	if err != nil {
		return err
	}
	c := &client{proc: proc, model: model, timeout: p.stepTimeout(), held: map[string]ordered.Object{}}
	problem := c.act(ctx, rec.scenario)
	proc.stop()
	if problem != nil {
		rec.Problem = problem.Error()
	}
	rec.Lines = proc.lines.all()
	rec.Exit = proc.exitCode()
	rec.Stderr = proc.stderrTail()
	return nil
}

// command is the program as the scenario starts it.
func (p *Program) command(s *Scenario, w *workspace) *exec.Cmd {
	modes := map[string][]string{"rpc": {"--mode", "rpc"}, "json": {"--mode", "json"}, "print": {"-p"}}
	args := slices.Concat(p.Command[1:], modes[s.Mode], []string{"--provider", "lab", "--model", s.Select})
	for _, name := range s.extensionNames() {
		args = append(args, "-e", filepath.Join(w.ext, name))
	}
	cmd := exec.Command(p.Command[0], append(args, s.Args...)...)
	cmd.Dir = filepath.Join(w.cwd, s.Subdir)
	cmd.Env = p.environment(s, w)
	return cmd
}

// environment lets through what a program needs to run, and nothing that could make one
// machine differ from another.
func (p *Program) environment(s *Scenario, w *workspace) []string {
	vars := map[string]string{}
	for _, name := range []string{"PATH", "LANG", "TERM", "TMPDIR", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			vars[name] = value
		}
	}
	maps.Copy(vars, map[string]string{
		"HOME": w.top, "TZ": "UTC", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
		"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1",
	})
	homeVars := p.HomeVars
	if homeVars == nil {
		homeVars = []string{"RONDO_HOME"}
	}
	for _, name := range homeVars {
		vars[name] = w.home
	}
	maps.Copy(vars, s.Env)
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	return env
}

// drainTime is how long the output may stay open after the program has ended: processes
// that it left behind can hold it.
const drainTime = 5 * time.Second

// process is a running program and its three streams.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	lines  *feed[ordered.Object]
	stderr []byte
	// exited is closed when the program has ended.
	exited  chan struct{}
	outputs []*os.File
	readers sync.WaitGroup
	waiter  sync.WaitGroup
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, lines: newFeed[ordered.Object](), exited: make(chan struct{})}
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0].r, pipes[1].w, pipes[2].w
	ownGroup(cmd)
	err = cmd.Start()
	for _, theirs := range []*os.File{pipes[0].r, pipes[1].w, pipes[2].w} {
		theirs.Close()
	}
	p.stdin, p.outputs = pipes[0].w, []*os.File{pipes[1].r, pipes[2].r}
	if err != nil {
		p.closeStreams()
		return nil, fmt.Errorf("start the program: %w", err)
	}
	p.readers.Go(func() { p.readLines(pipes[1].r) })
	p.readers.Go(func() { p.stderr, _ = io.ReadAll(pipes[2].r) })
	p.waiter.Go(func() {
		p.cmd.Wait()
		close(p.exited)
	})
	return p, nil
}

type pipe struct{ r, w *os.File }

func openPipes() (pipes [3]pipe, err error) {
	for i := range pipes {
		if pipes[i].r, pipes[i].w, err = os.Pipe(); err != nil {
			for _, open := range pipes[:i] {
				open.r.Close()
				open.w.Close()
			}
			return pipes, fmt.Errorf("open a pipe: %w", err)
		}
	}
	return pipes, nil
}

func (p *process) readLines(out io.Reader) {
	defer p.lines.close()
	for line := range readLines(out) {
		p.lines.add(line)
	}
}

// stop kills what still runs and waits for the streams to end.
func (p *process) stop() {
	killGroup(p.cmd)
	p.waiter.Wait()
	for _, out := range p.outputs {
		out.SetReadDeadline(time.Now().Add(drainTime))
	}
	p.readers.Wait()
	p.closeStreams()
}

func (p *process) closeStreams() {
	p.stdin.Close()
	for _, out := range p.outputs {
		out.Close()
	}
}

// send writes to the program's input.
func (p *process) send(text string, timeout time.Duration) error {
	p.stdin.SetWriteDeadline(time.Now().Add(timeout))
	_, err := io.WriteString(p.stdin, text)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("timed out writing to the program's input")
	case err != nil:
		return errors.New("program closed its input")
	}
	return nil
}

func (p *process) exitCode() int {
	state := p.cmd.ProcessState
	if state == nil {
		return -1
	}
	if sig := endSignal(state); sig != 0 {
		return -sig
	}
	return state.ExitCode()
}

func (p *process) stderrTail() string {
	const most = 4000
	return strings.TrimSpace(validText(p.stderr[max(0, len(p.stderr)-most):]))
}
