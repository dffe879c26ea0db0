package script_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

const examplePresets = `{"plan": {"provider": "openai", "model": "gpt-5.2", "thinkingLevel": "high", "tools": ["read", "nope"], "instructions": "Plan first."}, "none": {"provider": "x", "model": "y"}}`

// exampleProject makes the folder that an example works in.
func exampleProject(t *testing.T) string {
	t.Helper()
	return fill(t, "project", map[string]string{
		"notes.txt":           "hello world\nsecond line\nthird line says hello\n",
		"src/main.ts":         "export const main = 1;\n",
		"src/conflict.ts":     "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
		".claude/rules/go.md": "Use tabs.\n",
		".pi/presets.json":    examplePresets,
	})
}

// exampleHome makes a home, with the program's folder "agent" and with programs: those that
// would wait for a person or for time end at once; git, gh and rg answer, the first two write
// down in the working folder that they were asked.
func exampleHome(t *testing.T) string {
	t.Helper()
	theme, err := os.ReadFile(filepath.Join("testdata", "harness.json"))
	if err != nil {
		t.Fatal(err)
	}
	const ends, asked = "#!/bin/sh\nexit 0\n", "#!/bin/sh\n" + fakeGit
	return fill(t, "home", map[string]string{
		".profile":                  "",
		"agent/themes/harness.json": string(theme),
		"agent/agents/scout.md":     "---\nname: scout\ndescription: Looks around\ntools: read, grep\n---\nLook.\n",
		"bin/vim":                   ends, "bin/ssh": ends, "bin/sleep": ends, "bin/git": asked, "bin/gh": asked,
		"bin/rg": "#!/bin/sh\necho notes.txt:1:hello world\n",
	})
}

const fakeGit = `line="$(basename "$0") $*"
echo "$line" >> exec.log
case "$line" in
"git remote"*) printf 'origin\tgit@github.com:example/project.git (fetch)\n' ;;
"git branch"*) echo main ;;
"git status"*) printf ' M src/main.ts\n?? notes.txt\n' ;;
"git diff --name-only"*) echo src/conflict.ts ;;
"git diff"*) printf ' src/main.ts | 2 +-\n 1 file changed\n' ;;
"git stash create"*) echo abc123 ;;
"git rev-parse --abbrev-ref"*) echo origin/main ;;
"gh "*) echo '[{"number":12,"title":"Crash at start","state":"OPEN"},{"number":7,"title":"Colours of the footer","state":"OPEN"}]' ;;
*) echo "$line" ;;
esac
`

// fill makes a folder with files.
func fill(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	// Some examples show a path, cut to what is free on a line: so all have the same beginning
	// and the same length.
	root := filepath.Join("/tmp", fmt.Sprintf("rondo-pi-example-extensions-%08x", rand.Uint32()))
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	for file, content := range files {
		path := filepath.Join(root, name, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil { //nolint:gosec // some are programs
			t.Fatal(err)
		}
	}
	return filepath.Join(root, name)
}

// exampleEnvironment is what both sides have in their environment.
func exampleEnvironment(home string) map[string]string {
	return map[string]string{
		"PATH": filepath.Join(home, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME": home, "PI_CODING_AGENT_DIR": filepath.Join(home, "agent"), "FORCE_COLOR": "3", "COLORTERM": "truecolor",
		"TZ": "UTC", "LANG": "C.UTF-8", "SHELL": "/bin/bash", "TERM": "xterm-256color", "USER": "person", "EDITOR": "true",
		"GONDOLIN_IMAGE_REGISTRY_URL": "http://127.0.0.1:9/", "PI_OFFLINE": "1", // nothing is fetched
		"CI": "", "NO_COLOR": "", "TMUX": "", "SSH_CONNECTION": "",
	}
}
