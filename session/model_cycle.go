package session

import (
	"slices"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// ScopedModel is one of the models that a user switches between.
type ScopedModel struct {
	Model *ai.Model
	// Thinking is the level to switch to with the model; empty keeps the level, or takes
	// the one that the user prefers for the model.
	Thinking ai.ThinkingLevel
}

// CycledModel is what a step to the next model has come to.
type CycledModel struct {
	Model    *ai.Model        `json:"model"`
	Thinking ai.ThinkingLevel `json:"thinkingLevel"`
	// Scoped says that the model is one of [Options.Scope].
	Scoped bool `json:"isScoped"`
}

// CycleModel switches to the next of the models of [Options.Scope] that can be asked or,
// without a scope, of [Options.Available]; after the last one comes the first. A selected
// model that is not among them counts as the first (Pi 0.85). It returns nil if there are
// not at least two.
func (s *Session) CycleModel() (*CycledModel, error) { return s.cycleModel(1) }

// CycleModelBack is [Session.CycleModel] in the other direction.
func (s *Session) CycleModelBack() (*CycledModel, error) { return s.cycleModel(-1) }

func (s *Session) cycleModel(step int) (*CycledModel, error) {
	choice, scoped := s.choice()
	if len(choice) < 2 {
		return nil, nil
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, transcript.ErrClosed
	}
	before := s.choiceNow()
	next, err := s.nextModel(choice, scoped, step)
	after := s.choiceNow()
	s.mu.Unlock()
	s.hub.flush()
	s.tellChoice(s.ctx, before, after, "cycle")
	return next, err
}

// nextModel needs the mutex.
func (s *Session) nextModel(choice []ScopedModel, scoped bool, step int) (*CycledModel, error) {
	at := 0
	if s.model != nil {
		at = max(0, slices.IndexFunc(choice, func(c ScopedModel) bool { return sameModel(c.Model, s.model) }))
	}
	next := choice[(at+step+len(choice))%len(choice)]
	if err := s.setModel(next.Model, next.Thinking); err != nil {
		return nil, err
	}
	return &CycledModel{Model: s.model, Thinking: s.thinking, Scoped: scoped}, nil
}

// choice lists the models to cycle through.
func (s *Session) choice() (models []ScopedModel, scoped bool) {
	if len(s.opts.Scope) > 0 {
		for _, m := range s.opts.Scope {
			if s.opts.Ready == nil || s.opts.Ready(m.Model) == nil {
				models = append(models, m)
			}
		}
		return models, true
	}
	if s.opts.Available == nil {
		return nil, false
	}
	for _, m := range s.opts.Available() {
		models = append(models, ScopedModel{Model: m})
	}
	return models, false
}

func sameModel(a, b *ai.Model) bool { return a.Provider == b.Provider && a.ID == b.ID }

// CycleThinking switches to the next level that the model supports; after the last one
// comes the first. It returns the empty level if the model cannot think.
func (s *Session) CycleThinking() (ai.ThinkingLevel, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return "", transcript.ErrClosed
	}
	before := s.choiceNow()
	level, err := s.nextThinking()
	after := s.choiceNow()
	s.mu.Unlock()
	s.hub.flush()
	s.tellChoice(s.ctx, before, after, "cycle")
	return level, err
}

// nextThinking needs the mutex.
func (s *Session) nextThinking() (ai.ThinkingLevel, error) {
	if s.model == nil || !s.model.Reasoning {
		return "", nil
	}
	levels := s.model.SupportedThinkingLevels()
	if len(levels) < 2 {
		return "", nil
	}
	at := slices.Index(levels, s.thinking)
	return levels[(at+1)%len(levels)], s.setThinking(levels[(at+1)%len(levels)])
}
