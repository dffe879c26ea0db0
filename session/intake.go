package session

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/transcript"
)

// intake makes messages of what a user sends. It is the one way into the session: prompts,
// steering and follow-ups all take it, so that what applies to one applies to all.
type intake struct {
	scheduler    *scheduler
	instructions *instructions
	ext          *extension.Runner
	images       imageGate
}

// message makes a message of a prompt. Extensions are asked within ctx before anything is
// expanded; the error is errHandled if one has dealt with the input.
func (i *intake) message(ctx context.Context, p *Prompt) (*ai.UserMessage, error) {
	if i.ext.Has(extension.KindInput) && !p.SkipInput {
		if err := i.ask(ctx, p); err != nil {
			return nil, err
		}
	}
	if !p.Verbatim {
		text, err := i.instructions.expand(p.Text)
		if err != nil {
			return nil, err
		}
		p.Text = text
	}
	images, err := i.images.prompt(p.Images)
	if err != nil {
		return nil, err
	}
	m := agent.User(p.Text, images...)
	if p.Text == "" && len(p.Images) > 0 { // models refuse empty texts
		m.Content = m.Content[1:]
	}
	return m, nil
}

// ask asks the extensions about an input.
func (i *intake) ask(ctx context.Context, p *Prompt) error {
	st := i.scheduler.state()
	busy := st.current != nil
	if !busy && st.compacting && p.WhileBusy == "" {
		return ErrCompacting
	}
	e := &extension.Input{Text: p.Text, Images: p.Images, Source: cmp.Or(p.Source, extension.SourceInteractive)}
	if busy && p.WhileBusy != Interrupt {
		e.StreamingBehavior = string(p.WhileBusy)
	}
	answer := i.ext.Input(ctx, e)
	if answer.Action == "handled" {
		return errHandled
	}
	p.Text, p.Images = answer.Text, answer.Images
	return nil
}

// errHandled means that an extension has dealt with an input.
var errHandled = errors.New("an extension has dealt with the input")

// command returns the command of an extension that a prompt names, with its arguments; nil if it
// names none.
func (i *intake) command(p *Prompt) (c *extension.OwnedCommand, args string) {
	if p.Verbatim || i.ext == nil || !strings.HasPrefix(p.Text, "/") {
		return nil, ""
	}
	name, args, _ := strings.Cut(p.Text[1:], " ")
	return i.ext.Command(name), args
}

// runCommand runs the command that a prompt names; false if it names none. The extensions'
// runner reports a failure.
func (i *intake) runCommand(p *Prompt) (ran bool, err error) {
	c, args := i.command(p)
	if c == nil {
		return false, nil
	}
	if i.scheduler.isClosed() {
		return false, transcript.ErrClosed
	}
	_ = i.ext.RunCommand(context.Background(), c, args) // it ends with its extension, unless it goes on in another session
	return true, nil
}

// mayBlock reports whether extensions are asked or run for a prompt.
func (i *intake) mayBlock(p *Prompt) bool {
	if i.ext.Has(extension.KindInput) && !p.SkipInput {
		return true
	}
	c, _ := i.command(p)
	return c != nil
}
