//go:build unix

package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// panels is an extension that shows things over everything else.
const panels = `
const box = (name, extra) => ({ render: (width) => ["+" + "-".repeat(width - 2) + "+", ("|" + name).padEnd(width - 1) + "|"], invalidate() {}, ...extra });
let panel;
export default function (pi) {
  pi.registerCommand("corner", { description: "in a corner", handler: async (_a, ctx) => {
    const said = await ctx.ui.custom((tui, _theme, _kb, done) => {
      let typed = "";
      return box("", { render: (width) => [("[" + typed).padEnd(width - 1) + "]"],
        handleInput: (data) => { if (data === "\r") done(typed); else typed += data; tui.requestRender(); } });
    }, { overlay: true, overlayOptions: { anchor: "top-right", width: 12, margin: { top: 1, right: 2 } } });
    ctx.ui.notify("said " + said);
  } });
  pi.registerCommand("passive", { description: "takes no keys", handler: async (_a, ctx) => {
    ctx.ui.custom(() => box("aside"), { overlay: true, overlayOptions: { anchor: "bottom-right", width: "25%", nonCapturing: true, visible: (columns) => columns >= 70 }, onHandle: (h) => { panel = h; } });
  } });
  pi.registerCommand("hide", { description: "hides it", handler: async (_a, ctx) => { panel.setHidden(true); ctx.ui.notify("hidden " + panel.isHidden()); } });
  pi.registerCommand("back", { description: "shows it", handler: async () => panel.setHidden(false) });
  pi.registerCommand("gone", { description: "ends it", handler: async () => panel.hide() });
  pi.registerCommand("two", { description: "two of them", handler: async (_a, ctx) => {
    const order = [];
    const one = (name, row) => ctx.ui.custom((tui, _t, _k, done) => {
      const c = { focused: false, render: (width) => [(name + (c.focused ? " has keys" : "")).padEnd(width)], invalidate() {},
        handleInput: (data) => { order.push(name + data); if (data === "q") done(name); } };
      return c;
    }, { overlay: true, overlayOptions: { row, col: 0, width: 20 } });
    const all = [one("first", 0)];
    await new Promise((r) => setTimeout(r, 50));
    all.push(one("second", 1));
    await Promise.all(all);
    ctx.ui.notify("keys " + order.join(","));
  } });
}
`

func TestTerminal_Overlays(t *testing.T) {
	p := prepare(t, `"First.", "Second."`, "-e", "panels.ts")
	p.write("panels.ts", panels)
	c := p.show(70, 20)
	c.say("hello")
	c.sees("First.")
	before := c.text()

	c.types("/corner", enter)
	c.until("the overlay in its corner", func() bool {
		row, ok := strings.CutSuffix(c.rows()[1], "[          ]")
		return ok && utf8.RuneCountInString(row) == 56
	})
	c.sees("❯ hello") // it is still seen
	c.types("a", "b")
	c.sees("[ab        ]")
	c.types(enter)
	c.sees("said ab")
	c.loses("[ab")
	if got := c.history(); !strings.HasPrefix(got, strings.TrimRight(before, "─\n ")[:40]) || strings.Count(got, "hello") != 1 {
		t.Errorf("the screen before does not come back:\n%s\nit was\n%s", got, before)
	}

	c.say("/passive")
	c.sees("|aside")
	if row := c.rows()[19]; strings.TrimSpace(row) != "|aside          |" || len(row) != 70 {
		t.Errorf("the panel stands elsewhere:\n%s", c.text())
	}
	c.say("typed below it") // it takes no keys
	c.sees("Second.")
	c.resize(60, 20)
	c.loses("|aside") // it wants more columns
	c.resize(70, 20)
	c.sees("|aside")
	c.say("/hide")
	c.sees("hidden true")
	c.loses("|aside")
	c.say("/back")
	c.sees("|aside")
	c.say("/gone")
	c.loses("|aside")
	if got := c.history(); strings.Count(got, "Second.") != 1 || strings.Contains(got, "aside") && !strings.Contains(got, "/passive") {
		t.Errorf("what was said under the panel is not there once:\n%s", got)
	}
	c.leave()
}

func TestTerminal_OverlaysTakeKeysByTurns(t *testing.T) {
	p := prepare(t, `"hi"`, "-e", "panels.ts")
	p.write("panels.ts", panels)
	c := p.show(70, 20)
	c.say("/two")
	c.sees("second has keys")
	if strings.Contains(c.text(), "first has keys") {
		t.Errorf("both have the keys:\n%s", c.text())
	}
	c.types("x", "q")
	c.sees("first has keys")
	c.loses("second")
	c.types("y", "q")
	c.sees("keys secondx,secondq,firsty,firstq")
	c.leave()
}

// TestTerminal_EndsUnderAnOverlay: the terminal is left on the screen that it had before.
func TestTerminal_EndsUnderAnOverlay(t *testing.T) {
	p := prepare(t, `"hi"`, "-e", "panels.ts")
	p.write("panels.ts", panels)
	c := p.show(70, 20)
	c.say("/corner")
	c.sees("[          ]")
	c.types(ctrlC, ctrlC)
	if code := c.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	<-c.read
	if strings.Contains(c.text(), "[          ]") || !strings.Contains(c.raw.String(), "\x1b[?1049l") {
		t.Errorf("the overlay is left behind:\n%s", c.text())
	}
}
