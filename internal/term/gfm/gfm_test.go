package gfm_test

import (
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/rondo-agent/rondo/internal/term/gfm"
)

func TestParser(t *testing.T) {
	for source, want := range map[string]ast.NodeKind{
		"|a|b|\n|-|-:|\n|1|2|": new(gfm.Table).Kind(),
		"plain":                ast.KindParagraph,
	} {
		doc := gfm.Parser().Parse(text.NewReader([]byte(source)))
		if got := doc.FirstChild().Kind(); got != want {
			t.Errorf("%q: got %s, want %s", source, got, want)
		}
	}
}

func FuzzParser(f *testing.F) {
	for _, s := range []string{"|a|\n|-|\n|1|", "- [ ] a", "~~a~~", "see https://example.com.", "> - ```"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) { gfm.Parser().Parse(text.NewReader([]byte(s))) })
}
