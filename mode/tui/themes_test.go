package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThemes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		night, err := os.ReadFile("testdata/themes/night.json")
		if err != nil {
			t.Fatal(err)
		}
		p := prepare(t, `"First."`, "colours.ts")
		p.write(".rondo/themes/night.json", string(night))
		p.term.Theme, p.term.Themes = "night", []string{filepath.Join(p.home, "themes")}
		p.write("colours.ts", `
export default function (pi) {
  pi.registerCommand("use", { description: "another theme", handler: async (name, ctx) => {
    const said = ctx.ui.setTheme(name);
    ctx.ui.notify("theme " + ctx.ui.theme.name + " " + (said.error ?? "fine") + " of " + ctx.ui.getAllThemes().map((t) => t.name).join());
  } });
  pi.registerCommand("shown", { description: "in colour", handler: async (_a, ctx) => ctx.ui.setWidget("w", (_tui, theme) => ({ render: () => [theme.fg("accent", "coloured")], invalidate() {} })) });
}
`)
		p.environment("COLORTERM=truecolor")
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
	})
}

// TestThemesOfTheBackground: of two themes, the terminal's background decides.
func TestThemesOfTheBackground(t *testing.T) {
	bubble(t, func(t *testing.T) {
		night, err := filepath.Abs("testdata/themes/night.json")
		if err != nil {
			t.Fatal(err)
		}
		p := prepare(t, `"First."`)
		p.term.Theme, p.term.Themes = "light/night", []string{night}
		p.environment("COLORTERM=truecolor")
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
	})
}
