package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/tools"
)

// SystemPrompt is what a system prompt is made of.
type SystemPrompt struct {
	// Custom replaces the built-in text: role, tools and guidelines.
	Custom string
	// Append follows the text.
	Append []string
	Tools  []tools.Definition
	CWD    string
}

const role = `You are a coding agent. You work in the user's project with the tools below: look before you change something, change what the task needs and nothing else, and check your work by running it.`

var guidelines = []string{
	"Be brief. Say what you did and what you found; leave out what the user can see.",
	"Name files with their paths when you talk about them.",
	"If a tool fails, read what it says before you try again.",
}

// String returns the prompt. It names no date, so that a provider's cache stays valid, and
// ends with the working folder.
func (p SystemPrompt) String() string {
	var parts []string
	if p.Custom != "" {
		parts = append(parts, p.Custom)
	} else {
		parts = append(parts, role, p.toolList(), p.rules())
	}
	parts = append(parts, p.Append...)
	parts = append(parts, "Current working directory: "+filepath.ToSlash(p.CWD))
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(parts, "\n\n")
}

func (p SystemPrompt) toolList() string {
	var b strings.Builder
	for _, d := range p.Tools {
		if d.Snippet != "" {
			fmt.Fprintf(&b, "\n- %s: %s", d.Name, d.Snippet)
		}
	}
	if b.Len() == 0 {
		return "You have no tools: answer from what you know."
	}
	return "Tools:" + b.String()
}

func (p SystemPrompt) rules() string {
	rules := slices.Clone(guidelines)
	for _, d := range p.Tools {
		for _, rule := range d.Guidelines {
			if !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
	}
	return "Guidelines:\n- " + strings.Join(rules, "\n- ")
}
