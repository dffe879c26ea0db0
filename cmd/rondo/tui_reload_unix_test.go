//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reader is an extension that tells how it was started and what it was loaded from.
const reader = `
let kept;
export default function (pi) {
  pi.on("session_start", (e, ctx) => {
    kept = ctx;
    ctx.ui.notify("start " + e.reason + " version ONE");
    ctx.ui.setStatus("v", "version ONE");
    ctx.ui.setWidget("w" + "ONE", ["widget ONE"]);
  });
  pi.on("session_shutdown", (e, ctx) => ctx.ui.notify("shutdown " + e.reason));
  pi.registerCommand("reread", { description: "reloads", handler: async (_a, ctx) => {
    const old = ctx;
    await ctx.reload();
    try { old.ui.notify("it is not stale"); } catch (error) { console.error("stale: " + error.message.slice(0, 40)); }
  } });
}
`

func TestTerminal_Reload(t *testing.T) {
	p := prepare(t, `"First.", "Second."`, "-e", "reader.ts")
	p.write("reader.ts", reader)
	p.write(".rondo/keybindings.json", `{"app.tools.expand": "ctrl+y"}`)
	c := p.show(80, 30)
	c.sees("start startup version ONE")
	c.say("hello")
	c.sees("First.")

	p.write("reader.ts", strings.ReplaceAll(reader, "ONE", "TWO"))
	p.write(".rondo/keybindings.json", `{"app.model.select": "ctrl+y"}`)
	p.write(".rondo/prompts/greet.md", "Say hello to $1.")
	c.say("/reload")
	c.sees("shutdown reload")
	c.sees("start reload version TWO")
	c.loses("widget ONE") // what the old one has shown is gone
	c.sees("widget TWO")
	if n := strings.Count(c.history(), "❯ hello"); n != 1 {
		t.Errorf("the conversation is shown %d times:\n%s", n, c.history())
	}
	c.types("/gre")
	c.sees("→ greet")
	c.types(ctrlC)
	c.types("\x19")
	c.sees("Model")
	c.types(escape)
	c.loses("Model")
	c.say("and now") // the session goes on
	c.sees("Second.")

	c.say("/reread")
	c.sees("stale: ")
	c.sees("version TWO")

	p.write(".rondo/settings.json", `{"steeringMode": "wrong"}`)
	c.say("/reload")
	c.sees("settings.json")
	c.say("/name it still works")
	c.sees("it still works")
	c.leave()
}

func TestTerminal_AnotherSessionBeginsWithoutWhatExtensionsHaveShown(t *testing.T) {
	p := prepare(t, `"First."`, "-e", "shower.ts")
	p.write("shower.ts", shower)
	c := p.show(80, 30)
	c.say("/beside")
	c.sees("my footer, statuses fine")
	c.say("/new")
	c.sees("── New session ──")
	for _, gone := range []string{"my footer", "over 1", "under the editor"} {
		c.loses(gone)
	}
	c.sees("0.0%/128k")
	c.leave()
}

func TestTerminal_Themes(t *testing.T) {
	night, err := os.ReadFile("testdata/themes/night.json")
	if err != nil {
		t.Fatal(err)
	}
	p := prepare(t, `"First."`, "-e", "colours.ts")
	p.write(".rondo/themes/night.json", string(night))
	p.write(".rondo/settings.json", `{"theme": "night"}`)
	p.write("colours.ts", `
export default function (pi) {
  pi.registerCommand("use", { description: "another theme", handler: async (name, ctx) => {
    const said = ctx.ui.setTheme(name);
    ctx.ui.notify("theme " + ctx.ui.theme.name + " " + (said.error ?? "fine") + " of " + ctx.ui.getAllThemes().map((t) => t.name).join());
  } });
  pi.registerCommand("shown", { description: "in colour", handler: async (_a, ctx) => ctx.ui.setWidget("w", (_tui, theme) => ({ render: () => [theme.fg("accent", "coloured")], invalidate() {} })) });
}
`)
	p.cmd.Env = append(p.cmd.Env, "COLORTERM=truecolor")
	c := p.show(80, 24)
	written := func(what, sequence string) {
		t.Helper()
		c.until(what, func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return strings.Contains(c.raw.String(), sequence)
		})
		c.mu.Lock()
		defer c.mu.Unlock()
		c.raw.Reset()
	}
	written("the border", "\x1b[38;5;99m─")
	c.say("hello")
	c.sees("First.")
	written("the mark", "38;2;16;32;48;1m❯ ")
	c.say("/shown")
	written("the widget", "\x1b[38;2;16;32;48mcoloured\x1b[39m")

	p.write(".rondo/themes/night.json", strings.Replace(string(night), "#102030", "#010203", 1))
	written("the change of the file", "\x1b[38;2;1;2;3mcoloured")
	p.write(".rondo/themes/night.json", "{")
	c.sees("night.json")
	c.say("/use terminal")
	c.sees("theme terminal fine of terminal,dark,light")
	written("the terminal's own colours", "\x1b[36mcoloured")
	c.say("/use night")
	c.sees("theme terminal there is no theme night")
	c.leave()
}

// TestTerminal_ThemesOfTheBackground: of two themes, the terminal's background decides.
func TestTerminal_ThemesOfTheBackground(t *testing.T) {
	night, err := filepath.Abs("testdata/themes/night.json")
	if err != nil {
		t.Fatal(err)
	}
	p := prepare(t, `"First."`, "--theme", night, "--use-theme", "light/night")
	p.cmd.Env = append(p.cmd.Env, "COLORTERM=truecolor")
	c := p.show(80, 24)
	borders := func(sequence string) func() bool {
		return func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return strings.Contains(c.raw.String(), sequence)
		}
	}
	c.until("the dark one", borders("\x1b[38;5;99m─"))
	c.types("\x1b]11;rgb:ffff/ffff/ffff\a") // as a terminal answers
	c.mu.Lock()
	c.raw.Reset()
	c.mu.Unlock()
	c.until("the light one", borders("\x1b[34m─"))
	c.leave()
}
