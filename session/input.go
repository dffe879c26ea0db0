package session

import (
	"cmp"
	"context"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/transcript"
)

// input makes a message of what a user sends. It is the one way into the session: prompts,
// steering and follow-ups all take it, so that what applies to one applies to all.
//
// Extensions are asked within ctx before anything is expanded; the error is errHandled if one has dealt
// with the input.
func (s *Session) input(ctx context.Context, p *Prompt) (*ai.UserMessage, error) {
	if s.ext.Has(extension.KindInput) && !p.SkipInput {
		if err := s.askInput(ctx, p); err != nil {
			return nil, err
		}
	}
	if !p.Verbatim {
		text, err := s.resources().Expand(p.Text)
		if err != nil {
			return nil, err
		}
		p.Text = text
	}
	return s.message(*p), nil
}

func (s *Session) askInput(ctx context.Context, p *Prompt) error {
	s.mu.Lock()
	busy, compacting := s.activity != nil, s.compacting != nil
	s.mu.Unlock()
	if !busy && compacting && p.WhileBusy != Interrupt {
		return ErrCompacting
	}
	e := &extension.Input{Text: p.Text, Images: p.Images, Source: cmp.Or(p.Source, extension.SourceInteractive)}
	if busy && p.WhileBusy != Interrupt {
		e.StreamingBehavior = string(p.WhileBusy)
	}
	answer := s.ext.Input(ctx, e)
	if answer.Action == "handled" {
		return errHandled
	}
	p.Text, p.Images = answer.Text, answer.Images
	return nil
}

// extensionCommand returns the command of an extension that a prompt names, with its
// arguments; nil if it names none.
func (s *Session) extensionCommand(p *Prompt) (c *extension.OwnedCommand, args string) {
	if p.Verbatim || s.ext == nil || !strings.HasPrefix(p.Text, "/") {
		return nil, ""
	}
	name, args, _ := strings.Cut(p.Text[1:], " ")
	return s.ext.Command(name), args
}

// runCommand runs the command that a prompt names; false if it names none. That it fails is
// reported by the extensions' runner.
func (s *Session) runCommand(p *Prompt) (ran bool, err error) {
	c, args := s.extensionCommand(p)
	if c == nil {
		return false, nil
	}
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return false, transcript.ErrClosed
	}
	_ = s.ext.RunCommand(context.Background(), c, args) // it ends with its extension, unless it goes on in another session
	return true, nil
}

// Deliberates reports whether [Session.Start] may take long for this prompt, since extensions
// are asked or run.
func (s *Session) Deliberates(p Prompt) bool {
	if s.ext.Has(extension.KindInput) && !p.SkipInput {
		return true
	}
	c, _ := s.extensionCommand(&p)
	return c != nil
}

// Commands lists what a prompt may begin with, behind a slash.
func (s *Session) Commands() []resource.Command { return s.resources().Commands() }

// SetResources replaces the skills and templates that prompts may name, and the system
// prompt, from the next run on. A nil set has none.
func (s *Session) SetResources(set *resource.Set, systemPrompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Resources, s.opts.Prompt, s.opts.SystemPrompt = set, nil, systemPrompt
	s.agent.SetSystemPrompt(systemPrompt)
}

// SetPrompt is SetResources for a prompt that is made again when the tools change.
func (s *Session) SetPrompt(set *resource.Set, p SystemPrompt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Resources, s.opts.Prompt = set, &p
	s.opts.SystemPrompt = p.with(s.activeTools())
	if s.override == nil {
		s.agent.SetSystemPrompt(s.opts.SystemPrompt)
	}
}

func (s *Session) resources() *resource.Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Resources
}
