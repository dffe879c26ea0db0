package listing_test

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/listing"
)

func TestLimit(t *testing.T) {
	for arg, want := range map[float64]int{-1: 1, 0: 1, 0.9: 1, 1: 1, 2.9: 2, 1e300: math.MaxInt32} {
		if got := listing.Limit(&arg, 100); got != want {
			t.Errorf("Limit(%v) = %d, want %d", arg, got, want)
		}
	}
	if got := listing.Limit(nil, 100); got != 100 {
		t.Errorf("Limit(nil) = %d", got)
	}
}

func TestPlace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a b.txt")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": dir, ".": dir, "a b.txt": file, "@a\u00a0b.txt": file, file: file} {
		if got, _, err := listing.Place(t.Context(), host.Local, dir, name); got != want || err != nil {
			t.Errorf("Place(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, _, err := listing.Place(t.Context(), host.Local, dir, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := listing.Folder(t.Context(), host.Local, dir, "a b.txt"); err == nil {
		t.Error("a file is a folder")
	}
	if _, err := listing.Folder(t.Context(), host.Local, dir, ""); err != nil {
		t.Error(err)
	}
}

func TestOutput(t *testing.T) {
	var out listing.Output
	if text, cut := out.Text("(nothing)"); text != "(nothing)" || cut != nil {
		t.Errorf("empty: %q, %v", text, cut)
	}
	out.Line("a", ":", "b\xff")
	out.Line("c")
	out.Notice("There are %d more", 3)
	out.Notice("Be patient")
	if text, cut := out.Text("(nothing)"); text != "a:b\ufffd\nc\n\n[There are 3 more. Be patient]" || cut != nil {
		t.Errorf("two lines: %q, %v", text, cut)
	}
}

func TestOutputIsCutBetweenLines(t *testing.T) {
	var out listing.Output
	for !out.Full() {
		out.Line(strings.Repeat("😀", 30))
	}
	text, cut := out.Text("")
	if cut == nil || !utf8.ValidString(text) || len(text) > 51<<10 || !strings.HasSuffix(text, "\n\n[Output stops at 50.0KB]") {
		t.Errorf("%d bytes, %.30q…", len(text), text)
	}
}
