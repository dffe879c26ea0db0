package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/transcript"
)

// toolbox is which tools there are, and which of them the model can call. The session's
// mutex guards it.
type toolbox struct {
	builtin []tools.Definition
	active  []string // by name, in order
	known   map[string]bool
	changes int // counts the changes
}

// definition is a tool with who brings it; nil is the program itself.
type definition struct {
	tools.Definition
	owner *extension.OwnedTool
}

// fillToolbox chooses the tools to begin with.
func (s *Session) fillToolbox() {
	box := &s.toolbox
	box.builtin = s.opts.Toolbox
	for _, t := range s.opts.Tools {
		if !slices.ContainsFunc(box.builtin, func(d tools.Definition) bool { return d.Name == t.Name }) {
			box.builtin = append(slices.Clip(box.builtin), tools.Definition{Tool: t})
		}
		box.active = append(box.active, t.Name)
	}
	box.known = make(map[string]bool)
	s.activateNew()
}

// activateNew makes tools that extensions have registered active, each once; the mutex is
// held, or nobody else knows the session.
func (s *Session) activateNew() {
	box := &s.toolbox
	for _, t := range s.ext.Tools() {
		if box.known[t.Name] {
			continue
		}
		box.known[t.Name] = true
		if !t.Hidden && !slices.Contains(box.active, t.Name) && (s.opts.ToolAllowed == nil || s.opts.ToolAllowed(t.Name)) {
			box.active = append(box.active, t.Name)
		}
	}
}

// definitions lists all tools: the built-in ones, or those of extensions in their place, and
// the others of extensions.
func (s *Session) definitions() []definition {
	owned := s.ext.Tools()
	var list []definition
	for _, d := range s.toolbox.builtin {
		if !slices.ContainsFunc(owned, func(t extension.OwnedTool) bool { return t.Name == d.Name }) {
			list = append(list, definition{Definition: d})
		} else {
			list = append(list, definition{Definition: tools.Definition{Tool: &agent.Tool{Name: d.Name}}})
		}
	}
	for i := range owned {
		t := &owned[i]
		d := definition{tools.Definition{Tool: s.wrapped(t), Snippet: t.PromptSnippet, Guidelines: t.PromptGuidelines}, t}
		if at := slices.IndexFunc(list, func(other definition) bool { return other.Name == t.Name }); at >= 0 {
			list[at] = d
		} else {
			list = append(list, d)
		}
	}
	return list
}

// activeTools returns the tools that the model can call, in order.
func (s *Session) activeTools() []tools.Definition {
	all := s.definitions()
	var list []tools.Definition
	for _, name := range s.toolbox.active {
		if i := slices.IndexFunc(all, func(d definition) bool { return d.Name == name }); i >= 0 {
			list = append(list, all[i].Definition)
		}
	}
	return list
}

// withHidden returns the tools of the agent: the active ones, and those of extensions that
// only other tools can run.
func (s *Session) withHidden(active []tools.Definition) []*agent.Tool {
	list := tools.Tools(active)
	for _, t := range s.ext.Tools() {
		if t.Hidden && !slices.ContainsFunc(list, func(other *agent.Tool) bool { return other.Name == t.Name }) {
			list = append(list, s.wrapped(&t))
		}
	}
	return list
}

// useTools makes the active tools those of the next request; the mutex is held.
func (s *Session) useTools() {
	active := s.activeTools()
	s.toolbox.changes++
	s.agent.SetTools(s.withHidden(active))
	if s.opts.Prompt != nil {
		s.opts.SystemPrompt = s.opts.Prompt.with(active)
		if s.override == nil {
			s.agent.SetSystemPrompt(s.opts.SystemPrompt)
		}
	}
}

// with returns the prompt for other tools.
func (p SystemPrompt) with(active []tools.Definition) string {
	p.Tools = active
	return p.String()
}

// newTools returns the context with other tools, if these have changed since a run has begun
// or asked for the last time; nil if they have not.
func (s *Session) newTools(c *agent.Context) *agent.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.toolbox.changes == s.toolsSeen {
		return nil
	}
	s.toolsSeen = s.toolbox.changes
	next := *c
	next.Tools = s.withHidden(s.activeTools())
	if s.override == nil {
		next.SystemPrompt = s.opts.SystemPrompt
	}
	return &next
}

// wrapped is a tool of an extension as the agent gets it: its result says which tools it has
// made active, and has the form that a result must have (report SES-17).
func (s *Session) wrapped(t *extension.OwnedTool) *agent.Tool {
	tool := *t.Tool.Tool
	run := tool.Execute
	tool.Execute = func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
		before := s.ActiveTools()
		result, err := run(ctx, call)
		if err != nil {
			return nil, err
		}
		return normal(result, added(before, s.ActiveTools()))
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

// ActiveTools names the tools that the model can call.
func (s *Session) ActiveTools() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.toolbox.active)
}

// AllTools lists the tools that there are, active or not.
func (s *Session) AllTools() []extension.ToolInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []extension.ToolInfo
	for _, d := range s.definitions() {
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

// SetActiveTools makes these tools those that the model can call, from the next request on.
// Names that there are no tools of are left out.
func (s *Session) SetActiveTools(names []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return transcript.ErrClosed
	}
	all := s.definitions()
	active := []string{}
	for _, name := range names {
		if i := slices.IndexFunc(all, func(d definition) bool { return d.Name == name && !d.Hidden }); i >= 0 && !slices.Contains(active, name) {
			active = append(active, name)
		}
	}
	s.toolbox.active = active
	s.useTools()
	return nil
}

// ToolsChanged takes in tools that extensions have registered after the start.
func (s *Session) ToolsChanged() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return transcript.ErrClosed
	}
	s.activateNew()
	s.useTools()
	return nil
}
