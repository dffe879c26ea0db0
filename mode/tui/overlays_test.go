package tui_test

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// focusing is an extension whose overlay passes keys on to a part of it, and whose controls
// tell what they see of themselves.
const focusing = `
import { Input } from "@earendil-works/pi-tui";
let handle, below;
export default function (pi) {
  pi.registerCommand("form", { description: "a form", handler: async (_a, ctx) => {
    const said = await ctx.ui.custom((tui, _t, _k, done) => {
      const field = new Input();
      field.onSubmit = (text) => done(text);
      queueMicrotask(() => setTimeout(() => tui.setFocus(field), 0));
      return { focused: false, invalidate() {}, handleInput: (data) => { if (data === "q") done("left"); },
        render: (width) => ["form keys=" + this_(field), ...field.render(width)] };
      function this_(f) { return f.focused ? "field" : "form"; }
    }, { overlay: true, overlayOptions: { anchor: "top-left", width: 30, margin: 2 }, onHandle: (h) => { handle = h; } });
    ctx.ui.notify("form said " + said + ", bounds then " + JSON.stringify(handle.getBounds() ?? null));
  } });
  pi.registerCommand("aside", { description: "an overlay that gives its keys away", handler: async (_a, ctx) => {
    ctx.ui.custom((tui, _t, _k, done) => {
      below = { focused: false, invalidate() {}, render: () => ["below"], handleInput(data) { ctx.ui.notify("below got " + data); handle.focus(); } };
      return { focused: false, invalidate() {},
        render() { return ["aside " + this.focused + " " + handle?.isFocused() + " " + JSON.stringify(handle?.getBounds() ?? null)]; },
        handleInput(data) {
          if (data === "b") handle.unfocus({ target: below });
          if (data === "u") handle.unfocus();
          if (data === "c") ctx.ui.custom((_1, _2, _3, close) => ({ invalidate() {}, render: () => ["over there"], handleInput: () => close() }));
          if (data === "h") { tui.hideOverlay(); ctx.ui.notify("overlays " + tui.hasOverlay()); }
          tui.requestRender();
        } };
    }, { overlay: true, overlayOptions: { anchor: "bottom-right", width: 70 }, onHandle: (h) => { handle = h; } });
  } });
}
`

// TestFocusOfComponents: what is typed goes to the part of an overlay that has been
// given the focus, and after it has gone to what lay below.
func TestFocusOfComponents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "focusing.ts")
		p.write("focusing.ts", focusing)
		c := p.show(90, 20)
		c.say("/form")
		c.sees("form keys=field")
		c.types("quick")
		c.sees("> quick")
		c.frame("form")
		c.types(enter)
		c.sees("form said quick, bounds then null")
		c.say("typed into the editor")
		c.sees("hi")
		c.leave()
	})
}

// TestOverlayHandles: a handle knows at once where its overlay is and who has the
// keys. An overlay gets the keys back from what was opened over the editor meanwhile.
func TestOverlayHandles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "focusing.ts")
		p.write("focusing.ts", focusing)
		c := p.show(90, 20)
		c.say("/aside")
		c.sees("aside true")
		c.types("r") // it is drawn again
		c.sees(`aside true true {"row":19,"col":20,"width":70,"height":1}`)
		c.types("b")
		c.sees("aside false false")
		c.types("k")
		c.sees("below got k")
		c.sees("aside true true")
		c.types("c")
		c.sees("over there")
		c.sees("aside false false")
		c.types("x") // closes what is in the place of the editor
		c.sees("aside true true")
		c.types("u")
		c.sees("aside false false")
		c.types("now in the editor")
		c.sees("now in the editor")
		c.leave()
	})
}

// TestTopOverlayGoes: the terminal of an extension takes the newest overlay away.
func TestTopOverlayGoes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "focusing.ts")
		p.write("focusing.ts", focusing)
		c := p.show(90, 20)
		c.say("/aside")
		c.sees("aside true")
		c.types("h")
		c.sees("overlays false")
		c.leave()
	})
}

// TestQuestionsOverAnOverlay: each gets its answer, the newest first, and then the
// overlay has the keys again.
func TestQuestionsOverAnOverlay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "asker.ts")
		p.write("asker.ts", `
export default function (pi) {
  pi.registerCommand("ask", { handler: async (_a, ctx) => {
    await ctx.ui.custom((_1, _2, _3, done) => ({ focused: false, invalidate() {}, render() { return ["over " + this.focused]; }, handleInput(data) {
      if (data === "q") { ctx.ui.input("the first").then((s) => ctx.ui.notify("one " + s)); ctx.ui.input("the second").then((s) => ctx.ui.notify("two " + s)); }
      if (data === "x") done();
    } }), { overlay: true, overlayOptions: { anchor: "top-left", width: 20 } });
    ctx.ui.notify("closed");
  } });
}
`)
		c := p.show(60, 20)
		c.say("/ask")
		c.sees("over true")
		c.types("q")
		c.sees("the second")
		c.sees("over false")
		c.types("b", enter)
		c.sees("two b")
		c.sees("the first")
		c.types("a", enter)
		c.sees("one a")
		c.sees("over true")
		c.types("x")
		c.sees("closed")
		c.leave()
	})
}

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

func TestOverlays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"First.", "Second."`, "panels.ts")
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
		c.frame("corner")
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
	})
}

func TestOverlaysTakeKeysByTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "panels.ts")
		p.write("panels.ts", panels)
		c := p.show(70, 20)
		c.say("/two")
		c.sees("second has keys")
		c.frame("two")
		if strings.Contains(c.text(), "first has keys") {
			t.Errorf("both have the keys:\n%s", c.text())
		}
		c.types("x", "q")
		c.sees("first has keys")
		c.loses("second")
		c.types("y", "q")
		c.sees("keys secondx,secondq,firsty,firstq")
		c.leave()
	})
}

// TestEndsUnderAnOverlay: the terminal is left on the screen that it had before.
func TestEndsUnderAnOverlay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "panels.ts")
		p.write("panels.ts", panels)
		c := p.show(70, 20)
		c.say("/corner")
		c.sees("[          ]")
		c.types(ctrlC, ctrlC)
		c.exits()
		if strings.Contains(c.text(), "[          ]") || !strings.Contains(c.raw.String(), "\x1b[?1049l") {
			t.Errorf("the overlay is left behind:\n%s", c.text())
		}
	})
}
