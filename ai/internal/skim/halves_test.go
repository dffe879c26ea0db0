package skim_test

import (
	"testing"

	"github.com/rondo-agent/rondo/ai/internal/skim"
)

func TestPiecesOfACharacterAreJoined(t *testing.T) {
	tests := []struct {
		name   string
		pieces []string // JSON strings
		want   string
		held   bool // at the end
	}{
		{"whole", []string{`"a \ud83d\ude00"`, `" b"`}, "a 😀 b", false},
		{"cut", []string{`"a \ud83d"`, `"\ude00 b"`}, "a 😀 b", false},
		{"capitals", []string{`"\uD83D"`, `"\uDE00"`}, "😀", false},
		{"nothing between", []string{`"\ud83d"`, `""`, `"\ude00"`}, "😀", false},
		{"twice", []string{`"\ud83d"`, `"\ude00\ud83d"`, `"\ude01"`}, "😀😁", false},
		{"first half alone", []string{`"a\ud83d"`, `"b"`}, "a\uFFFDb", false},
		{"second half alone", []string{`"a"`, `"\ude00b"`}, "a\uFFFDb", false},
		{"first half twice", []string{`"\ud83d"`, `"\ud83d"`, `"\ude00"`}, "\uFFFD😀", false},
		{"in the middle", []string{`"a\ud83db\ude00c"`}, "a\uFFFDb\uFFFDc", false},
		{"at the end", []string{`"a"`, `"\ud83d"`}, "a", true},
		{"an escaped backslash", []string{`"\\ud83d"`, `"\ude00"`}, "\\ud83d\uFFFD", false},
		{"two escaped backslashes", []string{`"\\\\\ud83d"`, `"\ude00"`}, `\\` + "😀", false},
		{"Korean, which begins with the same byte", []string{`"\uD55C한"`, `"글\ud83d"`, `"\ude00"`}, "한한글😀", false},
		{"other characters", []string{`"é\ud7ff"`, `"\ue000"`}, "é\ud7ff\ue000", false},
		{"bytes that are no UTF-8", []string{"\"\xff\\ud83d\"", "\"\\ude00\xed\xa0\""}, "\uFFFD😀\uFFFD\uFFFD", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got, held string
			for _, raw := range test.pieces {
				var text string
				text, held = skim.Join(held, skim.UnquotePiece([]byte(raw)))
				got += text
			}
			if got != test.want || (held != "") != test.held {
				t.Errorf("got %q and held %q, want %q", got, held, test.want)
			}
		})
	}
}
