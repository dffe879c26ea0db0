package conformance

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	defer func() { _ = w.remove() }() // a temporary folder that stays does no harm
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
