package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/transcript"
)

// send adds a message of an extension to the conversation, as opts say.
func (c *conductor) send(m *transcript.CustomMessage, opts extension.SendOptions) error {
	if !slices.Contains([]extension.Delivery{"", extension.Steer, extension.FollowUp, extension.NextTurn}, opts.DeliverAs) {
		return fmt.Errorf("unknown delivery %q: use %q, %q or %q", opts.DeliverAs, extension.Steer, extension.FollowUp, extension.NextTurn)
	}
	if c.writer.isSealed() {
		return transcript.ErrClosed
	}
	closed := c.scheduler.isClosed()
	if closed && (opts.Triggers() || opts.DeliverAs == extension.NextTurn) {
		return transcript.ErrClosed
	}
	if opts.DeliverAs == extension.NextTurn {
		c.scheduler.queue.deferToPrompt(m)
		return nil
	}
	begins := false
	err := c.scheduler.decide(func() error {
		if begins = opts.Triggers(); begins {
			return nil
		}
		return c.addNow(m)
	}, func(*series) error {
		switch {
		case closed:
			return transcript.ErrClosed
		case opts.Quiet():
			c.scheduler.queue.addQuiet(m)
		case opts.DeliverAs == extension.FollowUp:
			c.agent.FollowUp(m)
		default:
			c.agent.Steer(m)
		}
		return nil
	})
	if begins {
		return c.startWith(m)
	}
	c.events.flush()
	return err
}

// startWith begins a run with a message of an extension.
func (c *conductor) startWith(m *transcript.CustomMessage) error {
	_, err := c.accept(Prompt{}, m)
	if errors.Is(err, ErrBusy) { // another prompt was faster
		return c.send(m, extension.SendOptions{})
	}
	return err
}

// addNow adds a message to an idle conversation; the scheduler's mutex is held.
func (c *conductor) addNow(m *transcript.CustomMessage) error {
	if err := c.writer.add(messageEntry(m)); err != nil {
		return fmt.Errorf("store a message in %s: %w", c.writer.store.Path(), err)
	}
	c.agent.Append(m)
	c.events.post(&agent.MessageStart{Message: m})
	c.events.post(&agent.MessageEnd{Message: m})
	return nil
}

// deliverQuiet adds the messages that ask for nothing, when a turn or a run has ended. They are
// in no request of the run under way.
func (c *conductor) deliverQuiet() error {
	for _, m := range c.scheduler.queue.takeQuiet() {
		if err := c.writer.add(messageEntry(m)); err != nil {
			return fmt.Errorf("store a message in %s: %w", c.writer.store.Path(), err)
		}
		c.agent.Append(m)
		c.events.emit(&agent.MessageStart{Message: m})
		c.events.emit(&agent.MessageEnd{Message: m})
	}
	return nil
}

// messageEntry is a message as it is stored.
func messageEntry(m agent.Message) transcript.Entry {
	if c, ok := m.(*transcript.CustomMessage); ok {
		return &transcript.CustomMessageEntry{CustomType: c.CustomType, Content: c.Content, Display: c.Display, Details: c.Details}
	}
	return &transcript.MessageEntry{Message: m}
}

// custom makes a message of the transcript of an extension's.
func (b *binding) custom(m *extension.CustomMessage) *transcript.CustomMessage {
	content := transcript.CustomContent(m.Content)
	content.Blocks = b.images.content(content.Blocks)
	return &transcript.CustomMessage{CustomType: m.CustomType, Content: content, Display: m.Display, Details: m.Details, Timestamp: transcript.Now().Millis()}
}
