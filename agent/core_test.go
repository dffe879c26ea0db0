package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestCore plays the recorded scenarios of the agent core. RONDO_CORE_DIR names another
// folder with scenarios/, goldens/, scenarios-next/ and goldens-next/.
func TestCore(t *testing.T) {
	root := os.Getenv("RONDO_CORE_DIR")
	if root == "" {
		root = filepath.Join("testdata", "core")
	}
	for _, edition := range []string{"", "-next"} {
		files, err := filepath.Glob(filepath.Join(root, "scenarios"+edition, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no scenarios in %s: %v", root, err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			t.Run("scenarios"+edition+"/"+name, func(t *testing.T) {
				t.Parallel()
				var scenario object
				readJSON(t, file, &scenario)
				var golden struct{ Trace []any }
				readJSON(t, filepath.Join(root, "goldens"+edition, name+".json"), &golden)
				trace, err := newLab(t, scenario, edition != "").run()
				compareTraces(t, golden.Trace, trace)
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// compareTraces reports the first record that differs, with those before it.
func compareTraces(t *testing.T, want []any, trace []object) {
	t.Helper()
	var got []any
	if err := json.Unmarshal(raw(trace), &got); err != nil {
		t.Fatal(err)
	}
	for i := range max(len(want), len(got)) {
		var w, g any
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if !reflect.DeepEqual(w, g) {
			for _, before := range got[max(0, min(i, len(got))-4):min(i, len(got))] {
				t.Logf("       %s", raw(before))
			}
			t.Fatalf("record %d:\n  want %s\n  got  %s", i, raw(w), raw(g))
		}
	}
}
