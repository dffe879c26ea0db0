package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// plugins are what an extension finds while it runs.
const plugins = `
-- plugins/first.ts --
import { Type } from "typebox";
import { tally } from "./lib/tally";
enum Kind { First = "first" }
export const schema: object = Type.Object({ a: Type.String() });
export default (): string => Kind.First + tally();
-- plugins/second.mjs --
import { tally } from "./lib/tally.ts";
export default () => "second" + tally();
export const here = import.meta.url.endsWith("/plugins/second.mjs");
-- plugins/old.cjs --
const { join } = require("node:path");
exports.name = join("old", require("./data.json").name);
exports.again = (name) => require(name).name;
-- plugins/data.json --
{"name": "data", "list": [1, 2]}
-- plugins/lib/tally.ts --
let n = 0;
export const tally = () => ++n;
export const deeper = (name: string) => import("./" + name);
-- plugins/plain.mjs --
export const here = true;
-- plugins/lib/leaf.ts --
export default "leaf";
-- plugins/slow.ts --
export const value = await Promise.resolve("later");
-- plugins/slower.ts --
export const value = await Promise.resolve("later still");
-- plugins/broken.ts --
export const x = 1;
throw new RangeError("broken plugin");
-- plugins/syntax.ts --
export const = ;
-- plugins/machine.node --
machine code
-- plugins/README.md --
# Not code
-- node_modules/pack/package.json --
{"name": "pack", "exports": {".": {"import": "./module.mjs", "require": "./common.cjs"}}}
-- node_modules/pack/module.mjs --
export const kind = "module";
-- node_modules/pack/common.cjs --
module.exports = { kind: "common" };
`

func unpack(t testing.TB, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// An import whose path is known only when it runs is relative to the file in which it stands.
func TestComputedImports(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"file of TypeScript", `const m = await import(p("first.ts")); return m.default() + Object.keys(m.schema.properties)`, "first1a"},
		{"relative, with a text before it", "return (await import(`./plugins/${args.b}.mjs`)).here", "true"},
		{"two texts", `return (await import("./plugins/" + args.b + ".mjs")).here`, "true"},
		{"without a suffix", `return (await import(args.dir + "/plugins/first")).default().slice(0, 5)`, "first"},
		{"address", `return (await import(pathToFileURL(p("second.mjs")).href)).here`, "true"},
		{"one instance", `return (await import(p("first.ts"))) === (await import(args.dir + "/plugins/../plugins/first.ts"))`, "true"},
		{"a file asked for anew", `const u = pathToFileURL(p("lib/tally.ts")).href; const one = await import(u + "?t=1"), same = await import(u + "?t=1"), other = await import(u + "?t=2"); return [one.tally(), same.tally(), other.tally()].join(" ")`, "1 2 1"},
		{"one of Node", `const name = "node:path"; return (await import(name)).join("a", "b")`, "a/b"},
		{"one of the library", `const name = "typebox"; return typeof (await import(name)).Type.String`, "function"},
		{"package", `const name = "pack"; return (await import(name)).kind + " " + require(name).kind`, "module common"},
		{"JSON", `return (await import(p("data.json"))).default.list.length`, "2"},
		{"JSON with a type", `const m = await import(p("data.json"), { with: { type: "json" } }); return m.default.name`, "data"},
		{"CommonJS", `const m = await import(p("old.cjs")); return m.name + " " + m.default.again("./data.json")`, "old/data data"},
		{"waits at its top", `return (await import(p("slow.ts"))).value`, "later"},
		{"from a file in a folder", `return (await (await import(p("lib/tally.ts"))).deeper("leaf")).default`, "leaf"},
		{"required", `return require(p("first.ts")).default().slice(0, 5) + require("./plugins/" + "old.cjs").name`, "firstold/data"},
		{"required JSON", `return require(p("data.json")).name`, "data"},
		{"by createRequire", `return createRequire(import.meta.url)("./plugins/" + args.old).name`, "old/data"},
		{"where it is", `return require.resolve(p("old.cjs")) === p("old.cjs") && import.meta.resolve(args.rel) === pathToFileURL(p("first.ts")).href`, "true"},
		{"what fails itself", `return import(p("broken.ts")).catch((e) => [e instanceof RangeError, e.message].join(" "))`, "true broken plugin"},
		{"what is no text", `const text = 'import(x) __require(y) import("./" + z)'; return text`, `import(x) __require(y) import("./" + z)`},
		{"in a function made of text", `return (await new Function("f", "return import(f)")(p("plain.mjs"))).here`, "true"},
	}
	failing := []struct{ name, body, want string }{
		{"nothing there", `return import(p("none.ts"))`, "ERR_MODULE_NOT_FOUND Cannot find module 'DIR/plugins/none.ts' imported from DIR/a.ts"},
		{"nothing to require", `const name = "none"; return require(name)`, "MODULE_NOT_FOUND Cannot find module 'none' imported from DIR/a.ts"},
		{"a native module", `return import(p("machine.node"))`, `ERR_DLOPEN_FAILED DIR/plugins/machine.node is a native module, which needs Node: ask for "extensionHost"`},
		{"no code", `return import(p("README.md"))`, `ERR_MODULE_NOT_LOADED load extension DIR/plugins/README.md: No loader is configured`},
		{"a mistake in it", `return import(p("syntax.ts"))`, `syntax.ts:1:14: Expected identifier but found "="`},
		{"required that waits", `return require(p("slower.ts"))`, "ERR_REQUIRE_ASYNC_MODULE DIR/plugins/slower.ts waits for something at its top: import() it"},
	}
	var bodies strings.Builder
	for _, c := range slices.Concat(cases, failing) {
		fmt.Fprintf(&bodies, "async (args, p) => { %s },\n", c.body)
	}
	source := `
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const cases = [` + bodies.String() + `];
export default (pi) => { pi.registerCommand("go", { handler: async (dir, ctx) => {
	const args = { dir, b: "second", old: "old.cjs", rel: "./plugins/first.ts" };
	for (const run of cases) {
		try { ctx.ui.notify(String(await run(args, (name) => dir + "/plugins/" + name))); }
		catch (e) { ctx.ui.notify((e.code ?? "") + " " + e.message); }
	}
} }); }`
	everywhere(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, source)
		unpack(t, s.dir, plugins)
		if err := s.RunCommand(t.Context(), s.Command("go"), s.dir); err != nil {
			t.Fatal(err)
		}
		if s.failures() != "" {
			t.Error(s.failures())
		}
		for i, c := range cases {
			if got := s.heard[i]; got != c.want {
				t.Errorf("%s: got %s, want %s", c.name, got, c.want)
			}
		}
		for i, c := range failing {
			want := strings.ReplaceAll(c.want, "DIR", s.dir)
			if got := s.heard[len(cases)+i]; settings.Remote == nil && !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s", c.name, got, want)
			}
		}
	})
}

// What an extension imports while it runs is read, which a rule may refuse.
func TestComputedImportsAreRead(t *testing.T) {
	dir, outside := place(t)
	unpack(t, outside, plugins)
	for name, c := range map[string]struct {
		read []string
		want string
	}{
		"allowed":              {[]string{outside}, "first1"},
		"refused":              {nil, "EACCES EACCES: the extension a may not read OUT/plugins/first.ts"},
		"what it then imports": {[]string{outside + "/plugins/first.ts"}, "EACCES EACCES: the extension a may not read OUT/plugins/lib/tally.ts"},
	} {
		for _, how := range []string{"await import(p)", "require(p)", "createRequire(import.meta.url)(p)"} {
			t.Run(name+" "+how, func(t *testing.T) {
				got := attempt(t, dir, script.Rule{Read: c.read}, `const p = `+quote(outside+"/plugins/first.ts")+`; return (`+how+`).default()`)
				if want := strings.ReplaceAll(c.want, "OUT", outside); !strings.HasPrefix(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
	}
}

// A failure in a file that an extension has imported while it ran is the extension's.
func TestFailureOfAComputedImport(t *testing.T) {
	s := newStage(t, script.Settings{},
		`export default (pi) => { pi.on("agent_start", async () => (await import("./" + pi.constructor.name.slice(0, 0) + "late.ts")).default()); }`,
		`export default (pi) => {}`)
	unpack(t, s.dir, "-- late.ts --\nexport default () => { setTimeout(() => { throw new Error('too late'); }, 1); };\n")
	s.Emit(t.Context(), &extension.AgentStart{})
	s.wait(t, "a.ts timer: too late")
}

// What an extension imports while it runs has the modules of its files in common with it, as in
// Pi: each file is one module, also if several are imported at the same time, whatever the kind
// of the importing file makes of a default.
func TestComputedImportsShareModules(t *testing.T) {
	everywhere(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings)
		unpack(t, s.dir, `
-- package.json --
{"type": "module"}
-- index.ts --
import state, { count } from "./state.ts";
import old from "./old.cjs";
export const own = {};
export default (pi) => { pi.registerCommand("go", { handler: async (dir, ctx) => {
	count();
	const [a, b] = await Promise.all(["a.ts", "b.mjs"].map((name) => import(dir + "/plugins/" + name)));
	const again = await import(dir + "/state.ts"), required = require(dir + "/old.cjs");
	ctx.ui.notify([a.count(), b.count(), count(), a.state === state, again.default === state, b.state === state, a.tally(), b.tally(), a.old === old, required === old, a.own === own].join(" "));
} }); }
-- state.ts --
let n = 0;
export const count = () => ++n;
export default { name: "state" };
-- old.cjs --
module.exports = { name: "old" };
-- plugins/tally.ts --
let n = 0; export const tally = () => ++n;
-- plugins/a.ts --
import state, { count } from "../state.ts";
import old from "../old.cjs";
import { own } from "../index.ts";
export { tally } from "./tally.ts";
export { state, count, old, own };
-- plugins/b.mjs --
export { default as state, count } from "../state.ts";
export * from "./tally.ts";
`)
		for _, err := range s.Load(t.Context(), extension.Source{Path: filepath.Join(s.dir, "index.ts")}) {
			t.Fatal(err)
		}
		if err := s.RunCommand(t.Context(), s.Command("go"), s.dir); err != nil {
			t.Fatal(err)
		}
		if want := "2 3 4 true true true 1 2 true true true"; s.all() != want || s.failures() != "" {
			t.Errorf("got %s %s, want %s", s.all(), s.failures(), want)
		}
	})
}
