// Package read is the tool that shows a file to the model: text within limits, and
// images.
package read

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/picture"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/path"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
	"github.com/rondo-agent/rondo/toolview"
)

// Name is the tool's name.
const Name = "read"

// Snippet is the tool's line in a system prompt.
const Snippet = "Show a text file or an image"

// Guidelines are what a system prompt says about using the tool.
var Guidelines = []string{
	"Look at a file with read, not with cat, head or sed in a shell.",
}

// View says how a call is shown to people.
var View = &toolview.View{
	Aliases: map[string]string{"file_path": "path"},
	Subject: []toolview.Part{{Arg: "path"}, {Arg: "offset", Count: "limit", Before: ":"}},
	Output:  toolview.Block{Kind: toolview.Code, File: "path"},
	Quiet:   true,
}

//go:embed description.md
var description string

// parameters is the wire shape of Pi 0.85.
var parameters = schema.MustParse(`{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "The file, absolute or relative to the working folder"},
		"offset": {"type": "number", "description": "The first line to show, counted from 1"},
		"limit": {"type": "number", "description": "How many lines to show at most"}
	},
	"required": ["path"]
}`)

// Options adapt the tool. The zero value reads files of this machine.
type Options struct {
	// Host is where the tool works; nil means this machine.
	Host host.Host
	// KeepImageSize gives images to the model as large as they are, instead of within
	// the limits of [picture.Fit].
	KeepImageSize bool
}

// New returns the tool for relative paths that start at cwd. Opts may be nil.
func New(cwd string, opts *Options) *agent.Tool {
	if opts == nil {
		opts = &Options{}
	}
	t := tool{path.Names{Host: host.Or(opts.Host), Dir: cwd}, opts.KeepImageSize}
	return &agent.Tool{
		Name:        Name,
		Description: strings.TrimSpace(description),
		Parameters:  parameters,
		Execute:     t.execute,
	}
}

type tool struct {
	path.Names
	keepSize bool
}

type arguments struct {
	Path   string   `json:"path"`
	Offset *float64 `json:"offset"`
	Limit  *float64 `json:"limit"`
}

func (t *tool) execute(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, fmt.Errorf("read the arguments of %s: %w", Name, err)
	}
	lines, err := args.lines()
	if err != nil {
		return nil, err
	}
	result, err := t.read(ctx, args.Path, lines)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("read %s: %w", args.Path, context.Cause(ctx))
	}
	return result, err
}

// lines converts offset and limit, which are JSON numbers of any kind.
func (a *arguments) lines() (selection, error) {
	s := selection{first: 1, last: math.MaxInt}
	if a.Offset != nil && *a.Offset > 1 {
		s.first = wholeLines(*a.Offset)
	}
	if a.Limit == nil {
		return s, nil
	}
	if *a.Limit < 1 {
		return s, errors.New("limit must be at least 1; leave it out to read to the end")
	}
	if limit := wholeLines(*a.Limit); limit <= math.MaxInt-s.first {
		s.last = s.first + limit - 1
	}
	return s, nil
}

// wholeLines rounds down and keeps what is larger than any file within int.
func wholeLines(n float64) int { return int(min(n, 1<<52)) }

func (t *tool) read(ctx context.Context, name string, lines selection) (*agent.ToolResult, error) {
	file, err := t.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	source := &source{ctx: ctx, file: file}
	head, err := source.peek(picture.SniffLen)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if _, isImage := picture.Sniff(head); isImage {
		result, err := t.image(source, name)
		if err == nil || !looksLikeText(head) {
			return result, err
		}
	}
	return readText(source.text(), name, lines)
}

// open finds and opens a regular file. Whatever else has a name, such as a pipe without a
// writer, could block for ever or has no end.
func (t *tool) open(ctx context.Context, name string) (io.ReadCloser, error) {
	p := t.Find(ctx, name)
	info, err := t.Host.Stat(ctx, p)
	if err != nil {
		return nil, path.Error(Name, name, err)
	}
	if err := mustBeRegular(name, info.Mode()); err != nil {
		return nil, err
	}
	file, err := t.Host.Open(ctx, p)
	if err != nil {
		return nil, path.Error(Name, name, err)
	}
	return file, nil
}

func mustBeRegular(name string, mode fs.FileMode) error {
	var kind string
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("read %s: is a folder; list it with ls instead", name)
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	default:
		kind = "a special file"
	}
	return fmt.Errorf("read %s: is %s; only regular files can be read", name, kind)
}

// looksLikeText says whether the beginning of a file could be a text that happens to begin
// like an image.
func looksLikeText(head []byte) bool {
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		if r == utf8.RuneError && size == 1 && len(head) >= utf8.UTFMax || r < ' ' && !strings.ContainsRune("\t\n\r\f\v", r) {
			return false
		}
		head = head[size:]
	}
	return true
}

// maxImageFile bounds the image files that are loaded, in bytes.
const maxImageFile = 256 << 20

func (t *tool) image(source *source, name string) (*agent.ToolResult, error) {
	data, err := source.all(maxImageFile)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	load := func(data []byte) (*picture.Picture, error) { return picture.Fit(data, nil) }
	if t.keepSize {
		load = picture.Load
	}
	p, err := load(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &agent.ToolResult{Content: ai.Content{
		&ai.Text{Text: imageNote(name, p)},
		&ai.Image{Data: p.Base64(), MIMEType: p.MIMEType},
	}}, nil
}

// imageNote introduces an image. Who is told a scale can turn coordinates in what it sees
// into those of the file.
func imageNote(name string, p *picture.Picture) string {
	if !p.Scaled() {
		return fmt.Sprintf("Image %s (%s)", name, p.MIMEType)
	}
	return fmt.Sprintf("Image %s (%s), scaled from %d×%d to %d×%d pixels: multiply coordinates by %.2f to get those in the file",
		name, p.MIMEType, p.OriginalWidth, p.OriginalHeight, p.Width, p.Height, float64(p.OriginalWidth)/float64(p.Width))
}

// details is for user interfaces.
type details struct {
	Truncation truncate.Result `json:"truncation"`
}
