package script

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/bash"
	toolhost "github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/read"
)

// builtinArg names a built-in tool that a script has made, and the functions of the machine
// that stand in for the computer.
type builtinArg struct {
	Tool       string         `json:"tool"`
	CWD        string         `json:"cwd"`
	ID         string         `json:"id"`
	Params     jsontext.Value `json:"params"`
	Operations map[string]int `json:"operations"`
	Prefix     string         `json:"commandPrefix"`
	Shell      string         `json:"shellPath"`
	SpawnHook  int            `json:"spawnHook"`
	KeepSize   bool           `json:"keepImageSize"`
}

// builtinOps are the operations behind createBashTool and the other tool factories.
func (h *host) builtinOps() Table {
	return Table{
		"tools.describe": Typed(func(_ context.Context, a builtinArg) (any, error) {
			for _, d := range tools.Builtin(a.CWD, nil) {
				if d.Name == a.Tool {
					return map[string]any{
						"name": d.Name, "label": cmp.Or(d.Label, d.Name), "description": d.Description, "parameters": d.Parameters.JSON(),
						"promptSnippet": d.Snippet, "promptGuidelines": d.Guidelines,
					}, nil
				}
			}
			return nil, fmt.Errorf("there is no built-in tool %s", a.Tool)
		}),
		"tools.execute": Reaching(asked, h.runBuiltin), // its files and its shell ask
		"tools.bash":    Reaching(asked, h.runShell),
		"yaml.parse": Typed(func(_ context.Context, a struct {
			Text string `json:"text"`
		},
		) (any, error) {
			var out any
			if err := yaml.Unmarshal([]byte(a.Text), &out); err != nil {
				return nil, err
			}
			return out, nil
		}),
	}
}

// runBuiltin runs a built-in tool; its progress comes as parts.
func (h *host) runBuiltin(ctx context.Context, a builtinArg) (any, error) {
	on := toolhost.Local
	if len(a.Operations) > 0 || h.policy != nil {
		on = &scriptFiles{Host: toolhost.Local, host: h, ops: a.Operations}
	}
	definitions := tools.Builtin(a.CWD, &tools.Options{
		Host: on,
		Read: &read.Options{KeepImageSize: a.KeepSize},
		Bash: &bash.Options{CommandPrefix: a.Prefix, Shell: a.Shell, Host: toolhost.WithCommands(toolhost.Local, h.shell(&a))},
	})
	for _, d := range definitions {
		if d.Name == a.Tool {
			return runTool(ctx, d.Tool, &a)
		}
	}
	return nil, fmt.Errorf("there is no built-in tool %s", a.Tool)
}

// runTool prepares and validates the arguments as the kernel does, and runs the tool.
func runTool(ctx context.Context, t *agent.Tool, a *builtinArg) (any, error) {
	args := a.Params.Clone()
	var err error
	if t.PrepareArguments != nil {
		if args, err = t.PrepareArguments(args); err != nil {
			return nil, err
		}
	}
	if t.Parameters != nil {
		if args, err = t.Parameters.Validate(args); err != nil {
			return nil, err
		}
	}
	call := agent.NewCall(a.ID, t, args, func(partial *agent.ToolResult) { emitJSON(ctx, partial) })
	result, err := t.Execute(ctx, call)
	if err != nil {
		return nil, err
	}
	if result.IsError {
		return nil, fmt.Errorf("%s", textOf(result))
	}
	return result, nil
}

func textOf(r *agent.ToolResult) string {
	var b strings.Builder
	for _, block := range r.Content {
		if t, ok := block.(*ai.Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// shell is what runs the commands of a bash tool of a script.
func (h *host) shell(a *builtinArg) toolhost.Exec {
	if fn := a.Operations["exec"]; fn != 0 {
		return (&instance{host: h}).exec(fn)
	}
	if a.SpawnHook == 0 {
		return h.local
	}
	return func(ctx context.Context, cmd *toolhost.Command, output func([]byte)) (toolhost.Exit, error) {
		env := map[string]string{}
		for _, pair := range append(h.environ(ctx), cmd.Env...) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		var changed struct {
			Command *string           `json:"command"`
			CWD     *string           `json:"cwd"`
			Env     map[string]string `json:"env"`
		}
		if err := (&instance{host: h}).function(ctx, a.SpawnHook, &changed, map[string]any{"command": cmd.Text, "cwd": cmd.Dir, "env": env}); err != nil {
			return toolhost.Exit{}, err
		}
		next := *cmd
		if changed.Command != nil {
			next.Text = *changed.Command
		}
		if changed.CWD != nil {
			next.Dir = *changed.CWD
		}
		for name, value := range changed.Env {
			if env[name] != value {
				next.Env = append(next.Env, name+"="+value)
			}
		}
		return h.local(ctx, &next, output)
	}
}

// environ is what commands find in the environment.
func (h *host) environ(ctx context.Context) []string {
	if h.policy == nil {
		return os.Environ()
	}
	return h.system.environ(ctx, nil)
}

// local runs a command on this machine, if the policy allows its shell.
func (h *host) local(ctx context.Context, cmd *toolhost.Command, output func([]byte)) (toolhost.Exit, error) {
	if h.policy == nil {
		return toolhost.Local.Run(ctx, cmd, output)
	}
	if err := h.policy.permit(toRun(cmd.Dir, cmp.Or(cmd.Shell, "bash"), "-c", cmd.Text)); err != nil {
		return toolhost.Exit{}, err
	}
	own := *cmd
	own.Env, own.Bare = append(h.environ(ctx), cmd.Env...), true
	return toolhost.Local.Run(ctx, &own, output)
}

// runShell runs a command on this machine; what it writes comes as parts.
func (h *host) runShell(ctx context.Context, a struct {
	Command string            `json:"command"`
	CWD     string            `json:"cwd"`
	Timeout float64           `json:"timeout"` // seconds
	Env     map[string]string `json:"env"`
	Shell   string            `json:"shellPath"`
},
) (any, error) {
	cmd := &toolhost.Command{Text: a.Command, Dir: a.CWD, Shell: a.Shell}
	for name, value := range a.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if a.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(a.Timeout*float64(time.Second)), &Error{Message: fmt.Sprintf("timeout:%g", a.Timeout)})
		defer cancel()
	}
	exit, err := h.local(ctx, cmd, func(p []byte) { emitJSON(ctx, p) })
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	return map[string]any{"exitCode": exit.Code}, nil
}

// scriptFiles are files that functions of the machine stand for; what has no function is
// that of the local disk.
type scriptFiles struct {
	toolhost.Host
	host *host
	ops  map[string]int
}

// call calls an operation; it reports whether there is one.
func (f *scriptFiles) call(ctx context.Context, name string, into any, args ...any) (bool, error) {
	fn := f.ops[name]
	if fn == 0 {
		return false, nil
	}
	return true, (&instance{host: f.host}).function(ctx, fn, into, args...)
}

// Stat asks access, exists, stat or isDirectory, whichever there is.
func (f *scriptFiles) Stat(ctx context.Context, path string) (fs.FileInfo, error) {
	info := scriptFile{name: filepath.Base(path)}
	exists := true
	known, err := f.call(ctx, "exists", &exists, path)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	for name, into := range map[string]any{"stat": &info.dir, "isDirectory": &info.dir, "access": nil} {
		asked, err := f.call(ctx, name, into, path)
		if err != nil {
			return nil, err
		}
		known = known || asked
	}
	if !known {
		if err := f.permit(Read, path); err != nil {
			return nil, err
		}
		return f.Host.Stat(ctx, path)
	}
	return info, nil
}

// permit asks the policy before the local disk is used.
func (f *scriptFiles) permit(kind Kind, path string) error {
	return f.host.policy.permit(Access{Kind: kind, Subject: path})
}

// Open reads the whole file with the function readFile.
func (f *scriptFiles) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	var data []byte
	if known, err := f.call(ctx, "readFile", &data, path); known {
		return io.NopCloser(bytes.NewReader(data)), err
	}
	if err := f.permit(Read, path); err != nil {
		return nil, err
	}
	return f.Host.Open(ctx, path)
}

// ReplaceFile asks writeFile.
func (f *scriptFiles) ReplaceFile(ctx context.Context, path string, old, data []byte) error {
	if known, err := f.call(ctx, "writeFile", nil, path, string(data)); known {
		return err
	}
	if err := f.permit(Write, path); err != nil {
		return err
	}
	return f.Host.ReplaceFile(ctx, path, old, data)
}

// WriteFile asks writeFile.
func (f *scriptFiles) WriteFile(ctx context.Context, path string, data []byte) error {
	if known, err := f.call(ctx, "writeFile", nil, path, string(data)); known {
		return err
	}
	if err := f.permit(Write, path); err != nil {
		return err
	}
	return f.Host.WriteFile(ctx, path, data)
}

// MkdirAll asks mkdir.
func (f *scriptFiles) MkdirAll(ctx context.Context, dir string) error {
	if known, err := f.call(ctx, "mkdir", nil, dir); known {
		return err
	}
	if err := f.permit(Write, dir); err != nil {
		return err
	}
	return f.Host.MkdirAll(ctx, dir)
}

// ReadDir asks readdir, and stat for each name.
func (f *scriptFiles) ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error) {
	var names []string
	known, err := f.call(ctx, "readdir", &names, path)
	if !known {
		if err := f.permit(Read, path); err != nil {
			return nil, err
		}
		return f.Host.ReadDir(ctx, path)
	}
	list := make([]fs.DirEntry, 0, len(names))
	for _, name := range names {
		info := scriptFile{name: name}
		if _, err := f.call(ctx, "stat", &info.dir, filepath.Join(path, name)); err == nil {
			list = append(list, fs.FileInfoToDirEntry(info))
		}
	}
	return list, err
}

// scriptFile describes a file of functions.
type scriptFile struct {
	name string
	dir  bool
}

// The methods are those of [fs.FileInfo].

func (f scriptFile) Name() string       { return f.name }
func (f scriptFile) Size() int64        { return 0 }
func (f scriptFile) IsDir() bool        { return f.dir }
func (f scriptFile) ModTime() time.Time { return time.Time{} }
func (f scriptFile) Sys() any           { return nil }

func (f scriptFile) Mode() fs.FileMode {
	if f.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
