package session

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/tools"
)

// instructions are what a session tells the model beside the conversation, and what prompts may
// refer to: the system prompt, the skills and the templates.
type instructions struct {
	cwd   string
	agent *agent.Agent

	mu        sync.Mutex
	resources *resource.Set
	parts     *SystemPrompt // that text is made of; nil if it is fixed
	text      string
	override  *string // the system prompt of the run under way; nil for the usual one
}

// set returns the skills and templates.
func (i *instructions) set() *resource.Set {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.resources
}

// replace makes other resources and another system prompt count from the next run on. Without
// parts, text is the system prompt.
func (i *instructions) replace(set *resource.Set, parts *SystemPrompt, text string, active []tools.Definition) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.resources, i.parts, i.text = set, parts, text
	if parts != nil {
		i.text = parts.with(active)
	}
	if i.override == nil || parts == nil {
		i.agent.SetSystemPrompt(i.text)
	}
}

// toolsChanged makes the system prompt anew for other tools.
func (i *instructions) toolsChanged(active []tools.Definition) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.parts == nil {
		return
	}
	i.text = i.parts.with(active)
	if i.override == nil && i.agent != nil {
		i.agent.SetSystemPrompt(i.text)
	}
}

// current is the system prompt of the run under way, as far as its handlers have made it, and
// whether it is the usual one.
func (i *instructions) current() (text string, usual bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.override != nil {
		return *i.override, false
	}
	return i.text, true
}

// beginRun forgets the system prompt that was made for an earlier run and returns the usual one.
func (i *instructions) beginRun() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.override = nil
	return i.text
}

// setOverride makes another system prompt that of the run under way.
func (i *instructions) setOverride(text string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.override = &text
}

// apply gives the agent the system prompt of the run.
func (i *instructions) apply() {
	i.mu.Lock()
	defer i.mu.Unlock()
	text := i.text
	if i.override != nil {
		text = *i.override
	}
	i.agent.SetSystemPrompt(text)
}

// endRun makes the usual system prompt count again.
func (i *instructions) endRun() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.override != nil {
		i.override = nil
		i.agent.SetSystemPrompt(i.text)
	}
}

// options is what the system prompt is made of, as extensions see it.
func (i *instructions) options(names []string, active []tools.Definition) *extension.SystemPromptOptions {
	i.mu.Lock()
	defer i.mu.Unlock()
	o := &extension.SystemPromptOptions{
		CWD: i.cwd, SelectedTools: names,
		ContextFiles: []extension.ContextFile{}, Skills: []extension.Skill{}, // lists also where there are none (Pi 0.85)
	}
	p := i.parts
	if p == nil {
		o.CustomPrompt = i.text
		return o
	}
	o.CustomPrompt = p.Custom
	for _, text := range p.Append {
		if text == "" {
			continue
		}
		if o.AppendSystemPrompt != "" {
			o.AppendSystemPrompt += "\n\n"
		}
		o.AppendSystemPrompt += text
	}
	o.ToolSnippets = make(map[string]string)
	for _, d := range active {
		if d.Snippet != "" {
			o.ToolSnippets[d.Name] = d.Snippet
		}
		o.PromptGuidelines = append(o.PromptGuidelines, d.Guidelines...)
	}
	for _, file := range p.ContextFiles {
		o.ContextFiles = append(o.ContextFiles, extension.ContextFile{Path: file.Path, Content: file.Text})
	}
	for _, skill := range p.Skills {
		o.Skills = append(o.Skills, extension.Skill{
			Name: skill.Name, Description: skill.Description, FilePath: skill.Path, BaseDir: filepath.Dir(skill.Path),
			SourceInfo: sourceInfo(skill.Source), DisableModelInvocation: skill.Hidden,
		})
	}
	return o
}

// expand returns a text with the skill or the template that it begins with in its place.
func (i *instructions) expand(text string) (string, error) { return i.set().Expand(text) }

// commands lists the skills and templates that a prompt may begin with.
func (i *instructions) commands() []resource.Command { return slices.Clip(i.set().Commands()) }
