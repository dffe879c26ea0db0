// Package edit is the tool that lets the model replace pieces of a file's text.
//
// A piece is found only if it is in the file, literally or after a few normalisations
// that undo how models respell text; it is never found because it is similar. Everything
// outside of the changed lines keeps its bytes.
package edit

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/filequeue"
	"github.com/rondo-agent/rondo/tools/internal/path"
	"github.com/rondo-agent/rondo/toolview"
)

// Name is the tool's name.
const Name = "edit"

// Snippet is the tool's line in a system prompt.
const Snippet = "Replace exact pieces of text in a file"

// Guidelines are what a system prompt says about using the tool.
var Guidelines = []string{
	"Change existing files with edit; several changes to one file belong in one call.",
	"Copy oldText from the file as it is now, short but unique.",
}

// View says how a call is shown to people.
var View = &toolview.View{
	Aliases: map[string]string{"file_path": "path"},
	Subject: []toolview.Part{{Arg: "path"}},
	Input:   toolview.Block{Kind: toolview.Edits, Arg: "edits"},
	Output:  toolview.Block{Kind: toolview.Diff, Detail: "diff"},
}

//go:embed description.md
var description string

// parameters is the wire shape of Pi 0.85.
var parameters = schema.MustParse(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file, absolute or relative to the working folder"},
		"edits": {
			"type": "array",
			"description": "The replacements, all matched against the file as it is now",
			"items": {
				"type": "object",
				"properties": {
					"oldText": {"type": "string", "description": "Text that occurs in the file exactly once"},
					"newText": {"type": "string", "description": "What stands there afterwards"}
				},
				"required": ["oldText", "newText"]
			}
		}
	},
	"required": ["path", "edits"]
}`)

// Options adapt the tool. The zero value edits files of this machine.
type Options struct {
	// Host is where the tool works; nil means this machine.
	Host host.Host
}

// New returns the tool for relative paths that start at cwd. Opts may be nil.
//
// Calls that change one file, of this tool or of write, run one after another: those of
// one batch in the order of the calls, all others as they come.
func New(cwd string, opts *Options) *agent.Tool {
	if opts == nil {
		opts = &Options{}
	}
	t := &tool{path.Names{Host: host.Or(opts.Host), Dir: cwd}}
	return &agent.Tool{
		Name:             Name,
		Description:      strings.TrimSpace(description),
		Parameters:       parameters,
		PrepareArguments: prepareArguments,
		Exclusive:        t.exclusive,
		Execute:          t.execute,
	}
}

type tool struct{ path.Names }

// exclusive names the file that a call changes, if its arguments name one.
func (t *tool) exclusive(raw jsontext.Value) string {
	var args struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(raw, &args); err != nil || args.Path == "" {
		return ""
	}
	return t.key(args.Path)
}

// key names the file of a name without waiting for a network: a run asks for the keys of a
// batch before any of its calls starts.
func (t *tool) key(name string) string { return t.Key(t.FindNow(name)) }

type arguments struct {
	Path  string `json:"path"`
	Edits []Edit `json:"edits"`
}

// Edit is one replacement.
type Edit struct {
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
}

// Details describe what was changed, for user interfaces (Pi 0.85).
type Details struct {
	// Diff has the changed lines and some around them, with line numbers.
	Diff string `json:"diff"`
	// Patch is a unified diff.
	Patch string `json:"patch"`
	// FirstChangedLine is a line of the new text, counted from 1.
	FirstChangedLine int `json:"firstChangedLine"`
}

func (t *tool) execute(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, fmt.Errorf("read the arguments of %s: %w", Name, err)
	}
	leave, err := filequeue.Files.Enter(ctx, t.key(args.Path))
	if err != nil {
		return nil, fmt.Errorf("edit %s: %w", args.Path, err)
	}
	defer leave()
	details, err := t.edit(ctx, args)
	if err != nil {
		return nil, path.Error(Name, args.Path, err)
	}
	raw, err := json.Marshal(details)
	if err != nil {
		return nil, fmt.Errorf("write the details of %s: %w", Name, err)
	}
	done := fmt.Sprintf("Made %s in %s.", count(len(args.Edits), "replacement"), args.Path)
	return &agent.ToolResult{Content: ai.TextContent(done), Details: raw}, nil
}

// edit changes the file. It stops for ctx only before the change, never between change
// and report.
func (t *tool) edit(ctx context.Context, args arguments) (*Details, error) {
	p := t.Find(ctx, args.Path)
	old, err := t.read(ctx, p)
	if err != nil {
		return nil, err
	}
	body, encoding, err := narrow(old)
	if err != nil {
		return nil, err
	}
	doc := newDocument(body)
	changes, err := doc.plan(args.Edits)
	if err != nil {
		return nil, err
	}
	data := widen(doc.apply(changes), encoding)
	if bytes.Equal(data, old) {
		return nil, errors.New("newText says what the file says already, so there is nothing to change")
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := t.Host.ReplaceFile(ctx, p, old, data); err != nil {
		return nil, err
	}
	return describe(args.Path, doc.text, changes)
}

// maxFile bounds the files that are edited, in bytes: they are held in memory.
const maxFile = 512 << 20

var errTooLarge = fmt.Errorf("the file is larger than %d MB; change it with a command instead", maxFile>>20)

func (t *tool) read(ctx context.Context, p string) ([]byte, error) {
	info, err := t.Host.Stat(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a folder")
	case !info.Mode().IsRegular():
		return nil, host.ErrNotRegular
	case info.Size() > maxFile:
		return nil, errTooLarge
	}
	data, err := host.ReadFile(ctx, t.Host, p, maxFile)
	switch {
	case errors.Is(err, host.ErrTooLarge):
		return nil, errTooLarge
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return data, err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
