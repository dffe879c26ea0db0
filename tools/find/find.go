// Package find is the tool that finds files by the pattern of their names.
package find

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"unicode"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/glob"
	"github.com/rondo-agent/rondo/tools/internal/listing"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
	"github.com/rondo-agent/rondo/tools/internal/walk"
	"github.com/rondo-agent/rondo/toolview"
)

// Name is the tool's name.
const Name = "find"

// Snippet is the tool's line in a system prompt.
const Snippet = "Find files by a glob pattern, leaving out what .gitignore excludes"

// Guidelines are what a system prompt says about using the tool.
var Guidelines = []string{
	"Find files by their names with find, not in a shell: it leaves out what .gitignore excludes.",
}

// View says how a call is shown to people.
var View = &toolview.View{
	Subject: []toolview.Part{{Arg: "pattern"}, {Arg: "path", Before: " in "}},
	Quiet:   true,
}

//go:embed description.md
var description string

// defaultLimit is the number of results shown if the model names none (Pi 0.85).
const defaultLimit = 1000

// parameters is the wire shape of Pi 0.85.
var parameters = schema.MustParse(`{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "description": "Glob, such as '*.go', 'src/**/*.{ts,tsx}' or 'docs/'"},
		"path": {"type": "string", "description": "Folder to search (default: working folder)"},
		"limit": {"type": "number", "description": "Most results to show (default: 1000)"}
	},
	"required": ["pattern"]
}`)

// Options adapt the tool. The zero value searches this machine.
type Options struct {
	// Host is where the tool works; nil means this machine.
	Host host.Host
}

// Details are for user interfaces (Pi 0.85).
type Details struct {
	// ResultLimitReached is the limit, if there are more results.
	ResultLimitReached int              `json:"resultLimitReached,omitzero"`
	Truncation         *truncate.Result `json:"truncation,omitzero"`
}

// New returns the tool for relative paths that start at cwd. Opts may be nil.
func New(cwd string, opts *Options) *agent.Tool {
	if opts == nil {
		opts = &Options{}
	}
	files := host.Or(opts.Host)
	return &agent.Tool{
		Name:        Name,
		Description: strings.TrimSpace(description),
		Parameters:  parameters,
		Execute: listing.Execute(Name, func(ctx context.Context, args *arguments) (*agent.ToolResult, error) {
			return find(ctx, files, cwd, args)
		}),
	}
}

type arguments struct {
	Pattern string   `json:"pattern"`
	Path    string   `json:"path"`
	Limit   *float64 `json:"limit"`
}

// ignoreFiles are those that fd reads besides .gitignore.
var ignoreFiles = []string{".fdignore", ".ignore"}

func find(ctx context.Context, files host.Host, cwd string, args *arguments) (*agent.ToolResult, error) {
	dir, err := listing.Folder(ctx, files, cwd, args.Path)
	if err != nil {
		return nil, err
	}
	// A pattern without capitals matches names with them, as with fd.
	pattern, err := glob.Compile(dir, args.Pattern, &glob.Options{
		IgnoreCase: !strings.ContainsFunc(args.Pattern, unicode.IsUpper),
	})
	if err != nil {
		return nil, err
	}
	return show(ctx, files, dir, pattern, listing.Limit(args.Limit, defaultLimit))
}

func show(ctx context.Context, files host.Host, dir string, pattern *glob.Glob, limit int) (*agent.ToolResult, error) {
	var out listing.Output
	var details Details
	shown, unreadable := 0, 0
	for e, err := range walk.Dir(ctx, files, dir, &walk.Options{IgnoreFiles: ignoreFiles}) {
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("find: %w", context.Cause(ctx))
		case err != nil && e.Rel == "":
			return nil, fmt.Errorf("search %s: %w", dir, err)
		case err != nil:
			unreadable++
			continue
		case !pattern.Match(e.Rel, e.Type.IsDir()):
			continue
		}
		if shown == limit {
			details.ResultLimitReached = limit
			out.Notice("The limit of %d results is reached; there are more: narrow the pattern or path, or raise limit", limit)
			break
		}
		if out.Full() {
			break
		}
		out.Line(e.Rel, suffix(e))
		shown++
	}
	if unreadable > 0 {
		out.Notice("Folders that could not be read: %d", unreadable)
	}
	var text string
	text, details.Truncation = out.Text("No files found matching pattern")
	return listing.Result(text, details)
}

func suffix(e walk.Entry) string {
	if e.Type.IsDir() {
		return "/"
	}
	return ""
}
