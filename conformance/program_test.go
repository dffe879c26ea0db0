package conformance_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/conformance"
	"github.com/rondo-agent/rondo/conformance/ordered"
)

// play runs the stub through a scenario in JSON.
func play(t *testing.T, mode, scenario string) *conformance.Recording {
	t.Helper()
	s, err := conformance.ParseScenario("group/name", []byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.Env = nil
	t.Setenv("TERM", mode)
	p := &conformance.Program{Command: []string{self}, StepTimeout: 2 * time.Second}
	recording, err := p.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return recording
}

// traceOf writes a trace as the goldens do, so that a test can state it as text.
func traceOf(r *conformance.Recording) string {
	members := ordered.Object{}
	for facet, value := range conformance.Normalise(r) {
		members = members.With(facet, value)
	}
	return ordered.Sorted(members)
}

func withStub(mode, scenario string) string {
	return strings.Replace(scenario, "{", `{"env": {"`+envStub+`": "`+mode+`"},`, 1)
}
