//go:build unix

package main

import "testing"

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

// TestTerminal_FocusOfComponents: what is typed goes to the part of an overlay that has been
// given the focus, and after it has gone to what lay below.
func TestTerminal_FocusOfComponents(t *testing.T) {
	p := prepare(t, `"hi"`, "-e", "focusing.ts")
	p.write("focusing.ts", focusing)
	c := p.show(90, 20)
	c.say("/form")
	c.sees("form keys=field")
	c.types("quick")
	c.sees("> quick")
	c.types(enter)
	c.sees("form said quick, bounds then null")
	c.say("typed into the editor")
	c.sees("hi")
	c.leave()
}

// TestTerminal_OverlayHandles: a handle knows at once where its overlay is and who has the
// keys. An overlay gets the keys back from what was opened over the editor meanwhile.
func TestTerminal_OverlayHandles(t *testing.T) {
	p := prepare(t, `"hi"`, "-e", "focusing.ts")
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
}

// TestTerminal_TopOverlayGoes: the terminal of an extension takes the newest overlay away.
func TestTerminal_TopOverlayGoes(t *testing.T) {
	p := prepare(t, `"hi"`, "-e", "focusing.ts")
	p.write("focusing.ts", focusing)
	c := p.show(90, 20)
	c.say("/aside")
	c.sees("aside true")
	c.types("h")
	c.sees("overlays false")
	c.leave()
}

// TestTerminal_QuestionsOverAnOverlay: each gets its answer, the newest first, and then the
// overlay has the keys again.
func TestTerminal_QuestionsOverAnOverlay(t *testing.T) {
	p := prepare(t, `"hi"`, "-e", "asker.ts")
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
}
