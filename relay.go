package rondo

import (
	"context"
	"fmt"
	"net/http"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
)

// Relay returns a handler for programs that ask these models through this one and have no keys.
// authorize judges their tokens.
func (m *Models) Relay(authorize func(token string) bool) http.Handler {
	resolve := func(ctx context.Context, asked *ai.Model) (*relay.Target, error) {
		found := m.Get(asked.Provider, asked.ID)
		if found == nil {
			return nil, fmt.Errorf("the model %s/%s is not available here; GET /api/models lists those that are", asked.Provider, asked.ID)
		}
		target := &relay.Target{Model: found}
		if m.cfg.Ready(found) == nil {
			credential, err := m.cfg.Credential(ctx, found)
			if err != nil {
				return nil, err
			}
			target.Options.APIKey = credential.APIKey // named, so that it is kept out of what the client sees
		}
		return target, nil
	}
	return relay.Handler(m.Stream(), authorize, resolve, nil)
}
