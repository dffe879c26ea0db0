package config

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// WithProvider returns the configuration with a provider laid over the others, in the form
// of models.json. Its models replace those that a provider of this name has; without any, it
// changes how those are reached. owner names who brings it, for the [*FileError] that says
// what is wrong. anyAPI allows wires that this program does not know, for who brings one. c
// stays as it is.
func (c *Config) WithProvider(owner, id string, provider jsontext.Value, anyAPI bool) (*Config, error) {
	text, err := json.Marshal(map[string]map[string]jsontext.Value{"providers": {id: provider}})
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", id, err)
	}
	doc := newDocument(owner, text)
	var file modelsFile
	if err := doc.decodeStrict(&file); err != nil {
		return nil, err
	}
	p := file.Providers.values[id]
	if p == nil {
		return nil, fmt.Errorf("provider %q: there is nothing in it", id)
	}
	if err := p.checkBrought(doc, id, anyAPI); err != nil {
		return nil, err
	}
	with := *c
	with.registry = c.registry.with(id, p, anyAPI)
	return &with, nil
}

// checkBrought is check, where wires may be unknown.
func (p *providerFile) checkBrought(doc *document, id string, anyAPI bool) error {
	checked := *p
	checked.Models = slices.Clone(p.Models)
	if anyAPI {
		checked.API = apis[0]
		if checked.BaseURL == "" {
			checked.BaseURL = "http://localhost"
		}
		for i := range checked.Models {
			checked.Models[i].API = nil
		}
	}
	if len(p.Models) == 0 && p.API == "" {
		checked.API = ""
	}
	checked.check(doc, jsontext.Pointer("/providers").AppendToken(id), id)
	return doc.first()
}

// with returns a registry in which a provider is laid over the one of the same name. What it
// does not say stays.
func (r *registry) with(id string, file *providerFile, brought bool) *registry {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &registry{path: r.path, catalogue: r.catalogue, order: slices.Clone(r.order), providers: make(map[string]*provider, len(r.providers)+1)}
	for name, p := range r.providers {
		own := *p
		out.providers[name] = &own
	}
	old := r.providers[id]
	delete(out.providers, id)
	out.order = slices.DeleteFunc(out.order, func(name string) bool { return name == id && old == nil })
	p := out.provider(id)
	if old != nil {
		out.order = out.order[:len(out.order)-1] // it has its place
		p.name = old.name
	}
	p.read(id, file)
	if old != nil {
		if p.apiKey == "" {
			p.apiKey = old.apiKey
		}
		p.headers = merged(old.headers, p.headers)
		p.authHeader = p.authHeader || old.authHeader
		p.modelHeaders = merged(old.modelHeaders, p.modelHeaders)
	}
	switch {
	case len(p.own) > 0:
		p.all = p.own
	case old != nil:
		for _, m := range old.own {
			p.own = append(p.own, p.override(m))
		}
	}
	p.keyless = brought && p.apiKey == ""
	return out
}
