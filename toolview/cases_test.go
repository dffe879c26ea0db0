package toolview_test

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/toolview"
)

// The page of a browser passes the same cases; see package serve.
func TestCasesOfAllFrontends(t *testing.T) {
	raw, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name                        string
		View                        *toolview.View
		Args, Details               jsontext.Value
		Failed                      bool
		Subject, Notes, Input, Diff string
	}
	if err := json.Unmarshal(raw, &cases, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := c.View.Show(&toolview.Call{Args: c.Args, Details: c.Details, IsError: c.Failed})
		diff := ""
		if s.Output.Kind == toolview.Diff {
			diff = s.Output.Text
		}
		if s.Subject != c.Subject || s.Notes != c.Notes || s.Input.Text != c.Input || diff != c.Diff {
			t.Errorf("%s: %q, %q, input %q, diff %q", c.Name, s.Subject, s.Notes, s.Input.Text, diff)
		}
	}
}
