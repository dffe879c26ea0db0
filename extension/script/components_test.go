package script_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/extension/script"
)

// TestComponentsSameAsPi presses keys in our components and compares what they show with what
// Pi's showed, testdata/components/pi.jsonl.
func TestComponentsSameAsPi(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	facade := filepath.ToSlash(filepath.Join(filepath.Dir(dir), "facade", "agent-ui", "index.js"))
	l := newLab(t, script.Options{Ops: script.TerminalOps().Add(script.SystemOps(nil), script.ThemeOps(true, dir))})
	out, err := l.run(`import * as t from "@earendil-works/pi-tui";
		import * as a from ` + quote(facade) + `;
		import { run } from ` + quote(filepath.ToSlash(filepath.Join(dir, "components", "run.js"))) + `;
		import theme from ` + quote(filepath.ToSlash(filepath.Join(dir, "harness.json"))) + `;
		entry("main", () => run(t, a, theme));`)
	if err != nil {
		t.Fatal(err)
	}
	var got []line
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	want := recorded(t, filepath.Join(dir, "components", "pi.jsonl"))
	for i := range min(len(got), len(want)) {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Errorf("line %d (-Pi +ours):\n%s", i+1, diff)
			if !t.Failed() || strings.Count(diff, "\n") > 400 {
				break
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
}

// line is one thing that was noted: file, label, value.
type line [3]any

func recorded(t *testing.T, path string) []line {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []line
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l, jsontext.AllowInvalidUTF8(true)); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
