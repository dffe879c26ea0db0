package ai

import (
	"maps"
	"slices"
	"strings"
)

// Fold reads the system messages of c. In the result, SystemPrompt holds the prompt that
// a leading system message declares, with its named sections as later messages have
// patched them, in the order of their names; Tools holds the tools that the messages add
// and remove, replayed in order. The leading message and those without content are taken
// out; later ones with content stay where they are, for the wire to render.
//
// A prompt or a list of tools that c has already wins over what its messages say; an
// empty list that is not nil means no tools.
func Fold(c Context) Context {
	at := slices.IndexFunc(c.Messages, isSystem)
	if at < 0 {
		return c
	}
	f := folding{tools: c.Tools, fixed: c.Tools != nil, sections: make(map[string]string)}
	out := make([]Message, 0, len(c.Messages))
	prompt := ""
	for i, m := range c.Messages {
		system, ok := m.(*SystemMessage)
		if !ok {
			out = append(out, m)
			continue
		}
		f.apply(system)
		switch {
		case i == 0:
			prompt = system.Content
		case strings.TrimSpace(system.Content) != "":
			out = append(out, system)
		}
	}
	c.Messages, c.Tools = out, f.tools
	if c.SystemPrompt == "" {
		c.SystemPrompt = f.prompt(prompt)
	}
	return c
}

// FoldAll is [Fold] for wires and models that take instructions only at the start: what
// later system messages say is put at the end of the prompt.
func FoldAll(c Context) Context {
	c = Fold(c)
	if !slices.ContainsFunc(c.Messages, isSystem) {
		return c
	}
	prompt := []string{c.SystemPrompt}
	if c.SystemPrompt == "" {
		prompt = nil
	}
	out := make([]Message, 0, len(c.Messages))
	for _, m := range c.Messages {
		if system, ok := m.(*SystemMessage); ok {
			prompt = append(prompt, system.Content)
			continue
		}
		out = append(out, m)
	}
	c.SystemPrompt, c.Messages = strings.Join(prompt, "\n\n"), out
	return c
}

func isSystem(m Message) bool {
	_, ok := m.(*SystemMessage)
	return ok
}

// folding is what the system messages up to here add up to.
type folding struct {
	tools    []ToolDecl
	fixed    bool // the tools are given; messages do not change them
	sections map[string]string
}

func (f *folding) apply(m *SystemMessage) {
	for name, text := range m.Sections {
		if text == nil {
			delete(f.sections, name)
		} else {
			f.sections[name] = *text
		}
	}
	if f.fixed || len(m.ToolsAdded)+len(m.ToolsRemoved) == 0 {
		return
	}
	tools := slices.Clone(f.tools)
	tools = slices.DeleteFunc(tools, func(t ToolDecl) bool { return slices.Contains(m.ToolsRemoved, t.Name) })
	for _, added := range m.ToolsAdded {
		i := slices.IndexFunc(tools, func(t ToolDecl) bool { return t.Name == added.Name })
		if i < 0 {
			tools = append(tools, added)
		} else {
			tools[i] = added
		}
	}
	f.tools = tools
}

func (f *folding) prompt(content string) string {
	var parts []string
	if content != "" {
		parts = append(parts, content)
	}
	for _, name := range slices.Sorted(maps.Keys(f.sections)) {
		if text := f.sections[name]; text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}
