package catalogue

import (
	"slices"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/rondo-agent/rondo/ai"
)

// Catalogue gives the models of providers. Make one with [Open].
type Catalogue struct {
	path string // of the stored file

	mu     sync.Mutex
	models map[string][]*ai.Model
	stored map[string]storeEntry // nil until it is read
	// problem is what is wrong with the stored file.
	problem error
}

// Open returns the catalogue over the file at path, see [File], which need not exist. It does
// no work.
func Open(path string) *Catalogue {
	return &Catalogue{path: path, models: make(map[string][]*ai.Model)}
}

// bundled are the models of catwalk by its names of providers. They are decoded once, when
// they are needed.
var bundled = sync.OnceValue(func() map[string][]catwalk.Model {
	byID := make(map[string][]catwalk.Model)
	for _, p := range embedded.GetAll() {
		byID[string(p.ID)] = p.Models
	}
	return byID
})

// Models lists the models of a provider; none, if it is not known.
func (c *Catalogue) Models(provider string) []*ai.Model {
	p, ok := Find(provider)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if models, ok := c.models[provider]; ok {
		return models
	}
	models := p.assemble(c.refreshed(provider))
	c.models[provider] = models
	return models
}

// assemble lists the provider's own models, and those of the data over them. What was stored
// replaces what is embedded.
func (p *Provider) assemble(stored []*ai.Model) []*ai.Model {
	models := stored
	if len(models) == 0 {
		models = p.bundled()
	}
	for i := range extras[p.ID] {
		e := &extras[p.ID][i]
		if !slices.ContainsFunc(models, func(m *ai.Model) bool { return m.ID == e.id }) {
			models = append(models, e.model(p))
		}
	}
	return models
}

// bundled returns the models of the embedded data.
func (p *Provider) bundled() []*ai.Model {
	var models []*ai.Model
	for _, source := range p.sources {
		data := bundled()[source]
		for i := range data {
			if m := p.convert(&data[i]); m != nil {
				models = append(models, m)
			}
		}
	}
	return models
}
