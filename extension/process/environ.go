package process

import (
	"os"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/resource"
)

// environ is the environment of an extension's program: that of this one without the keys of
// providers, but for those that its manifest names.
func environ(m *resource.Manifest) []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return config.IsKeyVariable(name) && !slices.Contains(m.Env, name)
	})
}
