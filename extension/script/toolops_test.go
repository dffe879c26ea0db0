package script_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension/script"
)

// Whatever the functions do that stand in for the computer, the tool of a script ends: with an
// error that says what they did, or when it is cancelled.
func TestToolsEndWhateverTheirOperationsDo(t *testing.T) {
	tools := map[string]struct{ make, params, ops string }{
		"read":  {"createReadTool", `{ path: "f" }`, "access readFile"},
		"write": {"createWriteTool", `{ path: "f", content: "x" }`, "mkdir writeFile"},
		"edit":  {"createEditTool", `{ path: "f", edits: [{ oldText: "a", newText: "b" }] }`, "access readFile writeFile"},
		"ls":    {"createLsTool", `{ path: "." }`, "exists stat readdir"},
		"grep":  {"createGrepTool", `{ pattern: "a" }`, "isDirectory"}, // a file that cannot be read is left out
		"find":  {"createFindTool", `{ pattern: "*" }`, "exists glob"},
		"bash":  {"createBashTool", `{ command: "true" }`, "exec"},
	}
	faults := map[string]struct{ fn, want string }{
		"throws":      {`() => { throw new Error("no luck") }`, "no luck"},
		"rejects":     {`async () => { throw new Error("no luck") }`, "no luck"},
		"throws null": {`() => { throw null }`, "null"},
		"odd error":   {`() => { throw { get message() { throw 1 }, get stack() { throw 2 } } }`, "an error"},
		"long error":  {`() => { throw new Error("no luck ".repeat(100)) }`, "no luck"},
		"hangs":       {`() => new Promise(() => {})`, "abort"},
		"no promise":  {`() => ({ then() {} })`, "abort"},
		"missing":     {`() => { unreachable.here() }`, "unreachable"},
	}
	good := map[string]string{
		"access": "() => {}", "readFile": `() => Buffer.from("a")`, "writeFile": "() => {}", "mkdir": "() => {}", "exists": "() => true",
		"stat": "() => ({ isDirectory: () => true })", "readdir": `() => ["a"]`, "isDirectory": "() => true", "glob": `() => ["a"]`, "exec": "() => ({ exitCode: 0 })",
	}
	for tool, how := range tools {
		for fault, c := range faults {
			for bad := range strings.FieldsSeq(how.ops) {
				t.Run(tool+"/"+fault+"/"+bad, func(t *testing.T) {
					var ops []string
					for name := range strings.FieldsSeq(how.ops) {
						fn := good[name]
						if name == bad {
							fn = c.fn
						}
						ops = append(ops, name+": "+fn)
					}
					dir, _ := place(t)
					s := newStage(t, script.Settings{Dir: dir}, `import * as pi from "@earendil-works/pi-coding-agent";
						export default (api) => { api.registerCommand("go", { handler: async (a, ctx) => {
							const stop = new AbortController();
							`+map[bool]string{true: "setTimeout(() => stop.abort(), 50);"}[c.want == "abort"]+`
							try { await pi.`+how.make+`(`+quote(dir)+`, { operations: { `+strings.Join(ops, ", ")+` } }).execute("1", `+how.params+`, stop.signal); ctx.ui.notify("done") }
							catch (e) { let what = "an error that is null or throws"; try { what = e.name + " " + e.message } catch {} ctx.ui.notify("failed: " + what) }
						} }); }`)
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					if err := s.RunCommand(ctx, s.Command("go"), ""); err != nil {
						t.Error(err)
					}
					if ctx.Err() != nil {
						t.Error("it did not end")
					}
					if got := s.all(); !strings.Contains(strings.ToLower(got), c.want) {
						t.Errorf("got %q, reported %q, want %q", got, s.failures(), c.want)
					}
				})
			}
		}
	}
}
