package view

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var reference = regexp.MustCompile("\x1b_rondo;[0-9]+;[0-9]+\x1b\\\\")

var sgrOnly = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// FuzzColoured: whatever an extension draws, only text and colours reach the terminal.
func FuzzColoured(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m\x1b]0;title\a\x1b[2J\t\u009b31m")
	f.Fuzz(func(t *testing.T, s string) {
		got := Coloured(s)
		got = reference.ReplaceAllString(got, "")
		if rest := sgrOnly.ReplaceAllString(got, ""); strings.IndexFunc(rest, unicode.IsControl) >= 0 {
			t.Errorf("%q became %q", s, got)
		}
	})
}
