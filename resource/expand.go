package resource

import (
	"strings"
	"unicode"
)

// Command is something that a prompt may begin with, behind a slash.
type Command struct {
	Name         string // without the slash
	Description  string
	ArgumentHint string
	// Kind is [PromptCommand] or [SkillCommand].
	Kind   string
	Source Source
}

// The kinds of commands (Pi 0.85).
const (
	PromptCommand = "prompt"
	SkillCommand  = "skill"
)

// skillPrefix begins the name of a skill's command.
const skillPrefix = "skill:"

// Commands lists the templates and then the skills.
func (s *Set) Commands() []Command {
	if s == nil {
		return nil
	}
	var list []Command
	for _, t := range s.Templates {
		list = append(list, Command{Name: t.Name, Description: t.Description, ArgumentHint: t.ArgumentHint, Kind: PromptCommand, Source: t.Source})
	}
	for _, skill := range s.Skills {
		list = append(list, Command{Name: skillPrefix + skill.Name, Description: skill.Description, Kind: SkillCommand, Source: skill.Source})
	}
	return list
}

// Expand returns what the model gets of a text that a user has typed. /skill:name and /name
// stand for a skill and a template, with arguments behind them; any other text stays as it
// is, also one with a name that does not exist. An error means that the file cannot be read
// any more. A nil set expands nothing.
func (s *Set) Expand(text string) (string, error) {
	command, ok := strings.CutPrefix(text, "/")
	if !ok || s == nil {
		return text, nil
	}
	name, args := command, ""
	if i := strings.IndexFunc(command, unicode.IsSpace); i >= 0 {
		name, args = command[:i], command[i:]
	}
	if skill, ok := strings.CutPrefix(name, skillPrefix); ok {
		for _, candidate := range s.Skills {
			if candidate.Name == skill {
				return candidate.Expand(args)
			}
		}
		return text, nil
	}
	for _, t := range s.Templates {
		if t.Name == name {
			return t.Expand(args)
		}
	}
	return text, nil
}
