// Package listing is what the tools that list things have in common: their arguments,
// where to look, how many results to show, and how to say that there are more.
package listing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/path"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// maxCollected is how much text an [Output] takes, in bytes. It is far more than is shown,
// so that the totals of an ordinary result are exact.
const maxCollected = 1 << 20

// Execute makes a tool's function of one that takes the arguments as a struct.
func Execute[A any](tool string, run func(ctx context.Context, args *A) (*agent.ToolResult, error)) func(context.Context, *agent.Call) (*agent.ToolResult, error) {
	return func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
		args := new(A)
		if err := json.Unmarshal(call.Args, args); err != nil {
			return nil, fmt.Errorf("read the arguments of %s: %w", tool, err)
		}
		return run(ctx, args)
	}
}

// Limit reads the argument "limit": how many results to show, at least one. A number with
// a fraction is rounded down, nil stands for byDefault.
func Limit(arg *float64, byDefault int) int {
	if arg == nil {
		return byDefault
	}
	return int(max(1, min(*arg, math.MaxInt32)))
}

// Place finds the file or folder that a model means; an empty name is cwd.
func Place(ctx context.Context, files host.Host, cwd, name string) (string, fs.FileInfo, error) {
	abs := path.Names{Host: files, Dir: cwd}.Find(ctx, name)
	info, err := files.Stat(ctx, abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("%s: %w; check the path, or list the folder above it", abs, fs.ErrNotExist)
	case err != nil:
		return "", nil, err
	}
	return abs, info, nil
}

// Folder is [Place] for tools that need a folder.
func Folder(ctx context.Context, files host.Host, cwd, name string) (string, error) {
	abs, info, err := Place(ctx, files, cwd, name)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder; set path to the folder that it is in", abs)
	}
	return abs, err
}

// Output collects the lines of a result.
type Output struct {
	text    strings.Builder
	notices []string
}

// Line adds a line that consists of parts. What is not UTF-8 is replaced.
func (o *Output) Line(parts ...string) {
	if o.text.Len() > 0 {
		o.text.WriteByte('\n')
	}
	for _, part := range parts {
		o.text.WriteString(strings.ToValidUTF8(part, "\ufffd"))
	}
}

// Empty says that there is no line.
func (o *Output) Empty() bool { return o.text.Len() == 0 }

// Full says that further lines are pointless: there are many more than will be shown.
func (o *Output) Full() bool { return o.text.Len() > maxCollected }

// Notice adds a sentence, without its full stop, that the model is told after the lines.
// It must not contain a bracket.
func (o *Output) Notice(format string, args ...any) {
	o.notices = append(o.notices, fmt.Sprintf(format, args...))
}

// Text is what the model sees: as many lines as fit the byte limit of tools, or the text
// empty if there are none, then the notices in brackets. The second result is nil if all
// lines fit.
func (o *Output) Text(empty string) (string, *truncate.Result) {
	text := o.text.String()
	if o.Empty() {
		text = empty
	}
	var cut *truncate.Result
	if r := truncate.Head(text, math.MaxInt, truncate.DefaultMaxBytes); r.Truncated {
		cut, text = &r, r.Content
		o.Notice("Output stops at %s", truncate.Size(truncate.DefaultMaxBytes))
	}
	if len(o.notices) > 0 {
		text += "\n\n[" + strings.Join(o.notices, ". ") + "]"
	}
	return text, cut
}

// Result makes the tool result. The zero value of D means that there are no details.
func Result[D comparable](text string, details D) (*agent.ToolResult, error) {
	result := &agent.ToolResult{Content: ai.TextContent(text)}
	var none D
	if details == none {
		return result, nil
	}
	var err error
	if result.Details, err = json.Marshal(details); err != nil {
		return nil, fmt.Errorf("write the details: %w", err)
	}
	return result, nil
}
