package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// Scoped is one of the models that a user chooses between.
type Scoped struct {
	Model *ai.Model
	// Thinking is empty where the pattern names no level.
	Thinking ai.ThinkingLevel
}

// Scope returns the models that the flag --models or the setting enabledModels names, as far
// as they can be asked, in the order of the patterns and each once. A pattern is one of
// [Config.Find], or has the wildcards * and ?, which match any characters of provider/id or
// of the id alone; :level at its end is the level of the models that it fits. What a pattern
// does not find is an error, and the others count nevertheless.
func (c *Config) Scope(patterns []string) ([]Scoped, []error) {
	var scope []Scoped
	var errs []error
	for _, pattern := range patterns {
		if pattern = strings.TrimSpace(pattern); pattern == "" {
			continue
		}
		models, level, err := c.fitting(pattern)
		if err != nil {
			errs = append(errs, err)
		}
		for _, m := range models {
			if !slices.ContainsFunc(scope, func(s Scoped) bool { return s.Model == m }) {
				scope = append(scope, Scoped{m, level})
			}
		}
	}
	return scope, errs
}

// fitting returns the models that one pattern fits.
func (c *Config) fitting(pattern string) ([]*ai.Model, ai.ThinkingLevel, error) {
	if !strings.ContainsAny(pattern, "*?[") {
		m, level, err := c.Find("", pattern)
		if err == nil {
			err = c.Ready(m)
		}
		if err != nil {
			return nil, "", err
		}
		return []*ai.Model{m}, level, nil
	}
	models, err := c.glob(pattern)
	if len(models) > 0 || err != nil {
		return models, "", err
	}
	if at := strings.LastIndexByte(pattern, ':'); at > 0 {
		if level := ai.ThinkingLevel(pattern[at+1:]); slices.Contains(ai.ThinkingLevels, level) {
			if models, err = c.glob(pattern[:at]); len(models) > 0 || err != nil {
				return models, level, err
			}
		}
	}
	return nil, "", &NotFoundError{Wanted: pattern, Problem: "fits no model that can be used", hint: "rondo --list-models shows those that can."}
}

// glob returns the models that can be asked and match; a wildcard matches slashes as well.
func (c *Config) glob(pattern string) ([]*ai.Model, error) {
	flat := func(name string) string { return strings.ReplaceAll(strings.ToLower(name), "/", "\x00") }
	var models []*ai.Model
	for _, m := range c.Available() {
		for _, name := range []string{m.Provider + "/" + m.ID, m.ID} {
			fits, err := path.Match(flat(pattern), flat(name))
			if err != nil {
				return nil, fmt.Errorf("the pattern %q cannot be read: close its bracket", pattern)
			}
			if fits {
				models = append(models, m)
				break
			}
		}
	}
	return models, nil
}
