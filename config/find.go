package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
	"github.com/rondo-agent/rondo/config/local"
	"github.com/rondo-agent/rondo/internal/near"
)

// NotFoundError means that no model, or more than one, fits what was asked for.
type NotFoundError struct {
	// Wanted is what was asked for.
	Wanted string
	// Problem says what is wrong; Near are what may have been meant.
	Problem string
	Near    []string
	hint    string
}

// Error lists what may have been meant.
func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("%q %s", e.Wanted, e.Problem)
	end := "."
	if len(e.Near) > 0 {
		end = "; did you mean " + alternatives(e.Near) + "?"
	}
	if e.hint != "" || end != "." {
		text += end
	}
	return strings.TrimSpace(text + " " + e.hint)
}

// Find returns the model that the flags --provider and --model ask for, either of which may be
// empty, and the thinking level if the pattern ends with one, as in gpt-5.5:high; otherwise
// that is empty.
//
// The pattern is an id, or a part of an id or name, each also behind provider/; case does not
// count. Where several fit, one that can be used is preferred, and one that models.json
// describes. Of those of the catalogue it is then the default model of its provider or the
// newest.
// Without a pattern it is the provider's default model. The error is a [*NotFoundError], or
// that of [Config.DefaultModel] if nothing was asked for.
func (c *Config) Find(provider, pattern string) (*ai.Model, ai.ThinkingLevel, error) {
	if provider != "" {
		id, err := c.findProvider(provider)
		if err != nil {
			return nil, "", err
		}
		provider = id
	}
	if pattern == "" {
		m, err := c.firstOf(provider)
		return m, "", err
	}
	m, err := c.findModel(provider, pattern)
	if err == nil {
		return m, "", nil
	}
	if at := strings.LastIndexByte(pattern, ':'); at > 0 {
		if level := ai.ThinkingLevel(pattern[at+1:]); slices.Contains(ai.ThinkingLevels, level) {
			m, err := c.findModel(provider, pattern[:at])
			return m, level, err
		}
	}
	return nil, "", err
}

func (c *Config) findProvider(wanted string) (string, error) {
	ids := c.registry.ids()
	for _, id := range ids {
		if strings.EqualFold(id, wanted) {
			return id, nil
		}
	}
	for _, s := range local.Servers() {
		if strings.EqualFold(s.ID, wanted) {
			return "", &NotFoundError{Wanted: wanted, Problem: "does not answer at " + s.Address, hint: fmt.Sprintf("Start it, or describe it in %s if it is elsewhere.", c.registry.path)}
		}
	}
	return "", &NotFoundError{
		Wanted: wanted, Problem: "is no provider that is known", Near: near.Names(wanted, ids),
		hint: fmt.Sprintf("rondo auth list shows those that are. Others can be described in %s.", c.registry.path),
	}
}

// firstOf returns the model of a provider to start with.
func (c *Config) firstOf(provider string) (*ai.Model, error) {
	if provider == "" {
		return c.DefaultModel()
	}
	if c.Settings.DefaultProvider == provider {
		if m := c.registry.exact(provider, c.Settings.DefaultModel); m != nil {
			return m, nil
		}
	}
	if known, ok := catalogue.Find(provider); ok {
		if m := c.registry.exact(provider, known.Default); m != nil {
			return m, nil
		}
	}
	if models := c.registry.of(provider); len(models) > 0 {
		return models[0], nil
	}
	return nil, &NotFoundError{Wanted: provider, Problem: "has no models", hint: fmt.Sprintf("Add \"models\" to it in %s.", c.registry.path)}
}

// findModel looks for the pattern in one provider, or in all.
func (c *Config) findModel(provider, pattern string) (*ai.Model, error) {
	if provider == "" {
		if m := c.registry.owned(pattern); m != nil {
			return m, nil
		}
	}
	candidates := c.candidates(provider, pattern)
	if provider != "" {
		if rest, ok := cutPrefixFold(pattern, provider+"/"); ok && c.registry.exact(provider, pattern) == nil {
			pattern = rest
		}
	}
	lower := strings.ToLower(pattern)
	for _, fits := range []func(m *ai.Model) bool{
		func(m *ai.Model) bool { return m.ID == pattern || m.Provider+"/"+m.ID == pattern },
		func(m *ai.Model) bool {
			return strings.EqualFold(m.ID, pattern) || strings.EqualFold(m.Provider+"/"+m.ID, pattern) || strings.EqualFold(m.Name, pattern)
		},
		func(m *ai.Model) bool {
			return strings.Contains(strings.ToLower(m.Provider+"/"+m.ID), lower) || strings.Contains(strings.ToLower(m.Name), lower)
		},
	} {
		if m, err := c.choose(pattern, candidates, fits); m != nil || err != nil {
			return m, err
		}
	}
	if prefix, rest, ok := strings.Cut(pattern, "/"); ok && provider == "" {
		if id, err := c.findProvider(prefix); err == nil { // a part of a model of this provider
			if m, err := c.findModel(id, rest); err == nil {
				return m, nil
			}
		}
	}
	return nil, c.unknownModel(provider, pattern, candidates)
}

// candidates are the models that a pattern may mean: those of the provider or of the one
// that the pattern begins with, if it has the model, or all.
func (c *Config) candidates(provider, pattern string) []*ai.Model {
	if provider != "" {
		return c.registry.of(provider)
	}
	if prefix, id, ok := strings.Cut(pattern, "/"); ok {
		if m := c.registry.exact(prefix, id); m != nil {
			return []*ai.Model{m}
		}
	}
	return c.Models()
}

func cutPrefixFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

func (c *Config) unknownModel(provider, pattern string, candidates []*ai.Model) error {
	all := names(candidates, len(candidates))
	e := &NotFoundError{Wanted: pattern, Problem: "is no model that is known", Near: near.Names(pattern, all)}
	if provider != "" {
		e.Problem = "is no model of " + provider + " that is known"
		if len(e.Near) == 0 {
			e.Near = all[:min(len(all), 8)]
		}
	}
	e.hint = fmt.Sprintf("Others can be described in %s.", c.registry.path)
	return e
}

func names(models []*ai.Model, limit int) []string {
	var out []string
	for _, m := range models[:min(len(models), limit)] {
		out = append(out, m.Provider+"/"+m.ID)
	}
	return out
}
