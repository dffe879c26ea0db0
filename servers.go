package rondo

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/local"
)

// servers are the servers of models on this machine. They are looked for once: by name where
// the options or the settings name one, else all of them if there is no key at all.
type servers struct {
	once  sync.Once
	found []local.Found // to offer, since there is no key
}

// find looks for servers.
func (s *servers) find(ctx context.Context, cfg *config.Config, o *ModelOptions) {
	s.once.Do(func() {
		wanted := append([]string{o.Provider, cfg.Settings.DefaultProvider, o.Model}, o.Scope...)
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
		case o.Custom == nil && o.Provider == "" && o.Model == "" && o.Script == "" && cfg.Empty():
			s.found = cfg.FindServers(ctx)
		}
	})
}

// offers names the servers that were found, for a person who has no key: the demo answers, and
// does not load a model of theirs unasked.
func offers(found []local.Found) []string {
	var lines []string
	for _, s := range found {
		lines = append(lines, fmt.Sprintf("%s runs at %s: --provider %s asks %s", s.Name, s.Host(), s.ID, s.Models[0].ID))
	}
	return lines
}
