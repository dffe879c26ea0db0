package rondo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/local"
	"github.com/rondo-agent/rondo/session"
)

// modelPicker chooses the models of sessions by the options.
type modelPicker struct {
	opts    *ModelOptions
	servers servers

	mu     sync.Mutex
	script *answering // of the options, once it is read
}

// answering is a model with what answers for it, which needs no configuration.
type answering struct {
	model  *ai.Model
	stream ai.StreamFunc
}

// Models are the models that a session can ask.
type Models struct {
	cfg      *config.Config
	asked    *ai.Model        // nil if the options name none
	thinking ai.ThinkingLevel // empty if none was asked for
	keep     bool             // the session keeps the model that it had, whatever was asked for
	scope    []session.ScopedModel
	own      *answering // nil if not in use
	brought  *providers // of extensions; nil if there can be none
	servers  []local.Found
	missing  string // says that there is no model, so that the demo answers; empty if there is
	notes    notes
}

// successor returns the models for the session that takes the place of another one.
func (m *Models) successor(w *Workspace) *Models {
	return &Models{
		cfg: w.cfg, brought: w.extensions.providers, asked: m.asked, thinking: m.thinking, own: m.own, servers: m.servers, missing: m.missing,
	}
}

// choose returns the models of a workspace, with the one that the options ask for.
func (p *modelPicker) choose(ctx context.Context, w *Workspace, o *ModelOptions) (*Models, error) {
	p.servers.find(ctx, w.cfg, p.opts)
	m := &Models{cfg: w.cfg, brought: w.extensions.providers, servers: p.servers.found, thinking: o.Thinking}
	switch {
	case o.Custom != nil:
		m.use(&answering{o.Custom, o.Stream}, o.Thinking)
		return m, nil
	case o.Script != "" || IsScripted(o.Model) || o.Provider == scripted.Provider && (o.Model == "" || o.Model == scripted.DemoID):
		own, err := p.scripted(o.Script)
		if err == nil {
			m.use(own, ai.ThinkingOff)
		}
		return m, err
	}
	return m, m.choose(o)
}

// choose selects the model that the options name; none, if they do not.
func (m *Models) choose(o *ModelOptions) error {
	provider, model := o.Provider, o.Model
	if provider == "" && model == "" {
		if o.APIKey == "" {
			return nil
		}
		s := m.cfg.Settings
		if m.Config().Model(s.DefaultProvider, s.DefaultModel) == nil {
			return errors.New("--api-key needs to know whose key it is: add --provider or --model")
		}
		provider, model = s.DefaultProvider, s.DefaultModel
	}
	found, level, err := m.Config().Find(provider, model)
	if err != nil {
		return err
	}
	if o.APIKey != "" {
		m.cfg.SetAPIKey(found.Provider, o.APIKey)
	}
	m.asked = found
	if m.thinking == "" {
		m.thinking = level
	}
	return nil
}

// use makes a model that needs no configuration the one that is asked.
func (m *Models) use(own *answering, level ai.ThinkingLevel) {
	m.asked, m.own, m.thinking = own.model, own, level
}

// scripted returns the scripted model: the demo, or one that replays a file. All sessions share
// the one of the options, which goes on where it is.
func (p *modelPicker) scripted(file string) (*answering, error) {
	if file == "" {
		return demo(), nil
	}
	if file != p.opts.Script {
		return readScript(file)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.script != nil {
		return p.script, nil
	}
	var err error
	p.script, err = readScript(file)
	return p.script, err
}

func demo() *answering { return &answering{scripted.DemoRecord(), scripted.Demo()} }

func readScript(file string) (*answering, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	defer in.Close()
	script, err := scripted.Load(in)
	if err != nil {
		return nil, fmt.Errorf("read the script %s: %w", file, err)
	}
	return &answering{scripted.Record(), scripted.Stream(script)}, nil
}

// IsScripted reports whether a name is that of the scripted model, also as a session has it.
func IsScripted(model string) bool {
	return slices.Contains([]string{scripted.ModelID, scripted.Provider + "/" + scripted.ModelID, scripted.Provider + "/" + scripted.DemoID}, model)
}

// limit makes the models that a pattern fits those to switch between.
func (m *Models) limit(patterns []string) {
	m.scope = nil
	scope, errs := m.Config().Scope(patterns)
	for _, s := range scope {
		m.scope = append(m.scope, session.ScopedModel(s))
	}
	for _, err := range errs {
		m.notes.add("of the models to switch between, " + err.Error())
	}
}

// start returns the model and the level that a session is opened with: what was asked for or,
// for a fresh session, the default. Without either, the session has its own.
func (m *Models) start(fresh bool) (*ai.Model, ai.ThinkingLevel, error) {
	if m.keep && !fresh {
		return nil, "", nil
	}
	if m.asked == nil && fresh {
		return m.fallBack()
	}
	return m.asked, m.thinking, nil
}

// NoModels is the note that no model is set up, so that the scripted demo answers; empty if there
// is a model.
func (m *Models) NoModels() string { return m.missing }

// Offers are lines that name the servers of models on this machine, if there is no key at all.
func (m *Models) Offers() []string { return offers(m.servers) }

func noModels(servers []local.Found) string {
	if len(servers) > 0 {
		return "no model is set up, so the scripted demo model answers; " + strings.Join(offers(servers), "; ")
	}
	return "no model is set up, so the scripted demo model answers; run rondo auth login, or set ANTHROPIC_API_KEY or OPENAI_API_KEY, for a real one"
}

// fallBack returns the default model: that of the settings, as far as it is one of those to
// switch between, or the first of those. Where there is no model at all, it is the demo.
func (m *Models) fallBack() (*ai.Model, ai.ThinkingLevel, error) {
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
	found, err := m.Config().DefaultModel()
	if len(m.servers) > 0 || errors.Is(err, config.ErrNoModels) {
		m.missing = noModels(m.servers)
		m.notes.add(m.missing)
		m.use(demo(), ai.ThinkingOff)
		return m.asked, m.thinking, nil
	}
	return found, m.thinking, err
}

// find returns the model that a session has used, or nil if it cannot be asked any more.
func (m *Models) find(provider, id string) *ai.Model {
	found := m.Config().Model(provider, id)
	if found == nil && local.Is(provider) {
		m.Config().FindServers(context.Background(), provider) // it bounds itself
		found = m.Config().Model(provider, id)
	}
	switch {
	case provider == scripted.Provider:
		return nil // a demo gives way to a model, and a script has to be named again
	case found == nil:
		m.notes.add(fmt.Sprintf("the session's model %s/%s is not known here; another one goes on", provider, id))
		return nil
	}
	if err := m.Ready(found); err != nil {
		m.notes.add(fmt.Sprintf("the session's model %s/%s cannot be asked, so another one goes on: %v", provider, id, err))
		return nil
	}
	return found
}

// successors returns the models that take over from one that cannot answer.
func (m *Models) successors(model *ai.Model) []session.ScopedModel {
	found, _ := m.Config().Successors(model) // those that are not found were told at the start
	var next []session.ScopedModel
	for _, s := range found {
		next = append(next, session.ScopedModel(s))
	}
	return next
}

// checkSuccessors takes note of successors of a model that do not exist.
func (m *Models) checkSuccessors(model *ai.Model) {
	if model == nil || len(m.cfg.Settings.ModelFallbacks) == 0 {
		return
	}
	_, errs := m.Config().Successors(model)
	for _, err := range errs {
		m.notes.add(err.Error())
	}
}

// Config returns the configuration of the session: with the settings of its project and the
// providers of its extensions.
func (m *Models) Config() *config.Config {
	if m.brought != nil {
		return m.brought.config()
	}
	return m.cfg
}

// Ready reports why a model cannot be asked, for instance since there is no key.
func (m *Models) Ready(model *ai.Model) error {
	if m.own != nil && model.Provider == m.own.model.Provider && model.API == m.own.model.API {
		return nil
	}
	return m.Config().Ready(model)
}

// Available lists the models that can be asked.
func (m *Models) Available() []*ai.Model {
	list := m.Config().Available()
	if m.own != nil {
		list = append(list, m.own.model)
	}
	return list
}

// Get returns one of the models that can be asked by its provider and id; nil if there is none.
func (m *Models) Get(provider, id string) *ai.Model {
	for _, model := range m.Available() {
		if model.Provider == provider && model.ID == id {
			return model
		}
	}
	return nil
}

// notes collects notices for people.
type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(note string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, note)
}

// take returns the notices that have come up since it was called last.
func (n *notes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.list
	n.list = nil
	return list
}
