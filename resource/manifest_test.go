package resource_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/resource"
)

// plant makes files in a new folder; those that begin with #! are programs.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o600)
		if strings.HasPrefix(text, "#!") {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindManifest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names there")
	}
	dir := plant(t, map[string]string{
		"python/extension.json":    `{"command": ["python3", "main.py"], "env": ["MY_API_KEY"], "unknown": 1}`,
		"own/extension.json":       `{"name": "mine", "command": ["bin/run", "-v"]}`,
		"package/package.json":     `{"name": "pkg", "pi": {"extensionHost": "process", "command": ["./run"]}}`,
		"both/package.json":        `{"pi": {"extensionHost": "bun"}, "rondo": {"extensionHost": "node", "extensions": ["src/a.ts"]}}`,
		"both/index.ts":            ``,
		"plain/package.json":       `{"pi": {"extensions": ["./a.ts"]}}`,
		"plain/index.ts":           ``,
		"empty/readme.md":          ``,
		"nothing/extension.json":   `{}`,
		"other/extension.json":     `{"extensionHost": "perl"}`,
		"broken/extension.json":    `{`,
		"programs/run":             "#!/bin/sh\n",
		"programs/text":            "hello",
		"programs/script.ts":       "#!/usr/bin/env node\n",
		"programs/pi/package.json": `{"pi": "all"}`,
	})
	for path, want := range map[string]*resource.Manifest{
		"python":                {Name: "python", Host: "process", Command: []string{"python3", "main.py"}, Env: []string{"MY_API_KEY"}, Dir: "python"},
		"python/extension.json": {Name: "python", Host: "process", Command: []string{"python3", "main.py"}, Env: []string{"MY_API_KEY"}, Dir: "python"},
		"own":                   {Name: "mine", Host: "process", Command: []string{"own/bin/run", "-v"}, Dir: "own"},
		"package":               {Name: "pkg", Host: "process", Command: []string{"package/run"}, Dir: "package"},
		"both":                  {Name: "both", Host: "node", Extensions: []string{"both/src/a.ts"}, Dir: "both"},
		"both/index.ts":         {Name: "both", Host: "node", Extensions: []string{"both/index.ts"}, Dir: "both"},
		"programs/run":          {Name: "run", Host: "process", Command: []string{"programs/run"}, Dir: "programs"},
	} {
		got, err := resource.FindManifest(filepath.Join(dir, path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		want.Dir = filepath.Join(dir, want.Dir)
		for i, file := range want.Extensions {
			want.Extensions[i] = filepath.Join(dir, file)
		}
		if len(want.Command) > 0 && strings.Contains(want.Command[0], "/") {
			want.Command[0] = filepath.Join(dir, want.Command[0])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	for _, path := range []string{"plain", "plain/index.ts", "empty", "programs/text", "programs/script.ts", "programs/pi"} {
		if m, err := resource.FindManifest(filepath.Join(dir, path)); !errors.Is(err, resource.ErrNoManifest) {
			t.Errorf("%s: %+v, %v", path, m, err)
		}
	}
	for path, part := range map[string]string{
		"nothing": `it has no command; write "command"`, "other": `extensionHost is "perl"`, "broken": "broken/extension.json", "missing": "no such file",
	} {
		if _, err := resource.FindManifest(filepath.Join(dir, path)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", path, err, part)
		}
	}
}

// TestExtensions_Hosts: what is found knows what runs it.
func TestExtensions_Hosts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names there")
	}
	dir := plant(t, map[string]string{
		"home/extensions/a.ts":                 ``,
		"home/extensions/program":              "#!/bin/sh\n", // not one that is named
		"home/extensions/b/extension.json":     `{"command": ["./run"]}`,
		"home/extensions/b/index.ts":           ``, // the manifest counts
		"home/extensions/c/package.json":       `{"rondo": {"extensionHost": "node", "extensions": ["src/x.ts"]}}`,
		"home/extensions/c/src/x.ts":           ``,
		"home/extensions/d/package.json":       `{"pi": {"extensionHost": "node"}}`,
		"home/extensions/d/index.js":           ``,
		"home/extensions/wrong/extension.json": `{"command": []}`,
		"work/program":                         "#!/bin/sh\n",
	})
	project, err := resource.Open(filepath.Join(dir, "work"), filepath.Join(dir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	list, problems, err := project.Extensions(&resource.Options{Extensions: []string{"./program"}})
	if err != nil {
		t.Fatal(err)
	}
	// One of the command line has no folder of its own, as its name alone says what it is.
	if got := list[0].Source; got.Kind != resource.CLI || got.Scope != resource.Temporary || got.BaseDir != "" {
		t.Errorf("the program of the command line is from %+v", got)
	}
	if got := list[1].Source; got.Kind != resource.Auto || got.BaseDir == "" {
		t.Errorf("the extension of the user is from %+v", got)
	}
	var got []string
	for _, e := range list {
		path, err := filepath.Rel(dir, e.Path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, path+" "+e.Host)
	}
	want := []string{
		"work/program process", "home/extensions/a.ts ", "home/extensions/b process",
		"home/extensions/c/src/x.ts node", "home/extensions/d/index.js node",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].String(), "it has no command") {
		t.Errorf("problems: %v", problems)
	}
}

// An extension that the command line names and that cannot be one is an error, which says why.
func TestWhatTheCommandLineNamesIsAnExtension(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken/package.json":    `{ broken`,
		"program/extension.json": `{"command": "python3 main.py"}`,
		"other/package.json":     `{"pi": {"extensionHost": "deno", "extensions": ["./index.ts"]}}`,
		"lists/package.json":     `{"pi": {"extensions": ["./nope.ts"]}}`,
		"partly/package.json":    `{"pi": {"extensions": ["./there.ts", "./nope.ts"]}}`,
		"partly/there.ts":        ``,
		"main.py":                `print(1)`,
		"main":                   `#!/bin/sh`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	project, err := resource.Open(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]string{
		"broken": "package.json", "program": "/command", "other": `use "process"`,
		"lists": `"./nope.ts", which does not exist`, "partly": `"./nope.ts", which does not exist`,
		"main.py": "chmod +x", "main": "chmod +x",
	} {
		list, problems, err := project.Extensions(&resource.Options{Extensions: []string{name}})
		if err == nil || !strings.Contains(err.Error(), "--extension "+name+": ") || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, %v, %v", name, list, problems, err)
		} else {
			t.Log(err)
		}
	}
}
