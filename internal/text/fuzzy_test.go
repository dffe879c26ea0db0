package text_test

import (
	"math"
	"testing"

	"github.com/rondo-agent/rondo/internal/text"
)

// TestFuzzySameAsPi compares scores, so that lists are in the same order.
func TestFuzzySameAsPi(t *testing.T) {
	for _, r := range records(t) {
		if r.fn != "fuzzyMatch" {
			continue
		}
		type answer struct {
			Matches bool    `json:"matches"`
			Score   float64 `json:"score"`
		}
		want := arg(t, record{args: append(r.args[:0:0], r.want)}, 0, answer{})
		query, s := arg(t, r, 0, ""), arg(t, r, 1, "")
		got := text.Fuzzy(query, s)
		if got.OK != want.Matches || math.Abs(got.Score-want.Score) > 1e-9 {
			t.Errorf("%q in %q: got %v, want %v", query, s, got, want)
		}
	}
}

func TestFuzzyAll(t *testing.T) {
	if m := text.FuzzyAll("open gpt", "openai/gpt-5"); !m.OK {
		t.Error("words in order do not match")
	}
	if m := text.FuzzyAll("gpt/none", "openai/gpt-5"); m.OK {
		t.Error("a word that is missing matches")
	}
}
