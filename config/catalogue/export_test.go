package catalogue

import "charm.land/catwalk/pkg/embedded"

// Sources are catwalk's names of the providers whose models are used.
func (p *Provider) Sources() []string { return p.sources }

// Embedded lists catwalk's names of providers and the variables of their keys.
func Embedded() map[string]string {
	names := make(map[string]string)
	for _, p := range embedded.GetAll() {
		names[string(p.ID)] = p.APIKey
	}
	return names
}
