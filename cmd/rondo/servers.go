package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/local"
)

// findServers looks for servers of models on this machine: for one that is asked for by its
// name, or for all if there is no key at all. Otherwise nothing is looked for.
func (p *program) findServers(ctx context.Context, cfg *config.Config) {
	f := &p.flags
	wanted := append([]string{f.provider, cfg.Settings.DefaultProvider, f.model}, f.models...)
	var named []string
	for _, name := range wanted {
		provider, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), "/")
		if local.Is(provider) {
			named = append(named, provider)
		}
	}
	switch {
	case len(named) > 0:
		cfg.FindServers(ctx, named...)
	case f.provider == "" && f.model == "" && f.script == "" && cfg.Empty():
		p.servers = cfg.FindServers(ctx)
	}
}

// offers names the servers that were found, for who has no key: the demo answers, and does not
// load a model of theirs unasked.
func offers(found []local.Found) []string {
	var lines []string
	for _, s := range found {
		lines = append(lines, fmt.Sprintf("%s runs at %s: --provider %s asks %s", s.Name, s.Host(), s.ID, s.Models[0].ID))
	}
	return lines
}
