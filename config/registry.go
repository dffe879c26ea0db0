package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/ai"
)

// ErrNoModels means that no model can be asked: no provider has a credential.
var ErrNoModels = errors.New("no model can be used yet")

// registry holds the models of models.json and the built-in ones.
type registry struct {
	path      string // of models.json
	models    []*ai.Model
	order     []string // of providers
	providers map[string]*provider
}

// provider is what the requests to a provider need beside the models.
type provider struct {
	name         string
	apiKey       value
	headers      map[string]value
	modelHeaders map[string]map[string]value // by model id
	authHeader   bool
}

// read reads models.json and adds it to the built-in models.
func (r *registry) read(path string) error {
	r.path = path
	doc, err := readDocument(path)
	if err != nil {
		return err
	}
	var file modelsFile
	if err := doc.decode(&file); err != nil {
		return err
	}
	if err := file.check(doc); err != nil {
		return err
	}
	r.providers = make(map[string]*provider)
	for i := range builtins {
		b := &builtins[i]
		r.provider(b.id).name = b.name
		for j := range b.models {
			r.models = append(r.models, b.model(&b.models[j]))
		}
	}
	for _, id := range file.Providers.names {
		r.add(id, file.Providers.values[id])
	}
	return nil
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

// add lays a provider of models.json over what is there.
func (r *registry) add(id string, file *providerFile) {
	p := r.provider(id)
	p.apiKey, p.headers, p.authHeader = file.APIKey, file.Headers, file.AuthHeader
	if file.Name != "" {
		p.name = file.Name
	}
	base := ai.Model{Provider: id, Input: []string{ai.InputText}, ContextWindow: defaultWindow, MaxTokens: defaultOutput}
	if i := slices.IndexFunc(builtins, func(b builtin) bool { return b.id == id }); i >= 0 {
		base.API, base.BaseURL = builtins[i].api, builtins[i].baseURL
	}
	file.applyTo(&base)
	for _, m := range r.models {
		if m.Provider == id {
			file.applyTo(m)
		}
	}
	for i := range file.Models {
		r.set(p, &file.Models[i], base)
	}
	for _, name := range file.ModelOverrides.names {
		if m := r.exact(id, name); m != nil {
			override := file.ModelOverrides.values[name]
			override.apply(m)
			p.modelHeaders[name] = merged(p.modelHeaders[name], override.Headers)
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

// set adds a model, in the place of one with the same id.
func (r *registry) set(p *provider, file *modelFile, base ai.Model) {
	m := base
	m.ID, m.Name = file.ID, file.ID
	file.apply(&m)
	p.modelHeaders[m.ID] = file.Headers
	if old := r.exact(m.Provider, m.ID); old != nil {
		*old = m
		return
	}
	r.models = append(r.models, &m)
}

func (r *registry) exact(provider, id string) *ai.Model {
	for _, m := range r.models {
		if m.Provider == provider && m.ID == id {
			return m
		}
	}
	return nil
}

// Models lists all models: the built-in ones, then those of models.json in its order. One of
// models.json replaces a built-in one with the same id. The records hold no secrets and must
// not be changed.
func (c *Config) Models() []*ai.Model { return slices.Clone(c.registry.models) }

// Available lists the models that can be asked: their provider has a credential.
func (c *Config) Available() []*ai.Model {
	ready := make(map[string]bool)
	for _, id := range c.registry.order {
		ready[id] = c.Ready(&ai.Model{Provider: id}) == nil
	}
	return slices.DeleteFunc(c.Models(), func(m *ai.Model) bool { return !ready[m.Provider] })
}

// Model returns the model with exactly this provider and id, or nil.
func (c *Config) Model(provider, id string) *ai.Model { return c.registry.exact(provider, id) }

// ProviderName returns the name of a provider for people.
func (c *Config) ProviderName(id string) string {
	if p := c.registry.providers[id]; p != nil {
		return p.name
	}
	return id
}

// DefaultModel returns the model to start with where none was asked for: that of the
// settings, if it can be used; else the first of the providers' default models that can; else
// the first that can. If there is none, the error is [ErrNoModels].
func (c *Config) DefaultModel() (*ai.Model, error) {
	if m := c.registry.exact(c.Settings.DefaultProvider, c.Settings.DefaultModel); m != nil && c.Ready(m) == nil {
		return m, nil
	}
	available := c.Available()
	for _, d := range defaultModels {
		for _, m := range available {
			if m.Provider == d.provider && m.ID == d.model {
				return m, nil
			}
		}
	}
	if len(available) > 0 {
		return available[0], nil
	}
	return nil, fmt.Errorf("%w: set ANTHROPIC_API_KEY, OPENAI_API_KEY or the key of another provider, or describe a server in %s", ErrNoModels, c.registry.path)
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
