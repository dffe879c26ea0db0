// Package write is the tool that lets the model create and replace files.
package write

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/filequeue"
	"github.com/rondo-agent/rondo/tools/internal/path"
	"github.com/rondo-agent/rondo/toolview"
)

// Name is the tool's name.
const Name = "write"

// Snippet is the tool's line in a system prompt.
const Snippet = "Create a file or replace all of it"

// Guidelines are what a system prompt says about using the tool.
var Guidelines = []string{
	"Use write for new files and complete rewrites only.",
}

// View says how a call is shown to people.
var View = &toolview.View{
	Aliases: map[string]string{"file_path": "path"},
	Subject: []toolview.Part{{Arg: "path"}},
	Notes:   []toolview.Part{{Arg: "content", Lines: true}},
	Input:   toolview.Block{Kind: toolview.Code, Arg: "content", File: "path"},
	Output:  toolview.Block{Kind: toolview.Note},
}

//go:embed description.md
var description string

// parameters is the wire shape of Pi 0.85.
var parameters = schema.MustParse(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file, absolute or relative to the working folder"},
		"content": {"type": "string", "description": "The whole new content"}
	},
	"required": ["path", "content"]
}`)

// Options adapt the tool. The zero value writes files of this machine.
type Options struct {
	// Host is where the tool works; nil means this machine.
	Host host.Host
}

// New returns the tool for relative paths that start at cwd. Opts may be nil.
//
// Calls that change one file, of this tool or of edit, run one after another: those of
// one batch in the order of the calls, all others as they come.
func New(cwd string, opts *Options) *agent.Tool {
	if opts == nil {
		opts = &Options{}
	}
	t := &tool{path.Names{Host: host.Or(opts.Host), Dir: cwd}}
	return &agent.Tool{
		Name:        Name,
		Description: strings.TrimSpace(description),
		Parameters:  parameters,
		Exclusive:   t.exclusive,
		Execute:     t.execute,
	}
}

type tool struct{ path.Names }

type arguments struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// exclusive names the file that a call changes, if its arguments name one.
func (t *tool) exclusive(raw jsontext.Value) string {
	var args struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(raw, &args); err != nil || !namesFile(args.Path) {
		return ""
	}
	return t.Key(t.Resolve(args.Path))
}

func namesFile(name string) bool {
	return name != "" && name[len(name)-1] != '/' && name[len(name)-1] != filepath.Separator
}

func (t *tool) execute(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, fmt.Errorf("read the arguments of %s: %w", Name, err)
	}
	if !namesFile(args.Path) {
		return nil, fmt.Errorf("write %q: the path must name a file", args.Path)
	}
	p := t.Resolve(args.Path)
	leave, err := filequeue.Files.Enter(ctx, t.Key(p))
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", args.Path, err)
	}
	defer leave()
	if err := t.write(ctx, p, args.Content); err != nil {
		return nil, path.Error(Name, args.Path, err)
	}
	return agent.TextResult(fmt.Sprintf("Wrote %d bytes to %s.", len(args.Content), args.Path)), nil
}

func (t *tool) write(ctx context.Context, p, content string) error {
	if err := t.Host.MkdirAll(ctx, filepath.Dir(p)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return t.Host.WriteFile(ctx, p, []byte(content))
}
