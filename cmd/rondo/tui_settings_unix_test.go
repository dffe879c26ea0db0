//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// holds waits until a file of the state folder has a text, or has it no more.
func (c *console) holds(name, text string, has bool) {
	c.t.Helper()
	c.until(name+" with "+text, func() bool {
		data, _ := os.ReadFile(filepath.Join(c.dir, ".rondo", name))
		return strings.Contains(string(data), text) == has
	})
}

func TestTerminal_Settings(t *testing.T) {
	p := prepare(t, `{"thinking": "first thoughts\nmore of them", "text": "First."}, "Second."`)
	p.write(".rondo/settings.json", `{"steeringMode": "all", "unknown": {"kept": true}}`)
	c := p.show(80, 30)
	c.say("go")
	c.sees("First.")
	c.loses("more of them")
	c.say("/settings")
	c.shows("→ colours: default  theme", "  fold what the model thinks: yes  hideThinkingBlock", "…", "  steering messages that are delivered together: all  steeringMode")
	c.types("fold")
	c.sees("→ fold")
	c.types(enter) // a switch is changed at once
	c.sees("→ fold what the model thinks: no")
	c.holds("settings.json", `"hideThinkingBlock": false`, true)
	c.types(escape)
	c.loses("Settings")
	c.sees("more of them")

	c.say("/settings")
	c.sees("→ colours")
	c.types("escape")
	c.sees("→ what escape opens when it is pressed twice: tree")
	c.types(enter)
	c.shows("→ tree ✓", "  fork", "  none")
	c.types(down, down, enter)
	c.sees("pressed twice: none")
	c.types(escape)
	c.loses("Settings")
	c.types(escape)
	c.types(escape) // now they open nothing
	c.types(ctrlC)
	c.say("more")
	c.sees("Second.")

	c.say("/settings")
	c.sees("→ colours")
	c.types("defaultProject")
	c.sees("→ whether the files")
	c.types(enter)
	c.sees("→ ask ✓")
	c.types(down, down, enter)
	c.sees("count: never")
	c.sees("defaultProjectTrust counts from the next start")
	c.types(escape)
	c.loses("Settings")
	c.holds("settings.json", `"kept": true`, true)
	c.holds("settings.json", `"defaultProjectTrust": "never"`, true)
	c.leave()
}

func TestTerminal_LogsIn(t *testing.T) {
	p := prepare(t, `"hi"`, "-e", "corp.js")
	p.write("corp.js", `
export default function (pi) {
  pi.registerProvider("corp", {
    baseUrl: "http://127.0.0.1:1/v1", api: "openai-completions", models: [{ id: "hello" }],
    oauth: {
      name: "Corporate",
      login: async (callbacks) => {
        callbacks.onAuth({ url: "https://corp.example/login" });
        const code = await callbacks.onPrompt({ message: "What does the page say?" });
        return { access: "token-" + code, refresh: "r", expires: Date.now() + 3600000 };
      },
      refreshToken: async (c) => c,
      getApiKey: (c) => c.access,
    },
  });
}
`)
	c := p.show(80, 30)
	c.say("/login mistral")
	c.sees("API key of mistral")
	c.types("sk-hidden-1")
	c.sees("•••••••••••")
	c.types(enter)
	c.sees("mistral: the key is stored")
	c.holds("auth.json", "sk-hidden-1", true)
	if strings.Contains(c.history(), "sk-hidden") {
		t.Errorf("the key is shown:\n%s", c.history())
	}
	c.types(ctrlL)
	c.types("mistral")
	c.sees("→ mistral/") // its models can be chosen now
	c.types(escape)
	c.loses("→ mistral/")

	c.say("/login corp")
	c.sees("→ Log in")
	c.types(enter)
	c.sees("https://corp.example/login")
	c.sees("What does the page say?")
	c.types(escape)
	c.sees("The login was given up.")
	c.holds("auth.json", "corp", false)
	c.say("/login corp")
	c.sees("→ Log in")
	c.types(enter)
	c.sees("What does the page say?")
	c.types("42", enter)
	c.sees("corp: you are logged in")
	c.holds("auth.json", "token-42", true)

	c.say("/logout")
	c.sees("Provider whose credential")
	c.types("mis")
	c.sees("→ mistral")
	c.types(enter)
	c.sees("mistral: removed")
	c.holds("auth.json", "sk-hidden-1", false)
	c.say("/logout corp")
	c.sees("corp: removed")
	c.holds("auth.json", "token-42", false)
	c.leave()
}
