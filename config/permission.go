package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ExtensionRule says what the code of an extension may do outside of the program, by kind.
// What it does not list is refused; the pattern * allows all of a kind.
type ExtensionRule struct {
	Read, Write, Exec, Network, Env []string
	// Log tells of what is allowed as well.
	Log bool
	// Source says where the rule stands.
	Source string
}

// extensionRules are those of one settings file.
type extensionRules struct {
	path  string
	rules map[string]*ExtensionRule
}

// allExtensions is the name of the rule for extensions that have no other.
const allExtensions = "*"

// ExtensionRules returns the rules for an extension's file, of each settings file those that
// name it, or else the one for all. Every one of them must allow what the extension does, so
// that a project cannot loosen what the user says. There are none for an extension that may do
// everything.
func (c *Config) ExtensionRules(file string) []ExtensionRule {
	var all []ExtensionRule
	for _, f := range c.extensionRules {
		var named []ExtensionRule
		for _, key := range sortedKeys(f.rules) {
			if key != allExtensions && means(f.path, key, file) {
				named = append(named, *f.rules[key])
			}
		}
		if rule := f.rules[allExtensions]; rule != nil && named == nil {
			named = append(named, *rule)
		}
		all = append(all, named...)
	}
	return all
}

// ExtensionName is how people call the extension of a file: the file without its suffix, or
// the folder of an index file.
func ExtensionName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if name == "index" {
		name = filepath.Base(filepath.Dir(file))
	}
	return name
}

// means reports whether a key of a settings file means an extension: by its name, or by a
// path, which may be that of a folder around it.
func means(settings, key, file string) bool {
	if !strings.ContainsAny(key, `/\`) {
		return key == ExtensionName(file) || key == packageFolder(file)
	}
	pattern, err := relativeTo(filepath.Dir(settings), key)
	if err != nil {
		return false
	}
	for at := file; ; at = filepath.Dir(at) {
		if ok, _ := filepath.Match(pattern, at); ok {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// packageFolder is the name of the folder with the package.json that a file belongs to; empty
// if there is none.
func packageFolder(file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "package.json")); err == nil {
			return filepath.Base(dir)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// relativeTo makes a path of a file absolute.
func relativeTo(dir, path string) (string, error) {
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~") {
		path = filepath.Join(dir, path)
	}
	return absolute(path)
}

func sortedKeys(rules map[string]*ExtensionRule) []string {
	keys := make([]string, 0, len(rules))
	for key := range rules {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// readRules reads the setting extensionPermissions of a file.
func (d *document) readRules(raw map[string]jsontext.Value) (map[string]*ExtensionRule, error) {
	rules := make(map[string]*ExtensionRule)
	for key, value := range raw {
		at := jsontext.Pointer("/extensionPermissions").AppendToken(key)
		if strings.TrimSpace(key) == "" {
			return nil, d.wrong(at, "names no extension", `write its name, a path, or "*" for all`)
		}
		rule := &ExtensionRule{Source: fmt.Sprintf("%q in extensionPermissions of %s", key, d.path)}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(value, &members); err != nil || value.Kind() != '{' {
			return nil, d.wrong(at, "must not be "+article(value.Kind()), "write an object: { … }")
		}
		for kind, grant := range members {
			if err := d.readGrant(at.AppendToken(kind), kind, grant, rule); err != nil {
				return nil, err
			}
		}
		rules[key] = rule
	}
	return rules, nil
}

// readGrant reads one member of a rule.
func (d *document) readGrant(at jsontext.Pointer, kind string, grant jsontext.Value, rule *ExtensionRule) error {
	lists := map[string]*[]string{"read": &rule.Read, "write": &rule.Write, "exec": &rule.Exec, "network": &rule.Network, "env": &rule.Env}
	list := lists[kind]
	switch {
	case kind == "log":
		if err := json.Unmarshal(grant, &rule.Log); err != nil {
			return d.wrong(at, "must not be "+article(grant.Kind()), "write true or false")
		}
	case list == nil:
		return d.wrong(at, "is no permission", `write "read", "write", "exec", "network", "env" or "log"`)
	case grant.Kind() == 't':
		*list = []string{"*"}
	case grant.Kind() == 'f':
	case grant.Kind() != '[' || json.Unmarshal(grant, list) != nil:
		return d.wrong(at, "must be neither all nor a list of texts", `write true, false or a list such as ["src"]`)
	}
	if list == nil {
		return nil
	}
	for i, pattern := range *list {
		if _, err := filepath.Match(pattern, ""); err != nil || strings.TrimSpace(pattern) == "" {
			return d.wrong(at.AppendToken(fmt.Sprint(i)), "is "+quote(pattern)+", which means nothing", "write a name or a path; * stands for any characters")
		}
	}
	return nil
}
