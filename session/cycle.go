package session

import (
	"context"
	"slices"

	"github.com/rondo-agent/rondo/ai"
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

// cycleModel switches to the model that is step places further in the list.
func (c *choice) cycleModel(ctx context.Context, step int) (next *CycledModel, err error) {
	models, scoped := c.models()
	if len(models) < 2 {
		return nil, nil
	}
	err = c.change(ctx, "cycle", func() error {
		at := 0
		if c.now.model != nil {
			at = max(0, slices.IndexFunc(models, func(m ScopedModel) bool { return sameModel(m.Model, c.now.model) }))
		}
		to := models[(at+step+len(models))%len(models)]
		if err := c.switchModel(to.Model, to.Thinking); err != nil {
			return err
		}
		next = &CycledModel{Model: c.now.model, Thinking: c.now.thinking, Scoped: scoped}
		return nil
	})
	return next, err
}

// models lists the models to cycle through.
func (c *choice) models() (models []ScopedModel, scoped bool) {
	if len(c.opts.Scope) > 0 {
		for _, m := range c.opts.Scope {
			if c.opts.Ready == nil || c.opts.Ready(m.Model) == nil {
				models = append(models, m)
			}
		}
		return models, true
	}
	if c.opts.Available == nil {
		return nil, false
	}
	for _, m := range c.opts.Available() {
		models = append(models, ScopedModel{Model: m})
	}
	return models, false
}

func sameModel(a, b *ai.Model) bool { return a.Provider == b.Provider && a.ID == b.ID }

// cycleThinking switches to the next level that the model supports.
func (c *choice) cycleThinking(ctx context.Context) (level ai.ThinkingLevel, err error) {
	err = c.change(ctx, "cycle", func() error {
		if c.now.model == nil || !c.now.model.Reasoning {
			return nil
		}
		levels := c.now.model.SupportedThinkingLevels()
		if len(levels) < 2 {
			return nil
		}
		level = levels[(slices.Index(levels, c.now.thinking)+1)%len(levels)]
		return c.switchThinking(level)
	})
	return level, err
}
