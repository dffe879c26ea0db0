package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/schema"
)

// outOfScope are groups of the official suite about what this package does not do: to
// load schemas from elsewhere, and to follow $dynamicRef through the dynamic scope.
var outOfScope = []string{
	"remote ref",
	"$dynamicRef",
	"metaschema",
	"meta-schema",
}

// TestOfficialSuite runs the JSON Schema Test Suite (testdata/suite/README.md).
func TestOfficialSuite(t *testing.T) {
	files, _ := filepath.Glob("testdata/suite/*/*.json")
	if len(files) == 0 {
		t.Fatal("the suite is missing")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/suite/"), ".json"), func(t *testing.T) {
			runSuite(t, file)
		})
	}
}

type suiteGroup struct {
	Description string
	Schema      jsontext.Value
	Tests       []struct {
		Description string
		Data        jsontext.Value
		Valid       bool
	}
}

func runSuite(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(text, &groups, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		t.Run(group.Description, func(t *testing.T) {
			for _, part := range outOfScope {
				if strings.Contains(group.Description, part) {
					t.Skip("out of scope")
				}
			}
			subject := withDraft(group.Schema, file)
			for _, test := range group.Tests {
				valid, err := schema.Valid(subject, test.Data)
				if err != nil {
					t.Fatalf("%s: %v", group.Schema, err)
				}
				if valid != test.Valid {
					t.Errorf("%s: valid = %v\nschema: %s\nvalue: %s", test.Description, valid, group.Schema, test.Data)
				}
			}
		})
	}
}

// withDraft makes a schema say that it is of draft 7, which the suite says by the folder.
func withDraft(s jsontext.Value, file string) jsontext.Value {
	if s.Kind() != '{' || !strings.Contains(file, "/draft7/") || strings.Contains(string(s), `"$schema"`) {
		return s
	}
	comma := ","
	if compact := s.Clone(); compact.Compact() == nil && string(compact) == "{}" {
		comma = ""
	}
	return jsontext.Value(strings.Replace(string(s), "{", `{"$schema":"http://json-schema.org/draft-07/schema#"`+comma, 1))
}
