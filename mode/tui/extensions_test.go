package tui_test

import (
	"strings"
	"testing"
)

// helper is an extension that uses all of a terminal.
const helper = `
export default function (pi) {
  pi.on("session_start", (_e, ctx) => {
    ctx.ui.setStatus("mood", ctx.ui.theme.fg("accent", "mood: fine"));
    ctx.ui.setWidget("list", ["widget line", "\u001b[2Jsecond"]);
  });
  pi.registerCommand("ask", { description: "asks everything", handler: async (args, ctx) => {
    const colour = await ctx.ui.select("Which colour?", ["red", "green", "blue"]);
    const sure = await ctx.ui.confirm("Sure?", "It will be " + colour);
    const name = await ctx.ui.input("Its name", "a name");
    const text = await ctx.ui.editor("Its text", "prefilled");
    ctx.ui.notify(["got", colour, sure, name, text, args].join("|"), "info");
  } });
  pi.registerCommand("late", { description: "waits in vain", handler: async (_a, ctx) => {
    const v = await ctx.ui.select("Too late?", ["yes"], { timeout: 1500 });
    ctx.ui.notify("late: " + v, "warning");
  } });
  pi.registerCommand("counter", { description: "a component", handler: async (_a, ctx) => {
    const n = await ctx.ui.custom((tui, theme, _kb, done) => {
      let n = 0;
      return {
        render: (width) => [theme.fg("accent", "count " + n + " of " + width), "keys: up, enter"],
        handleInput: (data) => { if (data === "\u001b[A") n++; if (data === "\r") done(n); tui.requestRender(); },
        invalidate: () => {},
      };
    });
    ctx.ui.notify("counted " + n, "info");
  } });
  pi.registerCommand("fill", { description: "writes", handler: async (_a, ctx) => ctx.ui.setEditorText("written by an extension") });
  pi.registerShortcut("ctrl+y", { description: "says hi", handler: async (ctx) => ctx.ui.notify("shortcut!", "info") });
}
`

func TestExtensions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "helper.ts")
		p.write("helper.ts", helper)
		c := p.show(70, 30)
		c.sees("mood: fine")
		c.shows("widget line", "second")

		c.types("/as")
		c.sees("asks everything")
		c.types(enter)
		c.shows("Which colour?", "→ red", "  green", "  blue")
		c.frame("select")
		c.types(down, enter)
		c.shows("Sure?", "It will be green", "→ Yes", "  No")
		c.frame("confirm")
		c.types(enter)
		c.shows("Its name", "a name")
		c.frame("input")
		c.types("Moss", enter)
		c.shows("Its text", "prefilled")
		c.frame("editor")
		c.types(" more", ctrlJ, "lines", enter)
		c.sees("got|green|true|Moss|prefilled more")

		c.say("/late")
		c.sees("Too late? (")
		c.sees("late: undefined")

		c.say("/counter")
		c.sees("count 0 of 70")
		c.types(up, up)
		c.sees("count 2 of 70")
		c.frame("component")
		c.types(enter)
		c.sees("counted 2")
		c.loses("keys: up, enter")

		c.say("/fill")
		c.sees("written by an extension")
		c.types("\x19") // ctrl+y, which extensions may take
		c.sees("shortcut!")
		c.leave()
	})
}

func TestTheTerminalsCommandsWin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "name.ts")
		p.write("name.ts", `export default (pi) => { pi.registerCommand("name", { handler: async (_a, ctx) => ctx.ui.notify("stolen") }); }`)
		c := p.show(250, 30)
		c.sees("name.ts is not used: the terminal has one of this name")
		c.say("/name box")
		c.sees("• box")
		c.say("/name")
		c.sees("The session is called box")
		c.leave()
	})
}

func TestExtensionRendersItsTool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `{"tools": [{"name": "paint", "args": {"what": "house"}}]}, "Painted."`, "paint.ts")
		p.write("paint.ts", `
import { Text } from "@earendil-works/pi-tui";
export default function (pi) {
  pi.registerTool({
    name: "paint", label: "Paint", description: "Paints.", parameters: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
    execute: async () => ({ content: [{ type: "text", text: "raw result" }], details: {} }),
    renderCall: (args, theme) => new Text(theme.bold("painting ") + args.what, 0, 0),
    renderResult: (result, _options, theme) => new Text("dry: " + theme.fg("success", result.content[0].text), 0, 0),
  });
}
`)
		c := p.show(70, 24)
		c.say("paint it")
		c.sees("Painted.")
		c.shows("painting house", "dry: raw result", "", "Painted.")
		c.frame("tool")
		if strings.Contains(c.text(), "● paint") {
			t.Errorf("the call is shown as any other:\n%s", c.text())
		}
	})
}

func TestStuckExtensionDoesNotStopTheScreen(t *testing.T) {
	p := prepare(t, `"An answer."`, "stuck.ts")
	p.write("stuck.ts", `
export default function (pi) {
  pi.registerCommand("stick", { description: "gets stuck", handler: async (_a, ctx) => {
    ctx.ui.setWidget("w", (tui) => ({ render: () => { const end = Date.now() + 1500; while (Date.now() < end); return ["drawn"]; }, invalidate() {} }));
  } });
}
`)
	c := p.show(60, 24)
	c.say("/stick")
	c.say("go on") // typing works meanwhile
	c.sees("An answer.")
	c.leave()
}

// writer is an extension that changes how a user writes.
const writer = `
import { Editor, Text } from "@earendil-works/pi-tui";
class Shout extends Editor {
  render(width) { return ["[shout mode]", ...super.render(width)]; }
}
export default function (pi) {
  pi.registerMessageRenderer("note", (m, _o, theme) => new Text(theme.fg("accent", "NOTE: ") + m.content, 0, 0));
  pi.registerCommand("note", { description: "a message", handler: async (a) => pi.sendMessage({ customType: "note", content: "remember " + a, display: true }) });
  pi.registerCommand("shout", { description: "another editor", handler: async (_a, ctx) =>
    ctx.ui.setEditorComponent((tui, theme) => new Shout(tui, theme)) });
  pi.registerCommand("dictate", { description: "pastes", handler: async (_a, ctx) => {
    ctx.ui.setEditorText("new ");
    const said = [ctx.ui.getEditorText()];
    ctx.ui.pasteToEditor("one ");
    ctx.ui.pasteToEditor("two");
    said.push(ctx.ui.getEditorText());
    ctx.ui.setEditorText("");
    ctx.ui.notify("it says <" + said.join("|") + ">");
  } });
  pi.registerCommand("plain", { description: "the usual editor", handler: async (_a, ctx) => ctx.ui.setEditorComponent(undefined) });
  pi.registerCommand("upper", { description: "capitals", handler: async (_a, ctx) => {
    ctx.ui.onTerminalInput((data) => data === "x" ? { consume: true } : { data: data.toUpperCase() });
    ctx.ui.notify("capitals on");
  } });
  pi.registerCommand("tags", { description: "completes #", handler: async (_a, ctx) => {
    ctx.ui.addAutocompleteProvider((current) => ({
      triggers: ["#"],
      async getSuggestions(lines, line, col, opts) {
        const m = lines[line].slice(0, col).match(/#(\w*)$/);
        if (!m) return current.getSuggestions(lines, line, col, opts);
        return { items: ["alpha", "beta"].filter((x) => x.startsWith(m[1])).map((x) => ({ value: "#" + x, label: "#" + x, description: "tag" })), prefix: m[0] };
      },
      applyCompletion: (...args) => current.applyCompletion(...args),
    }));
    ctx.ui.notify("tags on");
  } });
}
`

func TestExtensionsChangeTheEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"First.", "Second."`, "writer.ts")
		p.write("writer.ts", writer)
		c := p.show(80, 30)
		c.say("/note milk")
		c.sees("NOTE: remember milk")

		c.say("/tags")
		c.sees("tags on")
		c.types("see #b")
		c.sees("→ #beta")
		c.types(tab)
		c.sees("see #beta")
		c.types(ctrlC)
		c.loses("see #beta")

		c.say("/shout")
		c.sees("[shout mode]")
		c.types("/pla")
		c.sees("→ plain") // it completes what the terminal does
		c.frame("editor")
		c.types(ctrlC)
		c.loses("→ plain")
		c.say("/dictate")
		c.sees("it says <new |new one two>") // at once
		c.say("hello")
		c.sees("First.")
		c.say("/plain")
		c.loses("[shout mode]")
		c.say("again")
		c.sees("Second.")

		c.say("/upper")
		c.sees("capitals on")
		c.types("axb")
		c.shows(strings.Repeat("─", 80), "AB")
		c.leave()
	})
}

func TestLeavesACommandThatNeverEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "forever.ts")
		p.write("forever.ts", `
export default function (pi) {
  pi.registerCommand("forever", { description: "never ends", handler: async (_a, ctx) => { ctx.ui.notify("begun"); await new Promise(() => {}); } });
}
`)
		c := p.show(80, 24)
		c.say("/forever")
		c.sees("begun")
		c.say("meanwhile")
		c.sees("hi")
		c.leave()
	})
}
