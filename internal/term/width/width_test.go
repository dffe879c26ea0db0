package width_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rondo-agent/rondo/internal/term/width"
)

func ExampleWrap() {
	for _, line := range width.Wrap("\x1b[31mred words\x1b[0m", 5) {
		fmt.Printf("%q\n", line)
	}
	// Output:
	// "\x1b[31mred"
	// "\x1b[31mwords\x1b[0m"
}

func ExampleTruncate() {
	fmt.Printf("%q\n", width.Truncate("Hello World", 8, "…", false))
	// Output: "Hello W\x1b[0m…\x1b[0m"
}

func ExampleSlice() {
	fmt.Printf("%q\n", width.Slice("Hello \x1b[1mWorld", 4, 5, true))
	// Output: "o \x1b[1mWor"
}

func ExampleOf() {
	fmt.Println(width.Of("a\t日本👨‍👩‍👧"))
	// Output: 10
}

var styled = rapid.Custom(func(t *rapid.T) string {
	parts := []string{"a", "word", " ", "日本", "👍🏽", "e\u0301", "\t", "\x1b[31m", "\x1b[0m", "\x1b[4m", "\x1b]8;;u\x1b\\", "\x1b]8;;\x1b\\", "\x1b_pi:c\x07", "\x1b[?25l", "\x1b", "\xff", "\n"}
	return strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "")
})

func TestPaddingIsNotSwallowed(t *testing.T) {
	for _, s := range []string{"\x1b", "a\x1b[31", "\x1b]8;;u", "\x1b_pi:c\x07", "a\x1b[0m"} {
		if w := width.Of(width.Truncate(s, 5, "", true)); w != 5 {
			t.Errorf("%q is padded to %d columns", s, w)
		}
	}
}

// TestLaw_WidthHolds checks what callers rely on: no line is wider than asked, and nothing
// that is shown is lost but spaces.
func TestLaw_WidthHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := styled.Draw(t, "s")
		columns := rapid.IntRange(3, 12).Draw(t, "columns")
		lines := width.Wrap(s, columns)
		for _, line := range lines {
			if w := width.Of(line); w > columns {
				t.Fatalf("%q is %d columns wide, want at most %d", line, w, columns)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(width.Strip(s)), "") }
		if got, want := squeeze(strings.Join(lines, "\n")), squeeze(s); got != want {
			t.Fatalf("wrapped text is %q, want %q", got, want)
		}
		if w := width.Of(width.Truncate(s, columns, "…", true)); w != columns && !strings.Contains(s, "\n") {
			t.Fatalf("truncated and padded to %d columns, want %d", w, columns)
		}
		if w := width.Of(width.Slice(s, 1, columns, true)); w > columns {
			t.Fatalf("a slice is %d columns wide, want at most %d", w, columns)
		}
	})
}

func FuzzWrap(f *testing.F) {
	f.Add("a \x1b[31mb", 2)
	f.Add("\x1b]8;;", 1)
	f.Fuzz(func(t *testing.T, s string, columns int) {
		width.Wrap(s, columns%100)
		width.Truncate(s, columns%100, "...", true)
		width.Slice(s, columns%10, 5, false)
	})
}

func BenchmarkWrap(b *testing.B) {
	s := strings.Repeat("\x1b[31mSome words\x1b[0m that are wrapped. ", 10)
	for b.Loop() {
		width.Wrap(s, 80)
	}
}
