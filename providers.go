package rondo

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
)

// providers are the configuration with the providers of extensions, which come and go while
// a session is worked with.
type providers struct {
	base *config.Config
	now  atomic.Pointer[config.Config]
	// asked are the models of the session, once there is one.
	asked atomic.Pointer[Models]

	mu   sync.Mutex
	list []broughtProvider
}

type broughtProvider struct {
	name string
	*extension.Provider
}

func newProviders(base *config.Config) *providers {
	p := &providers{base: base}
	p.now.Store(base)
	return p
}

// config returns the configuration with the providers of extensions.
func (p *providers) config() *config.Config { return p.now.Load() }

var _ extension.Models = (*providers)(nil)

// add adds a provider, or puts it in the place of an earlier one of the name.
func (p *providers) add(name string, provider *extension.Provider) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := append(without(p.list, name), broughtProvider{name, provider})
	if err := p.use(list); err != nil {
		return fmt.Errorf("register the provider %q: %w", name, err)
	}
	p.list = list
	registerLogins(p.base, list, "")
	return nil
}

// remove takes a provider away, with its models.
func (p *providers) remove(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = without(p.list, name)
	registerLogins(p.base, p.list, name)
	return p.use(p.list)
}

func without(list []broughtProvider, name string) []broughtProvider {
	var out []broughtProvider
	for _, other := range list {
		if other.name != name {
			out = append(out, other)
		}
	}
	return out
}

// use makes the configuration that the list comes to.
func (p *providers) use(list []broughtProvider) error {
	cfg := p.base
	for _, provider := range list {
		raw, err := json.Marshal(provider.Provider)
		if err != nil {
			return err
		}
		if cfg, err = cfg.WithProvider("the extension's provider", provider.name, raw, provider.Stream != nil); err != nil {
			return err
		}
	}
	p.now.Store(cfg)
	return nil
}

// streamOf returns how a provider of an extension asks its models; nil if by a wire.
func (p *providers) streamOf(name string) ai.StreamFunc {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, provider := range p.list {
		if provider.name == name {
			return provider.Stream
		}
	}
	return nil
}

// All implements [extension.Models].
func (p *providers) All() []*ai.Model { return p.now.Load().Models() }

// Available implements [extension.Models].
func (p *providers) Available() []*ai.Model { return p.models().Available() }

// Find implements [extension.Models].
func (p *providers) Find(provider, id string) *ai.Model { return p.now.Load().Model(provider, id) }

// HasAuth implements [extension.Models].
func (p *providers) HasAuth(m *ai.Model) bool { return p.now.Load().Ready(m) == nil }

// Auth implements [extension.Models].
func (p *providers) Auth(ctx context.Context, m *ai.Model) (string, map[string]string, error) {
	cred, err := p.now.Load().Credential(ctx, m)
	if err != nil {
		return "", nil, err
	}
	return cred.APIKey, cred.Headers, nil
}

// Stream implements [extension.Models].
func (p *providers) Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return p.models().Stream()(ctx, req)
}

// models are those of the session, or, before there is one, those of the configuration.
func (p *providers) models() *Models {
	if m := p.asked.Load(); m != nil {
		return m
	}
	return &Models{cfg: p.base, brought: p}
}
