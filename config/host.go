package config

import (
	"maps"
	"path/filepath"
	"slices"
)

// ExtensionHost returns what the user wants to run the extension of a file, node or bun; empty
// for what the extension itself asks for.
func (c *Config) ExtensionHost(file string) string {
	for _, key := range slices.Sorted(maps.Keys(c.extensionHosts)) {
		if means(filepath.Join(c.Home, SettingsFile), key, file) {
			return c.extensionHosts[key]
		}
	}
	return ""
}
