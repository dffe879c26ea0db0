//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// TestTerminal_ThemesOfSettingsAndExtensions: the setting themes names files and folders, and
// extensions find others; /settings offers all, and scripts that are given no theme colour with
// the one in use.
func TestTerminal_ThemesOfSettingsAndExtensions(t *testing.T) {
	night, err := os.ReadFile("../../mode/tui/testdata/themes/night.json")
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) string { return strings.Replace(string(night), `"night"`, `"`+name+`"`, 1) }
	p := prepare(t, `"First."`, "-e", "finder.ts")
	p.write(".rondo/looks/one.json", named("one"))
	p.write(".rondo/single.json", named("two"))
	p.write("found/three.json", named("three"))
	p.write(".rondo/settings.json", `{"themes": ["looks", "single.json", "missing"]}`)
	p.write("finder.ts", `
import { getSelectListTheme } from "@earendil-works/pi-coding-agent";
export default function (pi) {
  pi.on("resources_discover", () => ({ themePaths: ["found"] }));
  pi.registerCommand("all", { handler: async (_a, ctx) => ctx.ui.notify("themes " + ctx.ui.getAllThemes().map((t) => t.name).join()) });
  pi.registerCommand("heading", { handler: async (_a, ctx) => ctx.ui.notify("heading " + JSON.stringify(getSelectListTheme().selectedText("x"))) });
}
`)
	p.cmd.Env = append(p.cmd.Env, "COLORTERM=truecolor")
	c := p.show(80, 24)
	c.sees(".rondo/missing")
	c.say("/all")
	c.sees("themes terminal,dark,light,one,two,three")
	c.say("/settings")
	c.sees("→ colours: default")
	c.types(enter)
	c.sees("three")
	c.types("6")
	c.sees("colours: three")
	c.types(escape)
	c.loses("→ colours")
	c.say("/heading")
	c.sees(`heading "\u001b[38;2;16;32;48m`)
	c.holds("settings.json", `"theme": "three"`, true)
	c.leave()
}
