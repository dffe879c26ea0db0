package text_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/width"
)

// TestLaw_OneWidth: on a terminal that takes the code points of a character together, styled text and
// the text of extensions, which has its escape sequences inside, are as wide as each other.
func TestLaw_OneWidth(t *testing.T) {
	parts := []string{"a", "word ", "日本", "👍🏽", "e\u0301", "👨‍👩‍👧", "❤️", "🇩🇪", "ｶﾞ", "한글", "\u200b", "½", "─", "🖼", "①"}
	rapid.Check(t, func(t *rapid.T) {
		s := text.Clean(strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "") + rapid.String().Draw(t, "any"))
		for line := range strings.SplitSeq(s, "\n") {
			if spans, sequences := text.Width(line, ansi.GraphemeWidth), width.Of(line); spans != sequences {
				t.Fatalf("%q takes %d cells as styled text and %d with sequences", line, spans, sequences)
			}
		}
	})
}
