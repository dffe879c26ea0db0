package config

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
)

// choose returns the model that is meant of those that fit, or nil if none does: one that can
// be used, one of models.json, one of the provider of the settings, that of its maker rather
// than of a gateway. Of the models of a provider in the catalogue it is the default one, or
// the newest; of others it must be the only one.
func (c *Config) choose(pattern string, candidates []*ai.Model, fits func(*ai.Model) bool) (*ai.Model, error) {
	matches := slices.DeleteFunc(slices.Clone(candidates), func(m *ai.Model) bool { return !fits(m) })
	matches = prefer(matches, c.usable())
	matches = prefer(matches, func(m *ai.Model) bool { return c.registry.isOwn(m) })
	if len(matches) == 0 {
		return nil, nil
	}
	matches = prefer(matches, func(m *ai.Model) bool { return m.Provider == c.Settings.DefaultProvider })
	shortest := slices.MinFunc(matches, func(a, b *ai.Model) int { return cmp.Compare(len(a.ID), len(b.ID)) })
	of := prefer(matches, func(m *ai.Model) bool { return m.Provider == shortest.Provider })
	if known, ok := catalogue.Find(shortest.Provider); ok && !c.registry.isOwn(of[0]) {
		return newest(prefer(of, func(m *ai.Model) bool { return m.ID == known.Default })), nil
	}
	if slices.ContainsFunc(matches, func(m *ai.Model) bool { return m.ID != matches[0].ID }) {
		return nil, &NotFoundError{Wanted: pattern, Problem: "fits more than one model", Near: names(matches, 8)}
	}
	return matches[0], nil
}

// usable returns a predicate for the models that can be asked. It looks at each provider once.
func (c *Config) usable() func(*ai.Model) bool {
	ready := make(map[string]bool)
	return func(m *ai.Model) bool {
		ok, known := ready[m.Provider]
		if !known {
			ok = c.ready(m.Provider) == nil
			ready[m.Provider] = ok
		}
		return ok
	}
}

// prefer returns the models that are better, or all of them if none is.
func prefer(models []*ai.Model, better func(*ai.Model) bool) []*ai.Model {
	if some := slices.DeleteFunc(slices.Clone(models), func(m *ai.Model) bool { return !better(m) }); len(some) > 0 {
		return some
	}
	return models
}

// dated are ids that name a day, which mostly have a shorter name as well.
var dated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{8}|\d{4}-\d{2}-\d{2}`) })

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// newest returns the model with the highest numbers in its id; of those the shortest id. One
// without a date is preferred.
func newest(models []*ai.Model) *ai.Model {
	models = prefer(models, func(m *ai.Model) bool { return !dated().MatchString(m.ID) })
	return slices.MaxFunc(models, func(a, b *ai.Model) int {
		return cmp.Or(slices.Compare(versionOf(a.ID), versionOf(b.ID)), cmp.Compare(len(b.ID), len(a.ID)))
	})
}

func versionOf(id string) []int {
	var version []int
	for _, text := range numbers().FindAllString(id, -1) {
		n, err := strconv.Atoi(text)
		if err != nil {
			n = 0 // longer than a version
		}
		version = append(version, n)
	}
	return version
}

// isOwn reports whether models.json describes the model.
func (r *registry) isOwn(m *ai.Model) bool {
	p := r.get(m.Provider)
	return p != nil && slices.Contains(p.own, m)
}
