package fuzzy_test

import (
	"bufio"
	"math"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/fuzzy"
)

// TestScoresAreThoseOfPi compares scores, so that lists are in the same order. The records are
// answers of Pi's library, beside those of its functions for text.
func TestScoresAreThoseOfPi(t *testing.T) {
	file, err := os.Open("../term/width/testdata/pi.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	compared := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var parts []jsontext.Value
		if err := json.Unmarshal(lines.Bytes(), &parts, jsontext.AllowInvalidUTF8(true)); err != nil {
			t.Fatal(err)
		}
		if string(parts[0]) != `"fuzzyMatch"` {
			continue
		}
		var args [2]string
		var want struct {
			Matches bool    `json:"matches"`
			Score   float64 `json:"score"`
		}
		if err := json.Unmarshal(parts[1], &args); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(parts[2], &want); err != nil {
			t.Fatal(err)
		}
		compared++
		if got := fuzzy.Text(args[0], args[1]); got.OK != want.Matches || math.Abs(got.Score-want.Score) > 1e-9 {
			t.Errorf("%q in %q: got %v, want %v", args[0], args[1], got, want)
		}
	}
	if compared == 0 {
		t.Error("nothing is recorded")
	}
}

func TestWords(t *testing.T) {
	if m := fuzzy.Words("open gpt", "openai/gpt-5"); !m.OK {
		t.Error("words in order do not match")
	}
	if m := fuzzy.Words("gpt/none", "openai/gpt-5"); m.OK {
		t.Error("a word that is missing matches")
	}
}
