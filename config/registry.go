package config

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
)

// ErrNoModels means that no model can be asked: no provider has a credential.
var ErrNoModels = errors.New("no model can be used yet")

// registry holds the models of models.json and those of the catalogue. The latter are decoded
// only when one of their provider's is asked for that models.json does not have itself.
type registry struct {
	path      string // of models.json
	catalogue *catalogue.Catalogue

	mu        sync.Mutex
	order     []string // of providers: those of the catalogue, then those of models.json
	providers map[string]*provider
}

// provider is what is known of a provider.
type provider struct {
	name         string
	apiKey       value
	headers      map[string]value
	modelHeaders map[string]map[string]value // by model id
	authHeader   bool
	keyless      bool // its server wants no key

	file *providerFile // of models.json; nil if that does not name it
	own  []*ai.Model   // of models.json, or of a server that was found
	all  []*ai.Model   // with those of the catalogue; nil until somebody asks
}

// read reads models.json, and returns what is wrong in it and left out.
func (r *registry) read(path string) ([]*FileError, error) {
	r.path = path
	doc, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	var file modelsFile
	if err := doc.decode(&file); err != nil {
		return nil, err
	}
	file.check(doc)
	r.providers = make(map[string]*provider)
	for _, known := range catalogue.Providers() {
		r.provider(known.ID).name = known.Name
	}
	for _, id := range file.Providers.names {
		r.provider(id).read(id, file.Providers.values[id])
	}
	return doc.warnings(), nil
}

// provider returns the provider with this id, which is made if it is new.
func (r *registry) provider(id string) *provider {
	p := r.providers[id]
	if p == nil {
		p = &provider{name: id, modelHeaders: make(map[string]map[string]value)}
		r.providers[id] = p
		r.order = append(r.order, id)
	}
	return p
}

// read takes what models.json says of the provider.
func (p *provider) read(id string, file *providerFile) {
	p.file = file
	if file.unusable {
		p.all = []*ai.Model{}
		return
	}
	p.apiKey, p.headers, p.authHeader = file.APIKey, file.Headers, file.AuthHeader
	if file.Name != "" {
		p.name = file.Name
	}
	base := ai.Model{Provider: id, Input: []string{ai.InputText}, ContextWindow: defaultWindow, MaxTokens: defaultOutput}
	if known, ok := catalogue.Find(id); ok {
		base.API, base.BaseURL = known.API, known.BaseURL
	}
	file.applyTo(&base)
	for i := range file.Models {
		m := base
		m.ID, m.Name = file.Models[i].ID, file.Models[i].ID
		file.Models[i].apply(&m)
		p.own = append(p.own, &m)
		p.modelHeaders[m.ID] = file.Models[i].Headers
	}
	for _, name := range file.ModelOverrides.names {
		if p.find(p.own, name) == nil {
			p.modelHeaders[name] = file.ModelOverrides.values[name].Headers
		}
	}
}

// applyTo lays what a provider says about all of its models over one.
func (p *providerFile) applyTo(m *ai.Model) {
	if p.API != "" {
		m.API = p.API
	}
	if p.BaseURL != "" {
		m.BaseURL = p.BaseURL
	}
	m.Compat = mergedObject(m.Compat, p.Compat)
}

// override returns a model of the catalogue as models.json changes it.
func (p *provider) override(known *ai.Model) *ai.Model {
	if p.file == nil {
		return known
	}
	m := *known
	p.file.applyTo(&m)
	if over := p.file.ModelOverrides.values[m.ID]; over != nil {
		over.apply(&m)
	}
	return &m
}

// join lists the provider's models: those of the catalogue, of which its own replace those
// with the same id, and then the rest of its own.
func (p *provider) join(known []*ai.Model) []*ai.Model {
	all := make([]*ai.Model, 0, len(known)+len(p.own))
	for _, m := range known {
		if p.file != nil && p.file.dropped[m.ID] {
			continue
		}
		if own := p.find(p.own, m.ID); own != nil {
			all = append(all, own)
		} else {
			all = append(all, p.override(m))
		}
	}
	for _, m := range p.own {
		if p.find(all, m.ID) == nil {
			all = append(all, m)
		}
	}
	return all
}

func (*provider) find(models []*ai.Model, id string) *ai.Model {
	for _, m := range models {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// ids lists the providers.
func (r *registry) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.order)
}

// get returns a provider, or nil. What it returns must not be changed.
func (r *registry) get(id string) *provider {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.providers[id]
}

// of lists the models of a provider. It must not be changed.
func (r *registry) of(id string) []*ai.Model {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.providers[id]
	if p == nil {
		return nil
	}
	if p.all == nil {
		p.all = p.join(r.catalogue.Models(id))
	}
	return p.all
}

// exact returns the model with this provider and id, or nil. For one of models.json the
// catalogue is not looked at.
func (r *registry) exact(provider, id string) *ai.Model {
	p := r.get(provider)
	if p == nil || id == "" {
		return nil
	}
	if m := p.find(p.own, id); m != nil {
		return m
	}
	return p.find(r.of(provider), id)
}

// owned returns the model of models.json, or of a local server, that is written exactly so:
// its id, or provider/id. It returns nil if there is none, or more than one.
func (r *registry) owned(pattern string) *ai.Model {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *ai.Model
	for _, id := range r.order {
		for _, m := range r.providers[id].own {
			switch {
			case id+"/"+m.ID == pattern:
				return m
			case m.ID == pattern && found != nil:
				return nil
			case m.ID == pattern:
				found = m
			}
		}
	}
	return found
}

// Models lists all models, by provider: those of the catalogue, then those of models.json in
// its order. One of models.json replaces one of the catalogue with the same id. The records
// hold no secrets and must not be changed.
func (c *Config) Models() []*ai.Model {
	var all []*ai.Model
	for _, id := range c.registry.ids() {
		all = append(all, c.registry.of(id)...)
	}
	return all
}

// ModelsOf lists the models of one provider. The records must not be changed.
func (c *Config) ModelsOf(provider string) []*ai.Model { return slices.Clone(c.registry.of(provider)) }

// Available lists the models that can be asked: their provider has a credential.
func (c *Config) Available() []*ai.Model {
	var all []*ai.Model
	for _, id := range c.registry.ids() {
		if c.ready(id) == nil {
			all = append(all, c.registry.of(id)...)
		}
	}
	return all
}

// Model returns the model with exactly this provider and id, or nil.
func (c *Config) Model(provider, id string) *ai.Model { return c.registry.exact(provider, id) }

// ProviderName returns the name of a provider for people.
func (c *Config) ProviderName(id string) string {
	if p := c.registry.get(id); p != nil {
		return p.name
	}
	return id
}

// DefaultModel returns the model to start with where none was asked for: that of the
// settings, or of the provider that they name alone, if it can be used; else the default model of the first provider with a key; else
// that of the first provider that can be used without one; else the first model that can be
// used. If there is none, the error is [ErrNoModels].
func (c *Config) DefaultModel() (*ai.Model, error) {
	if s := c.Settings; s.DefaultProvider != "" && c.ready(s.DefaultProvider) == nil {
		if m := c.registry.exact(s.DefaultProvider, s.DefaultModel); m != nil {
			return m, nil
		}
		if s.DefaultModel == "" {
			if m, err := c.firstOf(s.DefaultProvider); err == nil {
				return m, nil
			}
		}
	}
	var ready, ambient []string
	for _, id := range c.registry.ids() {
		switch found, err := c.find(id); {
		case err != nil || c.ready(id) != nil:
		case found.ambient:
			ambient = append(ambient, id)
		default:
			ready = append(ready, id)
		}
	}
	ready = append(ready, ambient...)
	for _, id := range ready {
		if known, ok := catalogue.Find(id); ok {
			if m := c.registry.exact(id, known.Default); m != nil {
				return m, nil
			}
		}
	}
	for _, id := range ready {
		if models := c.registry.of(id); len(models) > 0 {
			return models[0], nil
		}
	}
	return nil, fmt.Errorf("%w: run rondo auth login, set ANTHROPIC_API_KEY, OPENAI_API_KEY or the key of another provider, or describe a server in %s", ErrNoModels, c.registry.path)
}

// DefaultThinking returns the level to start with for a model: the preferred one, or
// medium, clamped to what the model supports.
func (c *Config) DefaultThinking(m *ai.Model) ai.ThinkingLevel {
	level := c.PreferredThinking(m)
	if level == "" {
		level = ai.ThinkingMedium
	}
	return m.ClampThinking(level)
}

// PreferredThinking returns the level that the settings name for a model, or for all; empty
// if they name none.
func (c *Config) PreferredThinking(m *ai.Model) ai.ThinkingLevel {
	if level, ok := c.Settings.ModelThinkingLevels[m.Provider+"/"+m.ID]; ok {
		return level
	}
	return c.Settings.DefaultThinkingLevel
}
