package rondo

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
)

// toolChoice decides which tools are active from the start. Names may have the wildcards * and ?;
// +name and -name change the list before them or, without one, the default.
type toolChoice struct {
	opts  *ToolOptions
	names []string // of the options or the settings; nil stands for the default
	from  string   // where the names are from
	// Tools of extensions that are not named are active as well.
	open bool
	none bool // the list is there and empty
}

func (o *ToolOptions) choice(w *Workspace) *toolChoice {
	c := &toolChoice{opts: o, from: "the tools to offer", open: o.Names == nil}
	names := o.Names
	if c.open {
		names, c.from = w.cfg.Settings.DefaultTools, "the setting defaultTools"
	}
	c.names, c.none = trimmed(names), names != nil && len(trimmed(names)) == 0
	return c
}

// active reports whether a tool is active from the start; base says so where no name of the list
// fits.
func (c *toolChoice) active(tool string, base bool) bool {
	if c.opts.None || fitsAny(trimmed(c.opts.Exclude), tool) {
		return false
	}
	on := base && !c.none && !slices.ContainsFunc(c.names, isPlain)
	for _, name := range c.names {
		pattern := strings.TrimLeft(name, "+-")
		if fits(pattern, tool) {
			on = name[0] != '-'
		}
	}
	return on
}

// builtin returns those of the built-in tools, and of the embedding program's, that are active.
func (c *toolChoice) builtin(all []tools.Definition) (chosen []tools.Definition) {
	for _, d := range all {
		if !c.opts.isCustom(d.Name) && !c.opts.NoBuiltin && c.active(d.Name, slices.Contains(tools.Default, d.Name)) {
			chosen = append(chosen, d)
		}
	}
	for _, d := range c.opts.Custom {
		if !c.opts.None && !fitsAny(trimmed(c.opts.Exclude), d.Name) {
			chosen = append(chosen, d)
		}
	}
	return chosen
}

// allows reports whether a tool of an extension is active from the start. The setting
// defaultTools leaves those of extensions as they are, unless it names them.
func (c *toolChoice) allows(tool string) bool {
	if !c.open {
		return c.active(tool, true)
	}
	only := &toolChoice{opts: c.opts, names: slices.DeleteFunc(slices.Clone(c.names), isPlain)}
	return only.active(tool, true)
}

// unknown tells of names that fit none of the tools.
func (c *toolChoice) unknown(all []string) (notes []string) {
	for from, names := range map[string][]string{c.from: c.names, "the tools to exclude": trimmed(c.opts.Exclude)} {
		for _, name := range names {
			pattern := strings.TrimLeft(name, "+-")
			if !slices.ContainsFunc(all, func(tool string) bool { return fits(pattern, tool) }) {
				notes = append(notes, fmt.Sprintf("unknown tool %q in %s is left out; there are %s", pattern, from, strings.Join(all, ", ")))
			}
		}
	}
	slices.Sort(notes)
	return notes
}

// isPlain reports whether a name is itself in the list, and changes none.
func isPlain(name string) bool { return name[0] != '+' && name[0] != '-' }

// fits reports whether a pattern is the name of a tool.
func fits(pattern, tool string) bool {
	ok, err := path.Match(pattern, tool)
	return pattern == tool || ok && err == nil
}

func fitsAny(patterns []string, tool string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return fits(pattern, tool) })
}

func (o *ToolOptions) isCustom(name string) bool {
	return slices.ContainsFunc(o.Custom, func(d tools.Definition) bool { return d.Name == name })
}

// trimmed returns the names of a list that people have written, as in "read, bash".
func trimmed(names []string) []string {
	var out []string
	for _, name := range names {
		if name = strings.TrimSpace(name); strings.Trim(name, "+-") != "" {
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
