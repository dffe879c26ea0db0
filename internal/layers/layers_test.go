package layers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rondo-agent/rondo/"

// root is the package rondo itself.
const root = "rondo"

// layers lists the packages from the lowest layer to the highest. A package may import
// those of its own layer and of lower ones.
var layers = [][]string{
	{"internal", "schema"},
	{"ai"},
	{"toolview"},
	{"agent"},
	{"transcript"},
	{"compaction"},
	{"tools", "config", "resource"},
	{"extension"},
	{"session"},
	{"telemetry"},
	{root},
	{"mode"},
	{"cmd"},
}

// outside are programs and tests that nothing imports.
var outside = []string{"bench", "conformance", "docs", "examples"}

// TestImportsPointDownwards checks every import of the module, tests left out.
func TestImportsPointDownwards(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		from, _ := relative(fields[0])
		if slices.Contains(outside, room(from)) {
			continue
		}
		own := layer(from)
		if own < 0 {
			t.Errorf("%s is in no layer: add it to this test and to ARCHITECTURE.md", from)
			continue
		}
		for _, imported := range fields[1:] {
			to, ours := relative(imported)
			if !ours {
				continue
			}
			if slices.Contains(outside, room(to)) || layer(to) > own {
				t.Errorf("%s imports %s, which lies above it", from, to)
			}
			if own == layer(to) && room(from) != room(to) && !shared(to) {
				t.Errorf("%s imports %s: packages of one layer do not know each other", from, to)
			}
		}
	}
}

// relative returns the path of a package within the module.
func relative(path string) (within string, ours bool) {
	if path+"/" == module {
		return root, true
	}
	return strings.CutPrefix(path, module)
}

// shared reports whether packages of its own layer may know this one.
func shared(to string) bool { return room(to) == "internal" || room(to) == "schema" }

func room(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

func layer(path string) int {
	return slices.IndexFunc(layers, func(rooms []string) bool { return slices.Contains(rooms, room(path)) })
}
