package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/conformance"
	"github.com/rondo-agent/rondo/conformance/ordered"
)

func TestFile_Bytes(t *testing.T) {
	for content, want := range map[string]string{
		`"text"`:                       "text",
		`{"base64": "/wA="}`:           "\xff\x00",
		`{"repeat": "ab", "times": 3}`: "ababab",
		`{"b": 1, "a": "é"}`:           "{\n \"b\": 1,\n \"a\": \"\\u00e9\"\n}",
		`[]`:                           "[]",
	} {
		value, err := ordered.Parse([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (conformance.File{Content: value}).Bytes(); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", content, got, err, want)
		}
	}
}

func TestLint_Complaints(t *testing.T) {
	s, err := conformance.ParseScenario("a/b", []byte(`{
		"mode": "tui", "api": "telepathy", "compare": ["exit", "mood"], "colour": 1,
		"replies": [{"texts": "x"}], "steps": [{"wait": [{"a": "~("}], "until": 3}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := s.Lint()
	for _, want := range []string{
		`"about" is missing`, `mode "tui"`, `api "telepathy"`, `facet "mood"`,
		`the scenario has a member "colour"`, `reply 1 has a member "texts"`, `step 1 has a member "until"`, "step 1: error parsing regexp",
	} {
		if !slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, want) }) {
			t.Errorf("no complaint says %q: %q", want, got)
		}
	}
	if len(got) != 8 {
		t.Errorf("got %d complaints: %q", len(got), got)
	}
}

func TestParseScenario_ErrorsNameTheScenario(t *testing.T) {
	for _, data := range []string{``, `[]`, `{"args": "x"}`, `{"replies": [{"chunks": "two"}]}`} {
		if _, err := conformance.ParseScenario("a/b", []byte(data)); err == nil || !strings.Contains(err.Error(), "scenario a/b") {
			t.Errorf("%q: got %v", data, err)
		}
	}
}

func FuzzParseScenario(f *testing.F) {
	f.Add([]byte(`{"replies": [{"text": "x"}], "steps": [{"send": {}}, {"wait": "~x"}], "files": {"a": {"repeat": "x", "times": 2}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := conformance.ParseScenario("a/b", data); err == nil {
			s.Lint()
		}
	})
}
