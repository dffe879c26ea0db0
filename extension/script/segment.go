package script

import (
	"context"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"
)

// segmentOps are the operations behind Intl.Segmenter.
func segmentOps() Table {
	return Table{"text.segment": Typed(func(_ context.Context, a struct {
		Text        string `json:"text"`
		Granularity string `json:"granularity"`
	},
	) (any, error) {
		switch a.Granularity {
		case "word":
			return splitWords(a.Text), nil
		case "sentence":
			var list []string
			for it := sentences.FromString(a.Text); it.Next(); {
				list = append(list, it.Value())
			}
			return list, nil
		case "grapheme":
			var list []string
			for it := graphemes.FromString(a.Text); it.Next(); {
				list = append(list, it.Value())
			}
			return list, nil
		}
		return nil, &Error{Name: "RangeError", Message: "Intl.Segmenter has no granularity " + a.Granularity}
	})}
}

// splitWords returns pairs of a segment and whether it is a word.
func splitWords(text string) (list [][2]any) {
	for it := words.FromString(text); it.Next(); {
		like := false
		for _, r := range it.Value() {
			like = like || unicode.IsLetter(r) || unicode.IsDigit(r)
		}
		list = append(list, [2]any{it.Value(), like})
	}
	return list
}
