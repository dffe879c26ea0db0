// Package near finds the names that somebody who mistyped one may have meant.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// most is how many names are worth showing.
const most = 3

// Names returns up to three of the names that look like wanted, best first. Case does not
// count. Of a name such as openai/gpt-5.5 the part behind the first slash may be meant
// alone.
func Names(wanted string, names []string) []string {
	type scored struct {
		name     string
		distance int
	}
	var near []scored
	wanted = strings.ToLower(wanted)
	for _, name := range names {
		d := distance(wanted, strings.ToLower(name))
		if _, id, ok := strings.Cut(name, "/"); ok {
			d = min(d, distance(wanted, strings.ToLower(id)))
		}
		if d <= max(2, len(wanted)/3) {
			near = append(near, scored{name, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, s := range near[:min(len(near), most)] {
		out = append(out, s.name)
	}
	return out
}

// distance counts the bytes to insert, remove or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
