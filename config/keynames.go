package config

import (
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/config/catalogue"
)

// IsKeyVariable reports whether an environment variable holds a key of a provider, or is named
// as if it did: a provider of models.json has a variable of its own. It is for who starts
// programs that must not have keys.
func IsKeyVariable(name string) bool {
	name = strings.ToUpper(name) // Windows does not tell them apart
	if strings.HasSuffix(name, "_API_KEY") {
		return true
	}
	return slices.ContainsFunc(catalogue.Providers(), func(p catalogue.Provider) bool { return slices.Contains(p.Env, name) })
}
