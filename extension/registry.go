package extension

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// OwnedTool is a tool with the extension that it is from.
type OwnedTool struct {
	*Tool
	Source SourceInfo
}

// Tools lists the tools of all extensions, in the order of registration; of several of one
// name the first.
func (r *Runner) Tools() []OwnedTool {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []OwnedTool
	for _, in := range r.instances {
		for _, t := range in.tools {
			if !slices.ContainsFunc(list, func(other OwnedTool) bool { return other.Name == t.Name }) {
				list = append(list, OwnedTool{t, in.source.Info})
			}
		}
	}
	return list
}

// OwnedCommand is a command with the extension that it is from. Its name is the one to call
// it by.
type OwnedCommand struct {
	*Command
	// Invocation is the command's name, or name:n if several have it.
	Invocation string
	Source     SourceInfo

	in *instance
}

// Commands lists the commands of all extensions.
func (r *Runner) Commands() []OwnedCommand {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []OwnedCommand
	total, nth := make(map[string]int), make(map[string]int)
	for _, in := range r.instances {
		for _, c := range in.commands {
			list = append(list, OwnedCommand{Command: c, Invocation: c.Name, Source: in.source.Info, in: in})
			total[c.Name]++
		}
	}
	for i := range list {
		if c := &list[i]; total[c.Name] > 1 {
			nth[c.Name]++
			c.Invocation = fmt.Sprintf("%s:%d", c.Name, nth[c.Name])
		}
	}
	return list
}

// Command returns the command that is called by a name; nil if there is none.
func (r *Runner) Command(invocation string) *OwnedCommand {
	for _, c := range r.Commands() {
		if c.Invocation == invocation {
			return &c
		}
	}
	return nil
}

// RunCommand runs a command. A failure is reported, and returned for who wants to know.
func (r *Runner) RunCommand(ctx context.Context, c *OwnedCommand, args string) error {
	h := &handler{in: c.in, what: "command"}
	_, err := call(ctx, r, h, func(ctx context.Context) (None, error) {
		return None{}, c.Handler(ctx, &CommandContext{c.in.x}, args)
	})
	if err != nil {
		failure, ok := errors.AsType[*Error](err)
		if !ok {
			failure = &Error{Event: "command", Err: err}
		}
		failure.Path = "command:" + c.Invocation // as Pi 0.85 names it
		r.Report(failure)
	}
	return err
}

// Complete returns what may follow a command, of which prefix has been written. A failure is
// reported, and a command without completions has none.
func (r *Runner) Complete(ctx context.Context, c *OwnedCommand, prefix string) []AutocompleteItem {
	if c == nil || c.Completions == nil {
		return nil
	}
	h := &handler{in: c.in, what: "completions of " + c.Name}
	items, err := call(ctx, r, h, func(ctx context.Context) ([]AutocompleteItem, error) { return c.Completions(ctx, prefix) })
	if err != nil {
		r.fail(ctx, h, err)
		return nil
	}
	return items
}

// OwnedShortcut is a shortcut with the extension that it is from.
type OwnedShortcut struct {
	*Shortcut
	Source SourceInfo

	in *instance
}

// Shortcuts lists the shortcuts of all extensions. The mode decides which keys it can give
// away, and about those that several want.
func (r *Runner) Shortcuts() []OwnedShortcut {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []OwnedShortcut
	for _, in := range r.instances {
		for _, s := range in.shortcuts {
			list = append(list, OwnedShortcut{s, in.source.Info, in})
		}
	}
	return list
}

// RunShortcut does what a key is for. A failure is reported.
func (r *Runner) RunShortcut(ctx context.Context, s *OwnedShortcut) error {
	h := &handler{in: s.in, what: "shortcut"}
	_, err := call(ctx, r, h, func(ctx context.Context) (None, error) { return None{}, s.Handler(ctx, s.in.x) })
	if err != nil {
		r.fail(ctx, h, err)
	}
	return err
}

// Flags lists the flags of all extensions; of several of one name the first.
func (r *Runner) Flags() []*Flag {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*Flag
	for _, in := range r.instances {
		for _, f := range in.flags {
			if !slices.ContainsFunc(list, func(other *Flag) bool { return other.Name == f.Name }) {
				list = append(list, f)
			}
		}
	}
	return list
}

// SetFlags says what the command line says about flags, once they are known.
func (r *Runner) SetFlags(values map[string]any) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opts.Flags = values
}

// Providers calls fn with the providers of all extensions, in the order of registration.
func (r *Runner) Providers(fn func(name string, p *Provider)) {
	if r == nil {
		return
	}
	r.mu.Lock()
	var list []namedProvider
	for _, in := range r.instances {
		list = append(list, in.providers...)
	}
	r.mu.Unlock()
	for _, p := range list {
		fn(p.name, p.Provider)
	}
}

// RenderMessage shows a message of an extension; nil if no extension does. A renderer that
// panics is reported, and the message is shown as any.
func (r *Runner) RenderMessage(customType string, message jsontext.Value, expanded bool, theme Theme) Component {
	in, render := find(r, func(in *instance) MessageRenderer { return in.messages[customType] })
	if render == nil {
		return nil
	}
	return r.render(in, "message renderer "+customType, func() Component { return render(message, expanded, theme) })
}

// RenderEntry shows an entry of an extension; nil if no extension does.
func (r *Runner) RenderEntry(customType string, entry jsontext.Value, expanded bool, theme Theme) Component {
	in, render := find(r, func(in *instance) EntryRenderer { return in.entries[customType] })
	if render == nil {
		return nil
	}
	return r.render(in, "entry renderer "+customType, func() Component { return render(entry, expanded, theme) })
}

// find returns the first instance that has what get returns, and that.
func find[F MessageRenderer | EntryRenderer](r *Runner, get func(*instance) F) (*instance, F) {
	if r == nil {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range r.instances {
		if fn := get(in); fn != nil {
			return in, fn
		}
	}
	return nil, nil
}

func (r *Runner) render(in *instance, what string, fn func() Component) Component {
	h := &handler{in: in, what: what}
	c, err := guard(h, func() (Component, error) { return fn(), nil })
	if err != nil {
		r.fail(context.Background(), h, err)
	}
	return c
}

// Transforms reports whether an extension changes texts before they are shown.
func (r *Runner) Transforms() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.instances, func(in *instance) bool { return len(in.transformers) > 0 })
}

// TransformMarkdown passes a text through the transformers of all extensions.
func (r *Runner) TransformMarkdown(text string, about MarkdownContext) string {
	if r == nil {
		return text
	}
	r.mu.Lock()
	instances := slices.Clone(r.instances)
	r.mu.Unlock()
	for _, in := range instances {
		for _, transform := range in.transformers {
			h := &handler{in: in, what: "markdown transformer"}
			if changed, err := guard(h, func() (string, error) { return transform(text, about), nil }); err == nil {
				text = changed
			} else {
				r.fail(context.Background(), h, err)
			}
		}
	}
	return text
}

// CommandContext is what a command of no extension would get: [WithSession] works with it.
func (r *Runner) CommandContext() *CommandContext {
	in := &instance{runner: r, source: Source{Path: runtimePath}}
	return &CommandContext{&Context{in}}
}

// runtimePath is what reports name instead of an extension (Pi 0.85).
const runtimePath = "<runtime>"
