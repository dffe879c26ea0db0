package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension/script"
)

// TestNodeModules runs the cases of testdata/node, whose results were recorded with Node
// (testdata/node/record.mjs).
func TestNodeModules(t *testing.T) {
	files, err := filepath.Glob("testdata/node/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source, err := filepath.Abs(strings.TrimSuffix(file, ".json") + ".mjs")
			if err != nil {
				t.Fatal(err)
			}
			l := newLab(t, script.Options{Ops: script.SystemOps(nil)})
			got, err := l.run(`import run from ` + string(mustQuote(source)) + `; entry("main", async () => (await run()).map((v) => JSON.stringify(v) ?? "null"));`)
			if err != nil {
				t.Fatalf("%v\n%+v", err, err)
			}
			var lines []string
			if err := json.Unmarshal([]byte(got), &lines); err != nil {
				t.Fatal(err)
			}
			wanted := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
			for i := range max(len(lines), len(wanted)) {
				g, w := at(lines, i), at(wanted, i)
				if g != w {
					t.Errorf("value %d: got %s\nNode has %s", i, g, w)
				}
			}
			for _, f := range l.faults {
				t.Errorf("fault: %+v", f)
			}
		})
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

func mustQuote(s string) jsontext.Value {
	q, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return q
}
