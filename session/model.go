package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// SetModel changes the model from the next run on and records it. The thinking level
// becomes what the user prefers for the model, or stays, as far as the model supports it.
// Extensions have been told when it returns.
func (s *Session) SetModel(m *ai.Model) error { return s.selectModel(s.ctx, m) }

// selectModel is SetModel within ctx, which may be that of an extension's handler.
func (s *Session) selectModel(ctx context.Context, m *ai.Model) error {
	s.mu.Lock()
	if s.sealed {
		s.mu.Unlock()
		return transcript.ErrClosed
	}
	before := s.choiceNow()
	err := s.setModel(m, "")
	after := s.choiceNow()
	s.mu.Unlock()
	s.hub.flush()
	s.tellChoice(ctx, before, after, "set")
	return err
}

// chosen is a model and a level.
type chosen struct {
	model    *ai.Model
	thinking ai.ThinkingLevel
}

// choiceNow needs the mutex.
func (s *Session) choiceNow() chosen { return chosen{s.model, s.thinking} }

// tellChoice tells the extensions of another level, and then of another model.
func (s *Session) tellChoice(ctx context.Context, before, after chosen, source string) {
	if before.thinking != after.thinking && s.ext.Has(extension.KindThinkingLevelSelect) {
		s.ext.Fire(ctx, &extension.ThinkingLevelSelect{Level: after.thinking, PreviousLevel: before.thinking}, extension.FireGrace)
	}
	same := before.model == after.model || before.model != nil && after.model != nil && sameModel(before.model, after.model)
	if !same && s.ext.Has(extension.KindModelSelect) {
		s.ext.Emit(ctx, &extension.ModelSelect{Model: after.model, PreviousModel: before.model, Source: source})
	}
}

// setModel switches to a model and a level, which may be empty; the mutex is held.
func (s *Session) setModel(m *ai.Model, level ai.ThinkingLevel) error {
	if err := s.ledger.add(&transcript.ModelEntry{Provider: m.Provider, ModelID: m.ID}); err != nil {
		return err
	}
	s.model, s.stood = m, nil
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
func (s *Session) SetThinking(level ai.ThinkingLevel) error { return s.selectThinking(s.ctx, level) }

// selectThinking is SetThinking within ctx, which may be that of an extension's handler.
func (s *Session) selectThinking(ctx context.Context, level ai.ThinkingLevel) error {
	if !slices.Contains(ai.ThinkingLevels, level) {
		return fmt.Errorf("unknown thinking level %q: use one of %v", level, ai.ThinkingLevels)
	}
	s.mu.Lock()
	if s.sealed {
		s.mu.Unlock()
		return transcript.ErrClosed
	}
	before := s.choiceNow()
	err := s.setThinking(level)
	if s.stood != nil {
		s.stood.thinking = level
	}
	after := s.choiceNow()
	s.mu.Unlock()
	s.hub.flush()
	s.tellChoice(ctx, before, after, "set")
	return err
}

// setThinking does nothing if the level stays; the mutex is held.
func (s *Session) setThinking(level ai.ThinkingLevel) error {
	if s.model != nil {
		level = s.model.ClampThinking(level)
	}
	if level == s.thinking {
		return nil
	}
	if err := s.ledger.add(&transcript.ThinkingLevelEntry{ThinkingLevel: level}); err != nil {
		return err
	}
	s.thinking = level
	s.agent.SetThinking(level)
	s.hub.post(&event.ThinkingLevelChanged{Level: level})
	return nil
}
