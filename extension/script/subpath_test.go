package script_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/extension/script"
)

// Packages name their own files with "imports" of package.json, also without suffixes.
func TestSubpathImports(t *testing.T) {
	l := newLab(t, script.Options{})
	l.write("package.json", `{"name": "p", "imports": {
		"#src/*": "./src/*", "#src/deep/*": "./other/*", "#one": {"browser": "./none.js", "default": "./src/a"},
		"#exact": "./src/b.ts", "#dep": ["dep"], "#lost/*": "./lost/*"}}`)
	l.write("src/a.ts", `import { b } from "#src/sub/b"; export const a = "a" + b;`)
	l.write("src/sub/b.ts", `export const b: string = "b";`)
	l.write("src/b.ts", `export default "exact";`)
	l.write("src/folder/index.ts", `export default "folder";`)
	l.write("other/x.ts", `export default "longest";`)
	l.write("node_modules/dep/index.js", `module.exports = "dep";`)
	l.want(`import { a } from "#src/a"; import { a as one } from "#one"; import exact from "#exact"; import dep from "#dep";
		import x from "#src/deep/x"; import folder from "#src/folder";
		entry("main", () => [a, one, exact, dep, x, folder]);`, `["ab","ab","exact","dep","longest","folder"]`)
	for _, name := range []string{"#lost/x", "#unknown"} {
		if err := l.load(`import x from "` + name + `"; console.log(x);`); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The package pi-ai has for extensions what its part for older programs has.
func TestOlderNamesOfPiAI(t *testing.T) {
	l := newLab(t, script.Options{Ops: script.SystemOps(nil)})
	l.want(`import * as now from "@earendil-works/pi-ai"; import * as older from "@mariozechner/pi-ai";
		import { complete, AssistantMessageEventStream } from "@earendil-works/pi-ai/compat";
		entry("main", () => [now.complete === complete, older.streamSimple === now.streamSimple, now.AssistantMessageEventStream === AssistantMessageEventStream, typeof now.uuidv7()]);`,
		`[true,true,true,"string"]`)
}
