package markdown_test

import (
	"strings"
	"testing"
)

// hostile are texts that a parser may take too long for.
func hostile(n int) map[string]string {
	return map[string]string{
		"brackets": strings.Repeat("[", n),
		"links":    strings.Repeat("[a](", n/4),
		"images":   strings.Repeat("![", n/2),
		"stars":    strings.Repeat("**a*", n/4),
		"ticks":    strings.Repeat("`a", n/2),
		"quotes":   strings.Repeat("> ", n/2),
		"lists":    strings.Repeat("- ", n/2),
		"comments": strings.Repeat("<!--", n/4),
		"entities": strings.Repeat("&", n),
		"table":    strings.Repeat("|a", n/4) + "\n" + strings.Repeat("|-", n/4) + "\n",
		"word":     strings.Repeat("x", n),
		"han":      strings.Repeat("漢", n/3),
		"refs":     strings.Repeat("[a]: b\n", n/7),
		"mails":    strings.Repeat("a@", n/2),
		"marks":    strings.Repeat("e\u0301", n/3),
	}
}

// TestHostile would not end for hours if one of these took time that grows with its square.
func TestHostile(t *testing.T) {
	for name, src := range hostile(500_000) {
		if got := render(src, 80); name != "refs" && got == "" {
			t.Errorf("%s is not shown", name)
		}
	}
}

func BenchmarkLines_Hostile(b *testing.B) {
	for name, src := range hostile(20_000) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				render(src, 80)
			}
		})
	}
}
