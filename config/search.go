package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/fuzzy"
)

// Search returns the models that a query finds: those whose provider/id and name have all of
// its words in them, in the order of the list. If there are none, it is those that have the
// letters of the text in this order, the best first. An empty text finds all.
func Search(models []*ai.Model, query string) []*ai.Model {
	words := strings.Fields(strings.ToLower(query))
	var found []*ai.Model
	for _, m := range models {
		target := strings.ToLower(m.Provider + "/" + m.ID + " " + m.Name)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(target, word) }) {
			found = append(found, m)
		}
	}
	if len(found) > 0 || len(words) == 0 {
		return found
	}
	scores := make(map[*ai.Model]float64)
	for _, m := range models {
		if match := fuzzy.Words(query, m.Provider+"/"+m.ID); match.OK {
			found = append(found, m)
			scores[m] = match.Score
		}
	}
	slices.SortStableFunc(found, func(a, b *ai.Model) int { return cmp.Compare(scores[a], scores[b]) })
	return found
}
