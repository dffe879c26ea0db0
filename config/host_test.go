package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/config"
)

// The user says what runs an extension that others have written; a project does not.
func TestExtensionHost(t *testing.T) {
	user := load(t, map[string]string{config.SettingsFile: `{"extensionHosts": {"gate": "node", "extensions/pack": "bun", "tree": "node"}}`})
	path := func(name string) string { return filepath.Join(user.Home, "extensions", filepath.FromSlash(name)) }
	if err := os.MkdirAll(path("tree/src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("tree/package.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := user.WithProject(projectFile(t, `{"extensionHosts": {"other": "node"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"gate.ts": "node", "gate/index.ts": "node", "pack/a/b.ts": "bun", "tree/src/index.ts": "node", "other.ts": "", "gates.ts": ""} {
		if got := both.ExtensionHost(path(file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestExtensionHostIsOne(t *testing.T) {
	warnings := load(t, map[string]string{config.SettingsFile: `{"extensionHosts": {"gate": "deno", "": "node"}}`}).Warnings()
	if len(warnings) != 2 || !strings.Contains(warnings[0].Error(), `"deno"`) || !strings.Contains(warnings[1].Error(), "names no extension") {
		t.Error(warnings)
	}
}
