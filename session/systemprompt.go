package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/resource"
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
	// ContextFiles and Skills follow, whatever the text is. Skills need a tool that can
	// read them; hidden ones are left out.
	ContextFiles []resource.ContextFile
	Skills       []*resource.Skill
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
	parts = append(parts, p.projectContext(), p.skillList())
	parts = append(parts, "Current working directory: "+filepath.ToSlash(p.CWD))
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(parts, "\n\n")
}

// with returns the prompt for other tools.
func (p SystemPrompt) with(active []tools.Definition) string {
	p.Tools = active
	return p.String()
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

// projectContext has the names that Pi 0.85 gives to these elements.
func (p SystemPrompt) projectContext() string {
	if len(p.ContextFiles) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<project_context>\nThe user and the project ask for the following. Where two of them differ, the later one holds.\n")
	for _, file := range p.ContextFiles {
		fmt.Fprintf(&b, "\n<project_instructions path=\"%s\">\n%s\n</project_instructions>\n", resource.Escape(file.Path), strings.TrimSpace(file.Text))
	}
	b.WriteString("\n</project_context>")
	return b.String()
}

// skillList names the skills that the model may read; the form is that of the Agent Skills
// standard.
func (p SystemPrompt) skillList() string {
	reader := p.skillReader()
	if reader == "" {
		return ""
	}
	var b strings.Builder
	for _, s := range p.Skills {
		if !s.Hidden {
			fmt.Fprintf(&b, "  <skill>\n    <name>%s</name>\n    <description>%s</description>\n    <location>%s</location>\n  </skill>\n",
				resource.Escape(s.Name), resource.Escape(s.Description), resource.Escape(s.Path))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "Skills are instructions for special tasks. When one fits what you are asked for, read its file with " + reader +
		" before you begin, and follow it. Paths in it are relative to its own folder: make them absolute when you use them.\n\n<available_skills>\n" +
		b.String() + "</available_skills>"
}

// skillReader is the tool that skills are read with; empty if there is none.
func (p SystemPrompt) skillReader() string {
	for _, name := range []string{"read", "bash"} {
		if slices.ContainsFunc(p.Tools, func(d tools.Definition) bool { return d.Name == name }) {
			return name
		}
	}
	return ""
}
