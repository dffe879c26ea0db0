package session

import (
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/ai"
)

// SetModel changes the model from the next run on and records it. The thinking level
// becomes what the user prefers for the model, or stays, as far as the model supports it.
func (s *Session) SetModel(m *ai.Model) error {
	s.mu.Lock()
	defer s.hub.flush()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	return s.setModel(m, "")
}

// setModel switches to a model and a level, which may be empty; the mutex is held.
func (s *Session) setModel(m *ai.Model, level ai.ThinkingLevel) error {
	if err := s.ledger.add(&ModelEntry{Provider: m.Provider, ModelID: m.ID}); err != nil {
		return err
	}
	s.model = m
	s.agent.SetModel(m)
	if level == "" && s.opts.LevelFor != nil {
		level = s.opts.LevelFor(m)
	}
	if level == "" {
		level = s.thinking
	}
	return s.setThinking(level)
}

// SetThinking changes the thinking level from the next run on and records it. A level
// that the model does not support becomes the nearest that it does.
func (s *Session) SetThinking(level ai.ThinkingLevel) error {
	if !slices.Contains(ai.ThinkingLevels, level) {
		return fmt.Errorf("unknown thinking level %q: use one of %v", level, ai.ThinkingLevels)
	}
	s.mu.Lock()
	defer s.hub.flush()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	return s.setThinking(level)
}

// setThinking does nothing if the level stays; the mutex is held.
func (s *Session) setThinking(level ai.ThinkingLevel) error {
	if s.model != nil {
		level = s.model.ClampThinking(level)
	}
	if level == s.thinking {
		return nil
	}
	if err := s.ledger.add(&ThinkingLevelEntry{ThinkingLevel: level}); err != nil {
		return err
	}
	s.thinking = level
	s.agent.SetThinking(level)
	s.hub.post(&ThinkingLevelChanged{Level: level})
	return nil
}
