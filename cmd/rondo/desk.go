package main

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/jsonl"
)

// desk opens the sessions of a client that goes from one to another, each with what its
// folder asks for.
type desk struct {
	p *program
	// replaced, if set, is told that another session has taken the place of one.
	replaced func(now *session.Session, r *session.Change)

	mu        sync.Mutex
	now, next *assembly
	saved     map[string]any // settings, since they were read
	fresh     *config.Config // for the session that is made next, if the files were read again
}

// runtime returns a runtime that begins with the session of the assembly.
func (d *desk) runtime() *session.Runtime {
	return session.NewRuntime(d.now.session, &session.RuntimeOptions{
		Shelf:  jsonl.Files{},
		Open:   d.open,
		Before: d.before,
		Replaced: func(_, now *session.Session, r *session.Change) {
			d.mu.Lock()
			d.now, d.next = d.next, nil
			d.mu.Unlock()
			if d.replaced != nil {
				d.replaced(now, r)
			}
		},
	})
}

func (d *desk) current() *assembly {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// open makes the session over a store. What the command line says counts for it as well.
func (d *desk) open(store session.Store) (*session.Session, error) {
	now := d.current()
	begin := *now.models
	begin.keep = false
	d.mu.Lock()
	if d.fresh != nil {
		begin.cfg = d.fresh
		model := now.session.State().Model
		begin.keep = model != nil && model.Provider != scripted.Provider // which is in no list of models
	}
	d.fresh = nil
	d.mu.Unlock()
	a, err := d.p.openAt(&begin, store)
	if err != nil {
		return nil, err
	}
	d.p.note(append(a.notes, a.models.notes...))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = a
	return a.session, nil
}

// before reads the user's settings, models and keys again for a reload. If something is wrong
// with them, nothing is reloaded.
func (d *desk) before(_ context.Context, r *session.Change) error {
	if r.Reason != session.ReasonReload {
		return nil
	}
	m := d.current().models
	cfg, err := config.Load(m.cfg.Home)
	if err != nil {
		return err
	}
	if key := d.p.flags.apiKey; key != "" && m.asked != nil {
		cfg.SetAPIKey(m.asked.Provider, key)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fresh, d.saved = cfg, nil
	return nil
}

// openAt makes the session over a store, in its own folder, with models of its own: others
// may go on meanwhile with those that it begins with.
func (p *program) openAt(begin *models, store session.Store) (*assembly, error) {
	m := *begin
	m.notes, m.brought = nil, nil
	a := &assembly{models: &m, store: store}
	cwd := store.Header().CWD
	if cwd == "" {
		var err error
		if cwd, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	here, err := p.enter(context.Background(), m.cfg, cwd)
	if err != nil {
		return nil, err
	}
	e, err := p.loadExtensions(context.Background(), here)
	if err != nil {
		return nil, err
	}
	m.cfg, m.brought = here.cfg, e.providers
	a.notes = a.damage()
	if err := p.open(a, here, cwd, e); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return a, nil
}

// Available implements [rpc.Models].
func (d *desk) Available() []*ai.Model { return d.current().models.Available() }

// Get implements [rpc.Models].
func (d *desk) Get(provider, id string) *ai.Model { return d.current().models.Get(provider, id) }

// Save implements [rpc.Settings].
func (d *desk) Save(key string, value any) error {
	if err := d.current().models.cfg.Save(key, value); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.saved == nil {
		d.saved = make(map[string]any)
	}
	d.saved[key] = value
	return nil
}
