// Package grep is the tool that searches the contents of files. It behaves like ripgrep,
// which it does not need: the same files are searched, and the same lines match.
package grep

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/internal/gitignore"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/glob"
	"github.com/rondo-agent/rondo/tools/internal/listing"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
	"github.com/rondo-agent/rondo/toolview"
)

// Name is the tool's name.
const Name = "grep"

// Snippet is the tool's line in a system prompt.
const Snippet = "Search the contents of files by a regular expression, leaving out what .gitignore excludes"

// Guidelines are what a system prompt says about using the tool.
var Guidelines = []string{
	"Search the contents of files with grep, not in a shell: it leaves out what .gitignore excludes and keeps the output short.",
}

// View says how a call is shown to people.
var View = &toolview.View{
	Subject: []toolview.Part{{Arg: "pattern"}, {Arg: "path", Before: " in "}, {Arg: "glob", Before: " (", After: ")"}},
	Quiet:   true,
}

//go:embed description.md
var description string

const (
	// defaultLimit is the number of matches shown if the model names none (Pi 0.85).
	defaultLimit = 100
	// maxContext bounds the lines of context on each side of a match. More than this many
	// would leave no room for anything else.
	maxContext = 1000
)

// parameters is the wire shape of Pi 0.85.
var parameters = schema.MustParse(`{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "description": "Regular expression (RE2), or plain text with literal"},
		"path": {"type": "string", "description": "Folder or file to search (default: working folder)"},
		"glob": {"type": "string", "description": "Search only files that match, such as '*.ts' or 'src/**/*.go'; with ! in front, only those that do not. A pattern with a slash is relative to path"},
		"ignoreCase": {"type": "boolean", "description": "Let capitals and small letters match each other (default: false)"},
		"literal": {"type": "boolean", "description": "Take pattern as plain text (default: false)"},
		"context": {"type": "number", "description": "Lines to show before and after each match (default: 0)"},
		"limit": {"type": "number", "description": "Most matches to show (default: 100)"}
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
	// MatchLimitReached is the limit, if there are more matches.
	MatchLimitReached int              `json:"matchLimitReached,omitzero"`
	Truncation        *truncate.Result `json:"truncation,omitzero"`
	// LinesTruncated says that a line that is shown was cut.
	LinesTruncated bool `json:"linesTruncated,omitzero"`
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
			return grep(ctx, files, cwd, args)
		}),
	}
}

type arguments struct {
	Pattern    string   `json:"pattern"`
	Path       string   `json:"path"`
	Glob       string   `json:"glob"`
	IgnoreCase bool     `json:"ignoreCase"`
	Literal    bool     `json:"literal"`
	Context    float64  `json:"context"`
	Limit      *float64 `json:"limit"`
}

func grep(ctx context.Context, files host.Host, cwd string, args *arguments) (*agent.ToolResult, error) {
	m, err := compile(args.Pattern, args.Literal, args.IgnoreCase)
	if err != nil {
		return nil, err
	}
	place, info, err := listing.Place(ctx, files, cwd, args.Path)
	if err != nil {
		return nil, err
	}
	s := &search{
		files: files, matcher: m,
		context: int(max(0, min(args.Context, maxContext))),
		limit:   listing.Limit(args.Limit, defaultLimit),
	}
	p := &page{context: s.context, limit: s.limit}
	switch {
	case info.Mode().IsRegular():
		err = s.file(ctx, place, p)
	case info.IsDir():
		if s.filter, err = filter(place, args.Glob); err == nil {
			err = s.folder(ctx, place, p)
		}
	default:
		err = fmt.Errorf("%s is neither a file nor a folder", place)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("grep: %w", context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	return p.result()
}

// filter makes what a walk asks before all ignore files: like ripgrep, a file that the
// glob names is searched even if an ignore file excludes it. A glob for all files is no
// such wish.
func filter(dir, pattern string) (func(rel string, dir bool) gitignore.Verdict, error) {
	pattern, negated := strings.CutPrefix(pattern, "!")
	switch pattern {
	case "", "*", "**", "**/*":
		if !negated || pattern == "" {
			return nil, nil
		}
	}
	g, err := glob.Compile(dir, pattern, &glob.Options{Rooted: true})
	if err != nil {
		return nil, fmt.Errorf("glob: %w", err)
	}
	return func(rel string, dir bool) gitignore.Verdict {
		switch matches := g.Match(rel, dir); {
		case matches && !negated:
			return gitignore.Include
		case matches, !dir && !negated:
			return gitignore.Ignore
		}
		return gitignore.None
	}, nil
}
