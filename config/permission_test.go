package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/config"
)

func TestExtensionRules(t *testing.T) {
	user := load(t, map[string]string{config.SettingsFile: `{"extensionPermissions": {
		"*": {"read": true},
		"fmt": {"exec": ["gofmt"], "write": false, "log": true},
		"extensions/pack": {"env": ["HOME"]},
		"extensions/p*/other.ts": {"network": ["example.com"]}
	}}`})
	path := func(name string) string { return filepath.Join(user.Home, "extensions", filepath.FromSlash(name)) }
	projects := projectFile(t, `{"extensionPermissions": {"fmt": {"exec": true, "write": true}, "../x/x.ts": {}}}`)
	both, err := user.WithProject(projects)
	if err != nil {
		t.Fatal(err)
	}
	source := func(key, file string) string { return `"` + key + `" in extensionPermissions of ` + file }
	mine := filepath.Join(user.Home, config.SettingsFile)
	for _, c := range []struct {
		of   *config.Config
		file string
		want []config.ExtensionRule
	}{
		{user, path("a.ts"), []config.ExtensionRule{{Read: []string{"*"}, Source: source("*", mine)}}},
		{user, path("fmt.ts"), []config.ExtensionRule{{Exec: []string{"gofmt"}, Log: true, Source: source("fmt", mine)}}},
		{user, path("fmt/index.ts"), []config.ExtensionRule{{Exec: []string{"gofmt"}, Log: true, Source: source("fmt", mine)}}},
		{user, path("fmt2.ts"), []config.ExtensionRule{{Read: []string{"*"}, Source: source("*", mine)}}},
		{user, path("pack/src/main.ts"), []config.ExtensionRule{{Env: []string{"HOME"}, Source: source("extensions/pack", mine)}}},
		{user, path("pack/other.ts"), []config.ExtensionRule{
			{Network: []string{"example.com"}, Source: source("extensions/p*/other.ts", mine)},
			{Env: []string{"HOME"}, Source: source("extensions/pack", mine)},
		}},
		// A project adds: its rule does not take the place of the user's.
		{both, path("fmt.ts"), []config.ExtensionRule{
			{Exec: []string{"gofmt"}, Log: true, Source: source("fmt", mine)},
			{Exec: []string{"*"}, Write: []string{"*"}, Source: source("fmt", projects)},
		}},
		{both, filepath.Join(filepath.Dir(filepath.Dir(projects)), "x", "x.ts"), []config.ExtensionRule{
			{Read: []string{"*"}, Source: source("*", mine)},
			{Source: source("../x/x.ts", projects)},
		}},
		{load(t, nil), path("a.ts"), nil},
	} {
		if diff := cmp.Diff(c.want, c.of.ExtensionRules(c.file)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.file, diff)
		}
	}
}

func TestExtensionRulesThatAreWrong(t *testing.T) {
	for content, want := range map[string]string{
		`{"extensionPermissions": true}`:                          `extensionPermissions must not be`,
		`{"extensionPermissions": {"a": true}}`:                   `extensionPermissions.a must not be true; write an object`,
		`{"extensionPermissions": {"": {}}}`:                      `names no extension; write its name, a path, or "*" for all`,
		`{"extensionPermissions": {"a": {"reed": true}}}`:         `extensionPermissions.a.reed is no permission; write "read", "write", "exec", "network", "env" or "log"`,
		`{"extensionPermissions": {"a": {"read": "src"}}}`:        `extensionPermissions.a.read must be neither all nor a list of texts; write true, false or a list such as ["src"]`,
		`{"extensionPermissions": {"a": {"read": [1]}}}`:          `extensionPermissions.a.read must be`,
		`{"extensionPermissions": {"a": {"read": ["ok", "["]}}}`:  `extensionPermissions.a.read[1] is "[", which means nothing`,
		`{"extensionPermissions": {"a": {"exec": [""]}}}`:         `extensionPermissions.a.exec[0] is "", which means nothing`,
		`{"extensionPermissions": {"a": {"log": "yes"}}}`:         `extensionPermissions.a.log must not be a text; write true or false`,
		`{"extensionPermissions": {"a": {"read": null, "x": 1}}}`: `extensionPermissions.a.`,
	} {
		_, err := load(t, nil).WithProject(projectFile(t, content))
		var wrong *config.FileError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) || wrong.Line != 1 || wrong.Column < 2 {
			t.Errorf("%s: %v\nwant %s", content, err, want)
		}
	}
}
