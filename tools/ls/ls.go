// Package ls is the tool that lists a folder.
package ls

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/listing"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
	"github.com/rondo-agent/rondo/toolview"
)

// Name is the tool's name.
const Name = "ls"

// Snippet is the tool's line in a system prompt.
const Snippet = "List the entries of a folder"

// Guidelines are what a system prompt says about using the tool.
var Guidelines = []string{
	"List folders with ls, not in a shell.",
}

// View says how a call is shown to people.
var View = &toolview.View{
	Subject: []toolview.Part{{Arg: "path", Or: "."}},
	Quiet:   true,
}

//go:embed description.md
var description string

// defaultLimit is the number of entries shown if the model names none (Pi 0.85).
const defaultLimit = 500

// parameters is the wire shape of Pi 0.85.
var parameters = schema.MustParse(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "Folder to list (default: working folder)"},
		"limit": {"type": "number", "description": "Most entries to show (default: 500)"}
	}
}`)

// Options adapt the tool. The zero value lists folders of this machine.
type Options struct {
	// Host is where the tool works; nil means this machine.
	Host host.Host
}

// Details are for user interfaces (Pi 0.85).
type Details struct {
	// EntryLimitReached is the limit, if there are more entries.
	EntryLimitReached int              `json:"entryLimitReached,omitzero"`
	Truncation        *truncate.Result `json:"truncation,omitzero"`
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
			return list(ctx, files, cwd, args)
		}),
	}
}

type arguments struct {
	Path  string   `json:"path"`
	Limit *float64 `json:"limit"`
}

func list(ctx context.Context, files host.Host, cwd string, args *arguments) (*agent.ToolResult, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("ls: %w", context.Cause(ctx))
	}
	dir, err := listing.Folder(ctx, files, cwd, args.Path)
	if err != nil {
		return nil, err
	}
	entries, err := files.ReadDir(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	return show(ctx, files, dir, entries, listing.Limit(args.Limit, defaultLimit))
}

func show(ctx context.Context, files host.Host, dir string, entries []fs.DirEntry, limit int) (*agent.ToolResult, error) {
	sortByName(entries)
	var out listing.Output
	var details Details
	for i, e := range entries {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("ls: %w", context.Cause(ctx))
		}
		if i == limit {
			details.EntryLimitReached = limit
			out.Notice("Showing %d of %d entries; a larger limit shows more", limit, len(entries))
			break
		}
		if out.Full() {
			break
		}
		out.Line(e.Name(), suffix(ctx, files, dir, e))
	}
	var text string
	text, details.Truncation = out.Text("(empty directory)")
	return listing.Result(text, details)
}

func sortByName(entries []fs.DirEntry) {
	lower := make(map[string]string, len(entries))
	for _, e := range entries {
		lower[e.Name()] = strings.ToLower(e.Name())
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(cmp.Compare(lower[a.Name()], lower[b.Name()]), cmp.Compare(a.Name(), b.Name()))
	})
}

// suffix is a slash for folders and links to folders.
func suffix(ctx context.Context, files host.Host, dir string, e fs.DirEntry) string {
	folder := e.IsDir()
	if e.Type()&fs.ModeSymlink != 0 {
		info, err := files.Stat(ctx, filepath.Join(dir, e.Name()))
		folder = err == nil && info.IsDir()
	}
	if folder {
		return "/"
	}
	return ""
}
