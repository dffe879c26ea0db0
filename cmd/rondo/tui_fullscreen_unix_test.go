//go:build unix

package main

import (
	"strings"
	"testing"
)

// corner is an extension with an overlay in a corner.
const corner = `
export default function (pi) {
  pi.registerCommand("corner", { handler: async (_a, ctx) => {
    const said = await ctx.ui.custom((tui, _theme, _kb, done) => {
      let typed = "";
      return { invalidate() {}, render: (width) => [("[" + typed).padEnd(width - 1) + "]"],
        handleInput: (data) => { if (data === "\r") done(typed); else typed += data; tui.requestRender(); } };
    }, { overlay: true, overlayOptions: { anchor: "top-right", width: 12, margin: { top: 1, right: 2 } } });
    ctx.ui.notify("said " + said);
  } });
}
`

// TestTerminal_FullScreenExternal: another program has the terminal as it was.
func TestTerminal_FullScreenExternal(t *testing.T) {
	p := prepare(t, `"First."`, "--tui-mode", "fullscreen", "-e", "corner.ts")
	p.write("corner.ts", corner)
	p.cmd.Env = []string{"EDITOR=echo seen by the editor; sleep 0.3; true"}
	c := p.show(70, 20)
	c.say("one")
	c.sees("First.")
	c.types("\x07")
	c.sees("seen by the editor")
	c.loses("First.")
	c.sees("First.")
	c.say("/corner") // an overlay lies over it
	c.until("the overlay in its corner", func() bool { return strings.HasSuffix(c.rows()[1], "[          ]") })
	c.sees("First.")
	c.types("ab", enter)
	c.sees("said ab")
	c.loses("[ab")
	c.leave()
}
