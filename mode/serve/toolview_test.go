package serve

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"modernc.org/quickjs"
)

// The page shows a call as the other frontends do, by the view of its tool alone.
func TestPageShowsCallsByTheirView(t *testing.T) {
	source, err := pageFiles.ReadFile("page/toolview.js")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := os.ReadFile("../../toolview/testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	vm, err := quickjs.NewVM()
	if err != nil {
		t.Fatal(err)
	}
	defer vm.Close()
	script := strings.ReplaceAll(string(source), "export function", "function") + `
JSON.stringify(` + string(cases) + `.map((c) => {
	setViews({ tool: c.view });
	const s = show("tool", c.args, { details: c.details }, c.failed);
	const part = (diff) => (s.input && (s.input.kind === "diff") === diff ? s.input.text : "");
	const got = { subject: s.subject, notes: s.notes, input: part(false), diff: part(true) };
	const wrong = Object.keys(got).filter((k) => got[k] !== c[k]);
	return wrong.length ? c.name + ": " + wrong.map((k) => k + " is " + JSON.stringify(got[k])).join(", ") : "";
}).filter(Boolean))`
	out, err := vm.Eval(script, quickjs.EvalGlobal)
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	if err := json.Unmarshal([]byte(out.(string)), &wrong); err != nil {
		t.Fatal(err)
	}
	for _, text := range wrong {
		t.Error(text)
	}
}

// No frontend of the page knows a tool by its name.
func TestPageKnowsNoTool(t *testing.T) {
	for _, name := range []string{"tools.js", "toolview.js"} {
		source, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range []string{"bash", "read", "write", "edit", "grep", "find", "ls"} {
			if strings.Contains(string(source), `"`+tool+`"`) {
				t.Errorf("%s knows the tool %s", name, tool)
			}
		}
	}
}
