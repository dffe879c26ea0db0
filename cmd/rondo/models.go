package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/mistral"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/responses"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/local"
	"github.com/rondo-agent/rondo/session"
)

// models are the models that can be asked, with the scripted one where that is in use.
type models struct {
	cfg      *config.Config
	asked    *ai.Model        // nil if the command line names none
	thinking ai.ThinkingLevel // empty if none was asked for
	keep     bool             // the session goes on with what it had, whatever was asked for
	scope    []session.ScopedModel
	scripted ai.StreamFunc // nil if not in use
	brought  *providers    // of extensions; nil if there can be none
	servers  []local.Found // to offer where there is no key
	notes    []string
}

// choose selects what the command line asks for; nothing, if it does not.
func (m *models) choose(f *flags) error {
	m.thinking = ai.ThinkingLevel(f.thinking)
	if f.thinking != "" && !slices.Contains(ai.ThinkingLevels, m.thinking) {
		return fmt.Errorf("unknown thinking level %q: use one of %v", f.thinking, ai.ThinkingLevels)
	}
	if f.script != "" || isScripted(f.model) || f.provider == scripted.Provider && (f.model == "" || f.model == scripted.DemoID) {
		return m.useScript(f.script)
	}
	provider, model := f.provider, f.model
	if provider == "" && model == "" {
		if f.apiKey == "" {
			return nil
		}
		s := m.cfg.Settings
		if m.config().Model(s.DefaultProvider, s.DefaultModel) == nil {
			return errors.New("--api-key needs to know whose key it is: add --provider or --model")
		}
		provider, model = s.DefaultProvider, s.DefaultModel
	}
	found, level, err := m.config().Find(provider, model)
	if err != nil {
		return err
	}
	if f.apiKey != "" {
		m.cfg.SetAPIKey(found.Provider, f.apiKey)
	}
	m.asked = found
	if m.thinking == "" {
		m.thinking = level
	}
	return nil
}

// limit makes the models that a pattern fits those to switch between.
func (m *models) limit(patterns []string) {
	m.scope = nil
	scope, errs := m.config().Scope(patterns)
	for _, s := range scope {
		m.scope = append(m.scope, session.ScopedModel(s))
	}
	for _, err := range errs {
		m.notes = append(m.notes, "of the models to switch between, "+err.Error())
	}
}

// isScripted reports whether a model of the command line is the scripted one, also as a
// session names it.
func isScripted(model string) bool {
	return slices.Contains([]string{scripted.ModelID, scripted.Provider + "/" + scripted.ModelID, scripted.Provider + "/" + scripted.DemoID}, model)
}

// start returns the model and the level that a session is opened with: what was asked for or,
// for a fresh session, the default. Without either, the session has its own.
func (m *models) start(fresh bool) (*ai.Model, ai.ThinkingLevel, error) {
	if m.keep && !fresh {
		return nil, "", nil
	}
	if m.asked == nil && fresh {
		return m.fallBack()
	}
	return m.asked, m.thinking, nil
}

// noModels says that the demo answers since there is nothing else, and what else there could be.
func noModels(servers []local.Found) string {
	if len(servers) > 0 {
		return "no model is set up, so the scripted demo model answers; " + strings.Join(offers(servers), "; ")
	}
	return "no model is set up, so the scripted demo model answers; run rondo auth login, or set ANTHROPIC_API_KEY or OPENAI_API_KEY, for a real one"
}

// fallBack returns the default model: that of the settings, as far as it is one of those to
// switch between, or the first of those. Where there is no model at all, it is the demo.
func (m *models) fallBack() (*ai.Model, ai.ThinkingLevel, error) {
	if len(m.scope) > 0 {
		s := m.cfg.Settings
		first := m.scope[0]
		for _, scoped := range m.scope {
			if scoped.Model.Provider == s.DefaultProvider && scoped.Model.ID == s.DefaultModel {
				first = scoped
			}
		}
		return first.Model, cmp.Or(m.thinking, first.Thinking), nil
	}
	found, err := m.config().DefaultModel()
	if len(m.servers) > 0 || errors.Is(err, config.ErrNoModels) {
		m.notes = append(m.notes, noModels(m.servers))
		err = m.useScript("")
		return m.asked, m.thinking, err
	}
	return found, m.thinking, err
}

// find returns the model that a session has used, or nil if it cannot be asked any more.
func (m *models) find(provider, id string) *ai.Model {
	found := m.config().Model(provider, id)
	if found == nil && local.Is(provider) {
		m.config().FindServers(context.Background(), provider) // it bounds itself
		found = m.config().Model(provider, id)
	}
	switch {
	case provider == scripted.Provider:
		return nil // a demo gives way to a model, and a script has to be named again
	case found == nil:
		m.notes = append(m.notes, fmt.Sprintf("the session's model %s/%s is not known here; another one goes on", provider, id))
		return nil
	}
	if err := m.ready(found); err != nil {
		m.notes = append(m.notes, fmt.Sprintf("the session's model %s/%s cannot be asked, so another one goes on: %v", provider, id, err))
		return nil
	}
	return found
}

// useScript selects the scripted model: the demo, or one that replays a file.
func (m *models) useScript(file string) error {
	m.thinking = ai.ThinkingOff
	if file == "" {
		m.asked, m.scripted = scripted.DemoRecord(), scripted.Demo()
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read the script: %w", err)
	}
	defer in.Close()
	script, err := scripted.Load(in)
	if err != nil {
		return fmt.Errorf("read the script %s: %w", file, err)
	}
	m.asked, m.scripted = scripted.Record(), scripted.Stream(script)
	return nil
}

// stream returns what asks the wires. Where the user blocks images, every model counts as
// one that reads text alone, so that its requests have a note in place of each image.
func (m *models) stream() ai.StreamFunc {
	wires := ai.PriceBy(m.router().Stream, func(provider, id string) *ai.Model { return m.config().Model(provider, id) })
	ask := func(ctx context.Context, req *ai.Request) *ai.Stream {
		if m.brought != nil {
			if own := m.brought.streamOf(req.Model.Provider); own != nil {
				return m.authorized(own)(ctx, req)
			}
		}
		return wires(ctx, req)
	}
	if !m.cfg.Settings.Images.BlockImages {
		return ask
	}
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		textOnly, model := *req, *req.Model
		model.Input = []string{ai.InputText}
		textOnly.Model = &model
		return ask(ctx, &textOnly)
	}
}

// config is the configuration with the providers that extensions have brought by now.
func (m *models) config() *config.Config {
	if m.brought != nil {
		return m.brought.now.Load()
	}
	return m.cfg
}

// authorized returns ask with the credentials that there are when it is called.
func (m *models) authorized(ask ai.StreamFunc) ai.StreamFunc {
	return func(ctx context.Context, req *ai.Request) *ai.Stream { return m.config().Authorize(ask)(ctx, req) }
}

// router sends requests to the wires. None of them does anything before it is asked.
func (m *models) router() ai.Router {
	return ai.Router{
		openai.APICompletions: m.authorized(openai.Completions),
		anthropic.API:         m.authorized(anthropic.Messages),
		responses.API:         m.authorized(responses.Stream),
		responses.APIAzure:    m.authorized(responses.Azure{}.Stream),
		responses.APICodex:    m.authorized(responses.Codex),
		google.API:            m.authorized(google.Stream),
		google.APIVertex:      m.authorized(google.Vertex{Token: newVertexTokens().get}.Stream),
		bedrock.API:           m.authorized(new(bedrock.Client).Stream),
		mistral.API:           m.authorized(mistral.Stream),
		scripted.API:          func(ctx context.Context, req *ai.Request) *ai.Stream { return m.scripted(ctx, req) },
	}
}

func (m *models) ready(model *ai.Model) error {
	if model.API == scripted.API && m.scripted != nil {
		return nil
	}
	return m.config().Ready(model)
}

// Available implements [rpc.Models].
func (m *models) Available() []*ai.Model {
	list := m.config().Available()
	if m.scripted != nil {
		list = append(list, m.asked)
	}
	return list
}

// Get implements [rpc.Models].
func (m *models) Get(provider, id string) *ai.Model {
	for _, model := range m.Available() {
		if model.Provider == provider && model.ID == id {
			return model
		}
	}
	return nil
}
