package session

import (
	"errors"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/transcript"
)

// begun runs the agent for messages that begin a run: a prompt and what belongs to it. All
// that begins in another way than by a queue passes here (report EXT-15).
func (s *Session) begun(a *Activity, messages ...agent.Message) error {
	messages = append(messages, s.takeNextTurn(messages)...)
	if s.ext.Has(extension.KindBeforeAgentStart) {
		messages = s.beforeAgentStart(a, messages)
	}
	s.mu.Lock()
	s.toolsSeen = s.toolbox.changes
	s.mu.Unlock()
	return s.agent.Prompt(a.ctx, messages...)
}

// takeNextTurn returns what extensions have sent for the next prompt of the user.
func (s *Session) takeNextTurn(messages []agent.Message) []agent.Message {
	if !slices.ContainsFunc(messages, func(m agent.Message) bool { return m.Role() == ai.RoleUser }) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.nextTurn
	s.nextTurn = nil
	return waiting
}

// beforeAgentStart asks the extensions about a run. The system prompt that they make is that
// of all requests of the prompt (report EXT-17).
func (s *Session) beforeAgentStart(a *Activity, messages []agent.Message) []agent.Message {
	e := &extension.BeforeAgentStart{MessageType: "user"}
	switch m := messages[0].(type) {
	case *ai.UserMessage:
		e.Prompt = m.Content.Text()
		for _, block := range m.Content {
			if image, ok := block.(*ai.Image); ok {
				e.Images = append(e.Images, image)
			}
		}
	case *transcript.CustomMessage:
		e.Prompt, e.MessageType = m.Content.Content().Text(), transcript.RoleCustom
	}
	s.mu.Lock()
	s.override = nil
	e.SystemPrompt, e.SystemPromptOptions = s.opts.SystemPrompt, s.promptOptions()
	s.mu.Unlock()
	more, _ := s.ext.BeforeAgentStart(a.ctx, e, func(prompt string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.override = &prompt
	})
	s.mu.Lock()
	prompt := s.opts.SystemPrompt
	if s.override != nil {
		prompt = *s.override
	}
	s.agent.SetSystemPrompt(prompt)
	s.mu.Unlock()
	for _, m := range more {
		messages = append(messages, customMessage(m))
	}
	return messages
}

// startWith begins a run with a message of an extension.
func (s *Session) startWith(m *transcript.CustomMessage) error {
	a, started, err := s.accept(Prompt{}, m)
	switch {
	case errors.Is(err, ErrBusy): // somebody was faster
		return s.send(m, extension.SendOptions{})
	case err != nil:
		return err
	case started:
		s.hub.flush()
		s.running.Go(func() { s.conduct(a, m) })
	}
	return nil
}

// sendPatience is how long a run waits for messages that extensions have sent before, and that
// other handlers are asked about.
const sendPatience = time.Second

// sending takes note of a message that is on its way; the returned function that it is
// accepted or refused.
func (s *Session) sending() (done func()) {
	sent := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sends = append(s.sends, sent)
	return func() {
		close(sent)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sends = slices.DeleteFunc(s.sends, func(c chan struct{}) bool { return c == sent })
	}
}

// awaitSends waits for messages that are on their way, so that what a handler has sent counts
// before the run goes on.
func (s *Session) awaitSends() {
	s.mu.Lock()
	sends := slices.Clone(s.sends)
	s.mu.Unlock()
	if len(sends) == 0 {
		return
	}
	limit := time.NewTimer(sendPatience)
	defer limit.Stop()
	for _, sent := range sends {
		select {
		case <-sent:
		case <-limit.C:
			return
		case <-s.ctx.Done():
			return
		}
	}
}
