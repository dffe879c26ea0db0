//go:build unix

package main

import (
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
