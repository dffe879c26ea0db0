package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/toolview"
	"github.com/rondo-agent/rondo/transcript"
)

// toolbox is which tools there are, and which of them the model can call.
type toolbox struct {
	ext          *extension.Runner // that brings tools; nil if there is none
	allowed      func(name string) bool
	agent        *agent.Agent
	writer       *writer
	instructions *instructions // that name the tools

	mu      sync.Mutex
	builtin []tools.Definition
	active  []string // by name, in order
	known   map[string]bool
	changes int // counts the changes
	applied int // the changes that the run under way has been told of
}

// definition is a tool with the extension that brings it; nil is the program itself.
type definition struct {
	tools.Definition
	owner *extension.OwnedTool
}

// newToolbox chooses the tools to begin with. The agent is set later.
func newToolbox(opts *Options, w *writer, i *instructions) *toolbox {
	b := &toolbox{ext: opts.Extensions, allowed: opts.ToolAllowed, writer: w, instructions: i, builtin: opts.Toolbox, known: make(map[string]bool)}
	for _, t := range opts.Tools {
		if !slices.ContainsFunc(b.builtin, func(d tools.Definition) bool { return d.Name == t.Name }) {
			b.builtin = append(slices.Clip(b.builtin), tools.Definition{Tool: t})
		}
		b.active = append(b.active, t.Name)
	}
	b.activateNew()
	return b
}

// activateNew makes tools that extensions have registered active, each once; the mutex is
// held, or the toolbox is new.
func (b *toolbox) activateNew() {
	for _, t := range b.ext.Tools() {
		if b.known[t.Name] {
			continue
		}
		b.known[t.Name] = true
		if !t.Hidden && !slices.Contains(b.active, t.Name) && (b.allowed == nil || b.allowed(t.Name)) {
			b.active = append(b.active, t.Name)
		}
	}
}

// definitions lists all tools: the built-in ones, or those of extensions in their place, and
// the others of extensions; the mutex is held.
func (b *toolbox) definitions() []definition {
	owned := b.ext.Tools()
	var list []definition
	for _, d := range b.builtin {
		if !slices.ContainsFunc(owned, func(t extension.OwnedTool) bool { return t.Name == d.Name }) {
			list = append(list, definition{Definition: d})
		} else {
			list = append(list, definition{Definition: tools.Definition{Tool: &agent.Tool{Name: d.Name}}})
		}
	}
	for i := range owned {
		t := &owned[i]
		d := definition{tools.Definition{Tool: b.wrapped(t), Snippet: t.PromptSnippet, Guidelines: t.PromptGuidelines, View: t.View}, t}
		if at := slices.IndexFunc(list, func(other definition) bool { return other.Name == t.Name }); at >= 0 {
			list[at] = d
		} else {
			list = append(list, d)
		}
	}
	return list
}

// activeTools returns the tools that the model can call, in order; the mutex is held.
func (b *toolbox) activeTools() []tools.Definition {
	all := b.definitions()
	var list []tools.Definition
	for _, name := range b.active {
		if i := slices.IndexFunc(all, func(d definition) bool { return d.Name == name }); i >= 0 {
			list = append(list, all[i].Definition)
		}
	}
	return list
}

// withHidden returns the tools of the agent: the active ones, and those of extensions that
// only other tools can run.
func (b *toolbox) withHidden(active []tools.Definition) []*agent.Tool {
	list := tools.Tools(active)
	for _, t := range b.ext.Tools() {
		if t.Hidden && !slices.ContainsFunc(list, func(other *agent.Tool) bool { return other.Name == t.Name }) {
			list = append(list, b.wrapped(&t))
		}
	}
	return list
}

// view returns how the calls of a tool are shown; nil for one that is not known or has no view.
func (b *toolbox) view(name string) *toolview.View {
	for _, t := range b.ext.Tools() {
		if t.Name == name && t.View != nil {
			return t.View
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.builtin { // also for an extension's tool in its place, which takes its arguments
		if d.Name == name {
			return d.View
		}
	}
	return nil
}

// views returns those of all tools that have one, by the names of the tools.
func (b *toolbox) views() map[string]*toolview.View {
	b.mu.Lock()
	views := tools.Views(b.builtin)
	b.mu.Unlock()
	for _, t := range b.ext.Tools() {
		if t.View != nil {
			views[t.Name] = t.View
		}
	}
	return views
}

// use makes the active tools those of the next request; the mutex is held.
func (b *toolbox) use() {
	active := b.activeTools()
	b.changes++
	b.agent.SetTools(b.withHidden(active))
	b.instructions.toolsChanged(active)
}

// selected returns the names and the definitions of the tools that the model can call.
func (b *toolbox) selected() ([]string, []tools.Definition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.active), b.activeTools()
}

// beginRun takes note of a run, which begins with the active tools.
func (b *toolbox) beginRun() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.applied = b.changes
}

// changed returns the context with other tools, if these have changed since the run has begun
// or was told of the last change; nil if they have not.
func (b *toolbox) changed(c *agent.Context) *agent.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changes == b.applied {
		return nil
	}
	b.applied = b.changes
	next := *c
	next.Tools = b.withHidden(b.activeTools())
	if text, usual := b.instructions.current(); usual {
		next.SystemPrompt = text
	}
	return &next
}

// wrapped is a tool of an extension as the agent gets it: its result says which tools it has
// made active, and has the form that a result must have.
func (b *toolbox) wrapped(t *extension.OwnedTool) *agent.Tool {
	tool := *t.Tool.Tool
	run := tool.Execute
	tool.Execute = func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
		before := b.names()
		result, err := run(ctx, call)
		if err != nil {
			return nil, err
		}
		return normal(result, added(before, b.names()))
	}
	return &tool
}

// normal returns a result that can be stored.
func normal(result *agent.ToolResult, added []string) (*agent.ToolResult, error) {
	out := agent.ToolResult{}
	if result != nil {
		out = *result
	}
	if out.Content == nil {
		out.Content = ai.Content{}
	}
	for i, block := range out.Content {
		switch block.(type) {
		case *ai.Text, *ai.Image:
		case nil:
			return nil, fmt.Errorf("the tool's result is not as it must be: its content has nothing in place %d", i)
		default:
			return nil, fmt.Errorf("the tool's result is not as it must be: its content has a block of the type %s in place %d; it may have text and images",
				cmp.Or(block.Type(), "(none)"), i)
		}
	}
	if out.Details != nil && !out.Details.IsValid() {
		return nil, fmt.Errorf("the tool's result is not as it must be: its details are no JSON")
	}
	if added != nil {
		out.AddedToolNames = added
	}
	return &out, nil
}

// added returns the names that are new, if no other is gone.
func added(before, after []string) []string {
	for _, name := range before {
		if !slices.Contains(after, name) {
			return nil
		}
	}
	var names []string
	for _, name := range after {
		if !slices.Contains(before, name) {
			names = append(names, name)
		}
	}
	return names
}

// names returns the names of the tools that the model can call.
func (b *toolbox) names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.active)
}

// all lists the tools that there are, active or not.
func (b *toolbox) all() []extension.ToolInfo {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []extension.ToolInfo
	for _, d := range b.definitions() {
		decl := d.Declaration()
		info := extension.ToolInfo{Name: d.Name, Description: d.Description, Parameters: decl.Parameters, PromptGuidelines: d.Guidelines}
		if d.owner != nil {
			info.SourceInfo = d.owner.Source
		} else {
			info.SourceInfo = extension.SourceInfo{Path: "<builtin:" + d.Name + ">", Source: "builtin", Scope: "temporary", Origin: "top-level"}
		}
		list = append(list, info)
	}
	return list
}

// setActive makes these tools those that the model can call. Unknown names are left out.
func (b *toolbox) setActive(names []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.writer.isSealed() {
		return transcript.ErrClosed
	}
	all := b.definitions()
	active := []string{}
	for _, name := range names {
		if i := slices.IndexFunc(all, func(d definition) bool { return d.Name == name && !d.Hidden }); i >= 0 && !slices.Contains(active, name) {
			active = append(active, name)
		}
	}
	b.active = active
	b.use()
	return nil
}

// takeIn makes tools active that extensions have registered after the start.
func (b *toolbox) takeIn() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.writer.isSealed() {
		return transcript.ErrClosed
	}
	b.activateNew()
	b.use()
	return nil
}
