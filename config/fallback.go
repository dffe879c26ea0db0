package config

import (
	"fmt"

	"github.com/rondo-agent/rondo/ai"
)

// allModels is the key of modelFallbacks for models that have no successors of their own.
const allModels = "*"

// Successors returns the models that take over from one that cannot answer, as the setting
// modelFallbacks names them, in its order. What a pattern does not find is an error, and the
// others count nevertheless. Whether they have a key is not looked at.
func (c *Config) Successors(m *ai.Model) ([]Scoped, []error) {
	patterns, ok := c.Settings.ModelFallbacks[m.Provider+"/"+m.ID]
	if !ok {
		patterns = c.Settings.ModelFallbacks[allModels]
	}
	var next []Scoped
	var errs []error
	for _, pattern := range patterns {
		found, level, err := c.Find("", pattern)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("modelFallbacks of %s/%s: %w", m.Provider, m.ID, err))
		case found.Provider != m.Provider || found.ID != m.ID:
			next = append(next, Scoped{found, level})
		}
	}
	return next, errs
}
