package tui_test

import (
	"strings"
	"testing"
)

const headed = `
export default function (pi) {
  let n = 0, screen, gone = 0;
  const make = (name) => (tui) => { screen = tui; return { invalidate() {}, dispose() { gone++; }, render: (width) => ["== " + name + " " + n + " =="] }; };
  pi.on("session_start", (_e, ctx) => ctx.ui.setHeader(make("header")));
  pi.registerCommand("tick", { handler: async () => { n++; screen.requestRender(); } });
  pi.registerCommand("other", { handler: async (_a, ctx) => ctx.ui.setHeader(make("other")) });
  pi.registerCommand("none", { handler: async (_a, ctx) => { ctx.ui.setHeader(undefined); ctx.ui.notify("without"); } });
  pi.registerCommand("count", { handler: async (_a, ctx) => ctx.ui.notify("gone " + gone) });
}
`

// TestHeaderIsDrawnAgain: a header changes when its component asks for it, as long as
// it is on the screen, and goes into the scrollback once, as it was last.
func TestHeaderIsDrawnAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := strings.Repeat(`line\n\n`, 15)
		p := prepare(t, `"First.", "`+long+`end", "Third."`, "headed.ts")
		p.write("headed.ts", headed)
		c := p.show(60, 24)
		c.sees("== header 0 ==")
		c.say("/tick")
		c.sees("== header 1 ==")
		c.loses("header 0")
		c.say("hello")
		c.sees("First.")
		c.say("/tick")
		c.sees("== header 2 ==")
		c.say("/other")
		c.sees("== other 2 ==")
		c.frame("header")
		c.say("more")
		c.sees("end")
		c.say("/tick")
		c.say("again")
		c.sees("Third.")
		got := c.history()
		for _, once := range []string{"== other 2 ==", "❯ hello", "First.", "❯ more", "Third."} {
			if n := strings.Count(got, once); n != 1 {
				t.Errorf("%q is there %d times", once, n)
			}
		}
		if strings.Contains(got, "header") || strings.Contains(got, "other 3") {
			t.Error("an older or a newer header is there")
		}
		if t.Failed() {
			t.Log(got)
		}
		c.leave()
	})
}

// TestHeaderStaysAtTheEnd: what was kept below a header is left when the program ends,
// and when another one has the terminal.
func TestHeaderStaysAtTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"First."`, "headed.ts")
		p.write("headed.ts", headed)
		c := p.show(60, 24)
		c.sees("== header 0 ==")
		c.say("hello")
		c.sees("First.")
		c.leave()
		if got := c.history(); strings.Count(got, "== header 0 ==") != 1 || strings.Count(got, "❯ hello") != 1 || strings.Count(got, "First.") != 1 {
			t.Errorf("what was said is not there once:\n%s", got)
		}

		p = prepare(t, `"First."`, "headed.ts")
		p.write("headed.ts", headed)
		c = p.show(60, 24)
		c.sees("== header 0 ==")
		c.say("hello")
		c.sees("First.")
		c.say("/none")
		c.sees("without")
		c.loses("==")
		c.say("/count")
		c.sees("gone 1")
		if got := c.history(); strings.Contains(got, "==") || strings.Count(got, "First.") != 1 {
			t.Errorf("the header is left:\n%s", got)
		}
		c.leave()
	})
}
