package rondo

import (
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
)

// selected returns the tools that are active from the start, without those of extensions.
func (o *ToolOptions) selected(w *Workspace, builtin []tools.Definition) ([]tools.Definition, error) {
	names := tools.Default
	if set := w.cfg.Settings.DefaultTools; set != nil {
		names = set
	}
	if o.Names != nil {
		names = o.Names
	}
	if o.None || o.NoBuiltin {
		names = nil
	}
	other := func(name string) bool { // a tool of an extension or of the embedding program
		return !slices.ContainsFunc(builtin, func(d tools.Definition) bool { return d.Name == name }) &&
			(slices.ContainsFunc(w.extensions.runner.Tools(), func(t extension.OwnedTool) bool { return t.Name == name }) || o.isCustom(name))
	}
	exclude := trimmed(o.Exclude)
	if _, err := tools.Select(builtin, slices.DeleteFunc(slices.Clone(exclude), other)); err != nil {
		return nil, err
	}
	chosen, err := tools.Select(builtin, slices.DeleteFunc(trimmed(names), func(name string) bool { return slices.Contains(exclude, name) || other(name) }))
	if err != nil || o.None {
		return chosen, err
	}
	for _, d := range o.Custom {
		if !slices.Contains(exclude, d.Name) {
			chosen = append(slices.DeleteFunc(chosen, func(b tools.Definition) bool { return b.Name == d.Name }), d)
		}
	}
	return chosen, nil
}

func (o *ToolOptions) isCustom(name string) bool {
	return slices.ContainsFunc(o.Custom, func(d tools.Definition) bool { return d.Name == name })
}

// allows reports whether a tool of an extension is active from the start.
func (o *ToolOptions) allows(name string) bool {
	return !o.None && !slices.Contains(trimmed(o.Exclude), name) && (o.Names == nil || slices.Contains(trimmed(o.Names), name))
}

// trimmed returns the names of a list that people have written, as in "read, bash".
func trimmed(names []string) []string {
	var out []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// systemPrompt makes the prompt, without tools. What the options say counts in place of the
// files SYSTEM.md and APPEND_SYSTEM.md.
func (a *App) systemPrompt(set *resource.Set, cwd string) (session.SystemPrompt, error) {
	prompt := session.SystemPrompt{
		Custom: set.System, Append: []string{set.AppendSystem}, CWD: cwd,
		ContextFiles: set.ContextFiles, Skills: set.Skills,
	}
	o := &a.opts.Prompt
	var err error
	if o.System != nil {
		if prompt.Custom, err = o.System.read(); err != nil {
			return prompt, err
		}
	}
	if o.Append != nil {
		prompt.Append = nil
	}
	for _, value := range o.Append {
		text, err := value.read()
		if err != nil {
			return prompt, err
		}
		prompt.Append = append(prompt.Append, text)
	}
	return prompt, nil
}
