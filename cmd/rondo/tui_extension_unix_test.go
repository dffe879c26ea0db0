//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTerminal_AsksBeforeAProjectRuns: nothing of a project runs before the person has said
// that it may.
func TestTerminal_AsksBeforeAProjectRuns(t *testing.T) {
	p := prepare(t, `"hi"`)
	if err := os.MkdirAll(filepath.Join(p.dir, ".pi/extensions"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(".pi/extensions/x.ts", `
import * as fs from "node:fs";
export default function (pi) { fs.writeFileSync("ran.txt", "yes\n"); pi.on("session_start", (_e, ctx) => ctx.ui.notify("it runs")); }
`)
	ran := func() bool {
		_, err := os.Stat(filepath.Join(p.dir, "ran.txt"))
		return err == nil
	}
	c := p.show(80, 24)
	c.sees("Do you trust the files of")
	if ran() {
		t.Error("it has run before the answer")
	}
	c.types("4") // no, this time
	c.sees("scripted/scripted")
	c.leave()
	if ran() {
		t.Error("it has run against the answer")
	}

	q := prepare(t, `"hi"`)
	q.dir = p.dir
	q.write("script.json", `{"replies": ["hi"]}`)
	d := q.show(80, 24)
	d.sees("Do you trust the files of") // it was not remembered
	d.types("2")
	d.sees("it runs")
	d.leave()
}
