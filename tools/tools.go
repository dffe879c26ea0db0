// Package tools lists the built-in coding tools and chooses among them.
package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/edit"
	"github.com/rondo-agent/rondo/tools/find"
	"github.com/rondo-agent/rondo/tools/grep"
	"github.com/rondo-agent/rondo/tools/ls"
	"github.com/rondo-agent/rondo/tools/read"
	"github.com/rondo-agent/rondo/tools/write"
)

// Definition is a tool with what a system prompt says about it.
type Definition struct {
	*agent.Tool
	// Snippet is the tool's line in the list of tools.
	Snippet string
	// Guidelines are rules of use.
	Guidelines []string
}

// Options are the settings of the built-in tools.
type Options struct {
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
	return []Definition{
		{read.New(cwd, opts.Read), read.Snippet, read.Guidelines},
		{bash.New(cwd, opts.Bash), bash.Snippet, bash.Guidelines},
		{edit.New(cwd, nil), edit.Snippet, edit.Guidelines},
		{write.New(cwd, nil), write.Snippet, write.Guidelines},
		{grep.New(cwd, nil), grep.Snippet, grep.Guidelines},
		{find.New(cwd, nil), find.Snippet, find.Guidelines},
		{ls.New(cwd, nil), ls.Snippet, ls.Guidelines},
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
