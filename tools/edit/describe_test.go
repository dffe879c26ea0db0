package edit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/tools/edit"
)

// TestDetails compares with details recorded from Pi 0.85.
func TestDetails(t *testing.T) {
	data, err := os.ReadFile("testdata/details.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name    string       `json:"name"`
		Before  string       `json:"before"`
		Edits   []edit.Edit  `json:"edits"`
		Details edit.Details `json:"details"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			name := fmt.Sprintf("f%02d.txt", i)
			dir := t.TempDir()
			put(t, filepath.Join(dir, name), c.Before)
			args, err := json.Marshal(map[string]any{"path": name, "edits": c.Edits})
			if err != nil {
				t.Fatal(err)
			}
			result, err := run(t, edit.New(dir, nil), args)
			if err != nil {
				t.Fatal(err)
			}
			var got edit.Details
			if err := json.Unmarshal(result.Details, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Details, got); diff != "" {
				t.Errorf("details (-Pi +got):\n%s", diff)
			}
		})
	}
}
