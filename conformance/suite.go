package conformance

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// Suite is a folder with scenarios/GROUP/NAME.json and goldens/GROUP/NAME.json.
type Suite struct{ Dir string }

// Scenarios reads all scenarios, ordered by name.
func (s Suite) Scenarios() ([]*Scenario, error) {
	names, err := s.names("scenarios")
	if err != nil {
		return nil, err
	}
	scenarios := make([]*Scenario, len(names))
	for i, name := range names {
		data, err := os.ReadFile(s.path("scenarios", name))
		if err != nil {
			return nil, err
		}
		if scenarios[i], err = ParseScenario(name, data); err != nil {
			return nil, err
		}
	}
	return scenarios, nil
}

// Goldens returns the names of all goldens, in order.
func (s Suite) Goldens() ([]string, error) { return s.names("goldens") }

// Golden reads the trace that a scenario must show.
func (s Suite) Golden(name string) (Trace, error) {
	path := s.path("goldens", name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	value, err := ordered.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("golden %s: %w", path, err)
	}
	object, ok := value.(ordered.Object)
	if !ok {
		return nil, fmt.Errorf("golden %s: the file holds no JSON object", path)
	}
	trace := Trace{}
	for _, m := range object {
		trace[m.Name] = m.Value
	}
	return trace, nil
}

func (s Suite) path(kind, name string) string {
	return filepath.Join(s.Dir, kind, filepath.FromSlash(name)+".json")
}

func (s Suite) names(kind string) ([]string, error) {
	var names []string
	root := os.DirFS(filepath.Join(s.Dir, kind))
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(path, ".json"); ok && err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", filepath.Join(s.Dir, kind), err)
	}
	slices.Sort(names)
	return names, nil
}
