//go:build unix

package main

import (
	"strings"
	"testing"
)

// TestTerminal_ExtensionsRunPrograms: a program that an extension runs has the terminal for
// itself, and what scripts write while the screen is drawn does not disturb it.
func TestTerminal_ExtensionsRunPrograms(t *testing.T) {
	p := prepare(t, `"hi"`, "-e", "shell.ts")
	p.write("shell.ts", `
import { spawnSync } from "node:child_process";
export default function (pi) {
  pi.registerCommand("out", { description: "runs a program", handler: async (_a, ctx) => {
    const status = await ctx.ui.custom((tui, _t, _k, done) => {
      tui.stop();
      process.stdout.write("written directly\n");
      const r = spawnSync("/bin/sh", ["-c", "read -r answer; echo \"it read $answer\"; read -r again; exit 3"], { stdio: "inherit" });
      tui.start();
      done(r.status);
      return { render: () => [], invalidate() {} };
    });
    ctx.ui.notify("it ended with " + status);
  } });
  pi.registerCommand("bell", { description: "writes", handler: async () => process.stdout.write("\u001b]777;notify;Done;ready\u0007plain\u001b[2J\n") });
}
`)
	c := p.show(70, 24)
	c.say("/out")
	c.sees("written directly")
	c.types("moss\r")
	c.sees("it read moss")
	c.types("\r")
	c.sees("it ended with 3")
	c.say("/bell")
	c.sees("· plain")
	c.until("the notification", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return strings.Contains(c.raw.String(), "\x1b]777;notify;Done;ready\a")
	})
	c.say("hello")
	c.sees("❯ hello")
	c.leave()
}
