package config

import "github.com/rondo-agent/rondo/config/catalogue"

// CatalogueUsed reports whether the models of the catalogue have been asked for.
func (c *Config) CatalogueUsed() bool {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	for _, known := range catalogue.Providers() {
		if c.registry.providers[known.ID].all != nil {
			return true
		}
	}
	return false
}
