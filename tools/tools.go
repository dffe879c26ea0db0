package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/edit"
	"github.com/rondo-agent/rondo/tools/find"
	"github.com/rondo-agent/rondo/tools/grep"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/ls"
	"github.com/rondo-agent/rondo/tools/read"
	"github.com/rondo-agent/rondo/tools/write"
	"github.com/rondo-agent/rondo/toolview"
)

// Definition is a tool with what a system prompt says about it.
type Definition struct {
	*agent.Tool
	// Snippet is the tool's line in the list of tools.
	Snippet string
	// Guidelines are rules of use.
	Guidelines []string
	// View says how a call is shown to people; nil shows arguments and result as they are.
	View *toolview.View
}

// Options are the settings of the built-in tools.
type Options struct {
	// Host is where all of the tools work, unless Bash or Read names another; nil means this
	// machine.
	Host host.Host
	Bash *bash.Options
	Read *read.Options
}

// Default names the tools that are active unless chosen otherwise (Pi 0.85).
var Default = []string{"read", "bash", "edit", "write"}

// Builtin returns all built-in tools, which work in the folder cwd.
func Builtin(cwd string, opts *Options) []Definition {
	if opts == nil {
		opts = &Options{}
	}
	readOptions, bashOptions := *cmp.Or(opts.Read, &read.Options{}), *cmp.Or(opts.Bash, &bash.Options{})
	readOptions.Host = cmp.Or(readOptions.Host, opts.Host)
	bashOptions.Host = cmp.Or(bashOptions.Host, opts.Host)
	return []Definition{
		{read.New(cwd, &readOptions), read.Snippet, read.Guidelines, read.View},
		{bash.New(cwd, &bashOptions), bash.Snippet, bash.Guidelines, bash.View},
		{edit.New(cwd, &edit.Options{Host: opts.Host}), edit.Snippet, edit.Guidelines, edit.View},
		{write.New(cwd, &write.Options{Host: opts.Host}), write.Snippet, write.Guidelines, write.View},
		{grep.New(cwd, &grep.Options{Host: opts.Host}), grep.Snippet, grep.Guidelines, grep.View},
		{find.New(cwd, &find.Options{Host: opts.Host}), find.Snippet, find.Guidelines, find.View},
		{ls.New(cwd, &ls.Options{Host: opts.Host}), ls.Snippet, ls.Guidelines, ls.View},
	}
}

// Select returns the definitions with these names, in the order of the definitions. An
// unknown name is an error that lists the known ones.
func Select(all []Definition, names []string) ([]Definition, error) {
	var chosen []Definition
	for _, d := range all {
		if slices.Contains(names, d.Name) {
			chosen = append(chosen, d)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(d Definition) bool { return d.Name == name }) {
			known := make([]string, len(all))
			for i, d := range all {
				known[i] = d.Name
			}
			return nil, fmt.Errorf("unknown tool %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

// Tools returns the tools of definitions.
func Tools(definitions []Definition) []*agent.Tool {
	list := make([]*agent.Tool, len(definitions))
	for i, d := range definitions {
		list[i] = d.Tool
	}
	return list
}

// Views returns the views of the definitions that have one, by the names of the tools.
func Views(definitions []Definition) map[string]*toolview.View {
	views := make(map[string]*toolview.View, len(definitions))
	for _, d := range definitions {
		if d.View != nil {
			views[d.Name] = d.View
		}
	}
	return views
}
