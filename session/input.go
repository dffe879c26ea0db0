package session

import (
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/resource"
)

// input makes a message of what a user sends. It is the one way into the session: prompts,
// steering and follow-ups all take it, so that what applies to one applies to all.
func (s *Session) input(p *Prompt) (*ai.UserMessage, error) {
	if !p.Verbatim {
		text, err := s.resources().Expand(p.Text)
		if err != nil {
			return nil, err
		}
		p.Text = text
	}
	return s.message(*p), nil
}

// Commands lists what a prompt may begin with, behind a slash.
func (s *Session) Commands() []resource.Command { return s.resources().Commands() }

// SetResources replaces the skills and templates that prompts may name, and the system
// prompt, from the next run on. A nil set has none.
func (s *Session) SetResources(set *resource.Set, systemPrompt string) {
	s.mu.Lock()
	s.opts.Resources = set
	s.mu.Unlock()
	s.agent.SetSystemPrompt(systemPrompt)
}

func (s *Session) resources() *resource.Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Resources
}
