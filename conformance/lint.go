package conformance

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// Lint returns what is wrong with a scenario as it is written.
func (s *Scenario) Lint() []string {
	var complaints []string
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	if s.About == "" {
		complain(`"about" is missing: say which rule the scenario shows`)
	}
	if !slices.Contains([]string{"rpc", "json", "print"}, s.Mode) {
		complain("mode %q is none of rpc, json, print", s.Mode)
	}
	if _, ok := dialects[s.API]; !ok {
		complain("api %q is not spoken here", s.API)
	}
	facets := append(slices.Clip(defaultFacets), "other", "closed_early")
	for _, facet := range s.Compare {
		if !slices.Contains(facets, facet) {
			complain("there is no facet %q to compare", facet)
		}
	}
	unknown := func(where string, members map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			complain("%s has a member %q that means nothing", where, name)
		}
	}
	unknown("the scenario", s.Unknown)
	for i, reply := range s.Replies {
		unknown(fmt.Sprintf("reply %d", i+1), reply.Unknown)
	}
	for i, step := range s.Steps {
		unknown(fmt.Sprintf("step %d", i+1), step.Unknown)
		if err := lintPattern(step.Wait); err != nil {
			complain("step %d: %v", i+1, err)
		}
	}
	return complaints
}

// lintPattern compiles the regular expressions in a pattern.
func lintPattern(pattern any) error {
	switch pattern := pattern.(type) {
	case string:
		if expr, ok := strings.CutPrefix(pattern, "~"); ok {
			_, err := regexp.Compile(expr)
			return err
		}
	case []any:
		for _, p := range pattern {
			if err := lintPattern(p); err != nil {
				return err
			}
		}
	case ordered.Object:
		for _, m := range pattern {
			if err := lintPattern(m.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
