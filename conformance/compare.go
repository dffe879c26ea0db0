package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// Difference is one facet in which two traces differ.
type Difference struct {
	Facet     string
	Want, Got any
}

// Compare returns the facets in which two traces differ, by name. A facet that only one
// of them has differs, unless it is null.
func Compare(want, got Trace) []Difference {
	facets := maps.Clone(want)
	maps.Copy(facets, got)
	var differences []Difference
	for _, facet := range slices.Sorted(maps.Keys(facets)) {
		if !ordered.Equal(want[facet], got[facet]) {
			differences = append(differences, Difference{Facet: facet, Want: want[facet], Got: got[facet]})
		}
	}
	return differences
}

// The most that [Difference.String] shows: a trace can be long, and what differs first
// explains most.
const (
	maxDiffLines   = 120
	maxDiffColumns = 400
)

// String is a unified diff of the two values as the golden files write them.
func (d Difference) String() string {
	diff := udiff.Unified("want "+d.Facet, "got "+d.Facet, ordered.Sorted(d.Want)+"\n", ordered.Sorted(d.Got)+"\n")
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for i, line := range lines {
		if len(line) > maxDiffColumns {
			lines[i] = strings.ToValidUTF8(line[:maxDiffColumns], "") + "…"
		}
	}
	if more := len(lines) - maxDiffLines; more > 0 {
		lines = append(lines[:maxDiffLines], fmt.Sprintf("… %d more lines", more))
	}
	return strings.Join(lines, "\n")
}
