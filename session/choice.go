package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// selection is a model and a thinking level.
type selection struct {
	model    *ai.Model
	thinking ai.ThinkingLevel
}

// choice is which model answers, at which thinking level. While another model takes over for
// the chosen one, it remembers the chosen one.
type choice struct {
	opts   *Options
	agent  *agent.Agent
	writer *writer
	events *dispatcher
	notify func(ctx context.Context, before, after selection, source string) // tells the extensions

	mu       sync.Mutex
	now      selection
	override *selection // what the user has chosen, while another model takes over; nil otherwise
	moved    bool       // the leaf was moved, and no message has been added there yet
	changes  int        // counts the changes
	applied  int        // the changes that the run under way has been told of
}

// current returns the selection that is in force.
func (c *choice) current() selection {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// chosen returns the user's own model, also while another one takes over.
func (c *choice) chosen() *ai.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.override != nil {
		return c.override.model
	}
	return c.now.model
}

// ready returns the current model, or why it cannot be asked.
func (c *choice) ready() (*ai.Model, error) {
	m := c.current().model
	if m == nil {
		return nil, ErrNoModel
	}
	if c.opts.Ready != nil {
		if err := c.opts.Ready(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// change makes a change under the lock and tells of it.
func (c *choice) change(ctx context.Context, source string, fn func() error) error {
	c.mu.Lock()
	if c.writer.isSealed() {
		c.mu.Unlock()
		return transcript.ErrClosed
	}
	before := c.now
	err := fn()
	after := c.now
	c.mu.Unlock()
	c.events.flush()
	c.notify(ctx, before, after, source)
	return err
}

// setModel changes the model within ctx, which may be that of an extension's handler.
func (c *choice) setModel(ctx context.Context, m *ai.Model) error {
	return c.change(ctx, "set", func() error { return c.switchModel(m, "") })
}

// setThinking changes the level within ctx, which may be that of an extension's handler.
func (c *choice) setThinking(ctx context.Context, level ai.ThinkingLevel) error {
	if !slices.Contains(ai.ThinkingLevels, level) {
		return fmt.Errorf("unknown thinking level %q: use one of %v", level, ai.ThinkingLevels)
	}
	return c.change(ctx, "set", func() error {
		err := c.switchThinking(level)
		if c.override != nil {
			c.override.thinking = level
		}
		return err
	})
}

// switchModel switches to a model and a level, which may be empty; the mutex is held.
func (c *choice) switchModel(m *ai.Model, level ai.ThinkingLevel) error {
	if err := c.writer.add(&transcript.ModelEntry{Provider: m.Provider, ModelID: m.ID}); err != nil {
		return err
	}
	c.now.model, c.override = m, nil
	c.changes++
	c.agent.SetModel(m)
	if level == "" && c.opts.LevelFor != nil {
		level = c.opts.LevelFor(m)
	}
	if level == "" {
		level = c.now.thinking
	}
	return c.switchThinking(level)
}

// switchThinking does nothing if the level stays; the mutex is held.
func (c *choice) switchThinking(level ai.ThinkingLevel) error {
	if c.now.model != nil {
		level = c.now.model.ClampThinking(level)
	}
	if level == c.now.thinking {
		return nil
	}
	if err := c.writer.add(&transcript.ThinkingLevelEntry{ThinkingLevel: level}); err != nil {
		return err
	}
	c.now.thinking = level
	c.changes++
	c.agent.SetThinking(level)
	c.events.post(&event.ThinkingLevelChanged{Level: level})
	return nil
}

// beginRun takes note of a run, which begins with the selection that is in force.
func (c *choice) beginRun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.applied = c.changes
}

// changed returns the selection if it has changed since the run has begun or was told of the
// last change.
func (c *choice) changed() (selection, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.applied == c.changes {
		return selection{}, false
	}
	c.applied = c.changes
	return c.now, true
}

// takeOver lets another model answer in place of the chosen one, and says so.
func (c *choice) takeOver(ctx context.Context, to ScopedModel, why event.FallbackReason, text string) error {
	c.mu.Lock()
	before, chosen := c.now, c.override
	if err := c.switchModel(to.Model, to.Thinking); err != nil {
		c.mu.Unlock()
		return err
	}
	if c.override = chosen; chosen == nil {
		c.override = &before
	}
	after := c.now
	c.events.post(&event.ModelFallback{From: event.NameOf(before.model), To: event.NameOf(after.model), Reason: why, ErrorMessage: text})
	c.mu.Unlock()
	c.events.flush()
	c.notify(ctx, before, after, "set")
	return nil
}

// restore makes the chosen model the current one again and posts that. It returns the selection
// before, or nil if no other model has taken over.
func (c *choice) restore() *selection {
	c.mu.Lock()
	defer c.mu.Unlock()
	chosen := c.override
	if chosen == nil {
		return nil
	}
	before := c.now
	if err := c.switchModel(chosen.model, chosen.thinking); err != nil { // it counts all the same
		c.now, c.override = *chosen, nil
		c.agent.SetModel(chosen.model)
		c.agent.SetThinking(chosen.thinking)
	}
	c.events.post(&event.ModelRestored{From: event.NameOf(before.model), To: event.NameOf(chosen.model)})
	return &before
}

// leafMoved takes note of another place in the tree.
func (c *choice) leafMoved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved = true
}

// record makes the selection that of a place that was gone to, before the first message there.
func (c *choice) record() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.moved {
		return nil
	}
	past, err := transcript.Project(c.writer.store, c.writer.store.Leaf())
	if err != nil {
		return err
	}
	if entries := c.now.differences(past, false); len(entries) > 0 {
		if err := c.writer.add(entries...); err != nil {
			return fmt.Errorf("record the model in %s: %w", c.writer.store.Path(), err)
		}
	}
	c.moved = false
	return nil
}

// differences are entries that say what differs from the settings of a path. Of a fresh path,
// which has none, all differ.
func (s selection) differences(past *transcript.Projection, fresh bool) []transcript.Entry {
	var entries []transcript.Entry
	if s.model != nil && (fresh || past.ModelID != "" && (past.Provider != s.model.Provider || past.ModelID != s.model.ID)) {
		entries = append(entries, &transcript.ModelEntry{Provider: s.model.Provider, ModelID: s.model.ID})
	}
	if fresh || past.ThinkingLevel != "" && past.ThinkingLevel != s.thinking {
		entries = append(entries, &transcript.ThinkingLevelEntry{ThinkingLevel: s.thinking})
	}
	return entries
}

// initialSelection is what a session begins with: what the options say, or what its path had.
func initialSelection(opts *Options, past *transcript.Projection) selection {
	s := selection{model: opts.Model, thinking: opts.Thinking}
	if s.model == nil && opts.FindModel != nil && past.ModelID != "" {
		s.model = opts.FindModel(past.Provider, past.ModelID)
	}
	if s.thinking == "" {
		s.thinking = past.ThinkingLevel
	}
	if s.thinking == "" && s.model != nil && opts.DefaultThinking != nil {
		s.thinking = opts.DefaultThinking(s.model)
	}
	if s.thinking == "" {
		s.thinking = ai.ThinkingOff
	}
	if s.model != nil {
		s.thinking = s.model.ClampThinking(s.thinking)
	}
	return s
}
