//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTerminal_FirstRun(t *testing.T) {
	c := prepare(t, "").show(80, 24)
	c.shows(
		"· Welcome to Rondo. A scripted demo answers until there is a model: try help.",
		"  For a real one: rondo auth login, or set ANTHROPIC_API_KEY or OPENAI_API_KEY,",
		"  or list models, such as local ones, in…",
	)
	c.sees("scripted/demo")
	c.say("make a hello script and test it")
	c.sees("(Scripted demo model, not an AI model.")
	c.shows("● bash sh hello-rondo.sh", "  Hello, world!")
	if code := c.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	raw := c.raw.String()
	for _, back := range []string{"\x1b[?2004l", "\x1b[<1u", "\x1b[?25h"} {
		if !strings.Contains(raw, back) {
			t.Errorf("the terminal is not switched back: %q is missing", back)
		}
	}
}

// TestTerminal_LocalServer: a server of this machine is found by its name, and offered to who
// has no model.
func TestTerminal_LocalServer(t *testing.T) {
	lab := serveModels(closer{t}, filepath.Join(t.TempDir(), "requests"))
	for name, args := range map[string][]string{"offered": nil, "named": {"--provider", "ollama"}} {
		t.Run(name, func(t *testing.T) {
			p := prepare(t, "", args...)
			p.cmd.Env = append(p.cmd.Env, "OLLAMA_HOST="+lab.URL)
			c := p.show(100, 24)
			if args == nil {
				c.sees("Ollama runs at " + strings.TrimPrefix(lab.URL, "http://") + ": --provider ollama asks hello")
			} else {
				c.sees("ollama/hello")
			}
			if code := c.leave(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// slow is a call that waits for a file.
const slow = `{"tools": [{"name": "bash", "args": {"command": "touch started; while ! test -e go; do sleep 0.01; done"}}]}`

func TestTerminal_Resume(t *testing.T) {
	p := prepare(t, `"The first answer."`, "--session-id", "s1")
	c := p.show(70, 24)
	c.say("remember this")
	c.sees("The first answer.")
	c.leave()

	q := prepare(t, `"The second answer."`, "-c")
	q.dir = p.dir
	q.write("script.json", `{"replies": ["The second answer."]}`)
	d := q.show(70, 24)
	d.shows("❯ remember this", "", "The first answer.")
	d.say("and on")
	d.sees("The second answer.")
	d.leave()

	r := prepare(t, `"x"`, "-r")
	r.dir = p.dir
	e := r.show(70, 24)
	e.sees("Session to go on with")
	e.sees("remember this")
	e.types(enter)
	e.sees("The second answer.")
	e.leave()
}

func TestTerminal_Trust(t *testing.T) {
	p := prepare(t, `"hi"`)
	if err := os.MkdirAll(filepath.Join(p.dir, ".pi"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(".pi/settings.json", `{}`)
	c := p.show(80, 24)
	c.sees("Do you trust the files of")
	c.types("3")
	c.sees("scripted/")
	c.leave()
	data, err := os.ReadFile(filepath.Join(p.dir, ".rondo", "trust.json"))
	if err != nil || !strings.Contains(string(data), "false") {
		t.Errorf("the answer is not remembered: %s, %v", data, err)
	}
}
