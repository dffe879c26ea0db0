package rondo

import (
	"context"
	"errors"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// Runtime is the session that a client works with, which can be replaced by others: new ones,
// those of other files, forks, and itself with what the files say now. Each has what its folder
// asks for.
type Runtime struct {
	*session.Runtime

	app      *App
	replaced func(now *session.Session, r *session.Change)

	mu        sync.Mutex
	now, next *Session
	saved     map[string]any // settings, since they were read
	fresh     *config.Config // for the session that is made next, if the files were read again
}

// Runtime returns a runtime that begins with the session s and owns it. replaced, which may be
// nil, is called when another session has taken its place.
func (a *App) Runtime(s *Session, replaced func(now *session.Session, r *session.Change)) *Runtime {
	r := &Runtime{app: a, replaced: replaced, now: s}
	r.Runtime = session.NewRuntime(s.Session, &session.RuntimeOptions{
		Repository: jsonl.Files{},
		Open:       r.open,
		Before:     r.before,
		Replaced: func(_, now *session.Session, change *session.Change) {
			r.mu.Lock()
			r.now, r.next = r.next, nil
			r.mu.Unlock()
			if r.replaced != nil {
				r.replaced(now, change)
			}
		},
	})
	return r
}

// Current returns the session that is worked with, with what belongs to it.
func (r *Runtime) Current() *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// open makes the session over a store. What the options say counts for it as well.
func (r *Runtime) open(store transcript.Store) (*session.Session, error) {
	now := r.Current()
	cfg, keep := now.Models.cfg, false
	r.mu.Lock()
	if r.fresh != nil {
		cfg = r.fresh
		model := now.State().Model
		keep = model != nil && model.Provider != scripted.Provider // which is in no list of models
	}
	r.fresh = nil
	r.mu.Unlock()
	s, err := r.app.reopen(now, cfg, keep, store)
	if err != nil {
		return nil, err
	}
	for _, note := range s.Notes {
		r.app.opts.Note(note)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next = s
	return s.Session, nil
}

// reopen makes the session over a store that takes the place of another one.
func (a *App) reopen(old *Session, cfg *config.Config, keep bool, store transcript.Store) (*Session, error) {
	dir, err := absoluteDir(store.Header().CWD)
	if err != nil {
		return nil, err
	}
	w, err := a.enter(context.Background(), cfg, dir)
	if err != nil {
		return nil, err
	}
	s := &Session{
		Models: old.Models.successor(w), Workspace: w, store: store,
		opts: SessionOptions{Models: old.opts.Models, Tools: old.opts.Tools, Hooks: old.opts.Hooks, Budget: old.opts.Budget},
	}
	s.Models.keep = keep
	if err := a.fill(context.Background(), s); err != nil {
		return nil, errors.Join(err, s.Workspace.Close())
	}
	return s, nil
}

// before reads the user's settings, models and keys again for a reload. If something is wrong
// with them, nothing is reloaded.
func (r *Runtime) before(_ context.Context, change *session.Change) error {
	if change.Reason != session.ReasonReload {
		return nil
	}
	m := r.Current().Models
	cfg, err := config.Load(m.cfg.Home)
	if err != nil {
		return err
	}
	if key := r.app.opts.Models.APIKey; key != "" && m.asked != nil {
		cfg.SetAPIKey(m.asked.Provider, key)
	}
	for _, wrong := range cfg.Warnings() {
		r.app.opts.Note(passedOver(wrong))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fresh, r.saved = cfg, nil
	return nil
}

// Available lists the models that the session can ask.
func (r *Runtime) Available() []*ai.Model { return r.Current().Models.Available() }

// Get returns one of them by its provider and id; nil if there is none.
func (r *Runtime) Get(provider, id string) *ai.Model { return r.Current().Models.Get(provider, id) }

// Save changes one setting of the user's file; the key is that of settings.json, such as
// compaction.enabled. It counts from the next start or reload.
func (r *Runtime) Save(key string, value any) error {
	if err := r.Current().Models.cfg.Save(key, value); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.saved == nil {
		r.saved = make(map[string]any)
	}
	r.saved[key] = value
	return nil
}

// Value returns a setting, as it was saved or else as it counts now; nil if there is none.
func (r *Runtime) Value(key string) any {
	r.mu.Lock()
	saved, ok := r.saved[key]
	r.mu.Unlock()
	if ok {
		return saved
	}
	return r.Current().Models.cfg.Settings.Value(key)
}
