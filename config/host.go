package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// scriptHosts are the programs that can run scripts outside of this one.
var scriptHosts = []string{"node", "bun"}

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

// readHosts checks the setting extensionHosts of a file.
func (d *document) readHosts(hosts map[string]string) (map[string]string, error) {
	for key, host := range hosts {
		at := jsontext.Pointer("/extensionHosts").AppendToken(key)
		if strings.TrimSpace(key) == "" {
			return nil, d.wrong(at, "names no extension", "write its name or a path")
		}
		if !slices.Contains(scriptHosts, host) {
			return nil, d.wrong(at, "is "+quote(host)+", which runs no extensions", `write "node" or "bun"`)
		}
	}
	return hosts, nil
}
