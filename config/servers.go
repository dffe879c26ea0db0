package config

import (
	"context"
	"slices"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/local"
)

// FindServers looks for servers of models on this machine, of these providers or of all that
// package local knows, and adds the models of those that it finds. A provider whose models are
// in models.json is not looked for; what that file says of the provider otherwise counts for
// the models that are found. It takes [local.Limit] at most.
func (c *Config) FindServers(ctx context.Context, providers ...string) []local.Found {
	servers := slices.DeleteFunc(local.Servers(), func(s local.Server) bool {
		p := c.registry.get(s.ID)
		return p != nil && len(p.own) > 0 || len(providers) > 0 && !slices.Contains(providers, s.ID)
	})
	if len(servers) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, local.Limit)
	defer cancel()
	found := local.Find(ctx, servers)
	for i := range found {
		c.registry.found(&found[i])
	}
	return found
}

// found adds the models of a server.
func (r *registry) found(f *local.Found) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := provider{name: f.Name, modelHeaders: make(map[string]map[string]value)}
	if old := r.providers[f.ID]; old != nil {
		p = *old
	} else {
		r.order = append(r.order, f.ID)
	}
	if p.file == nil || p.file.Name == "" {
		p.name = f.Name
	}
	p.own, p.all = make([]*ai.Model, len(f.Models)), nil
	for i, m := range f.Models {
		p.own[i] = p.override(m)
	}
	p.keyless = p.apiKey == ""
	r.providers[f.ID] = &p // who has the old one may go on reading it
}

// Empty reports whether no model can be used at all: no provider has a credential. It is
// cheaper than looking for a model.
func (c *Config) Empty() bool {
	return !slices.ContainsFunc(c.registry.ids(), func(id string) bool { return c.ready(id) == nil })
}
