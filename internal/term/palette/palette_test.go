package palette_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/internal/term/palette"
)

// file writes a theme with every colour that a file must have.
func file(t *testing.T, name, colour string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"name": "` + name + `", "vars": {"a": "b", "b": "#010203", "x": "y", "y": "x"}, "colors": {"accent": ` + colour)
	own := palette.Own("")
	for _, m := range []map[string]palette.Colour{own.Fg, own.Bg} {
		for n := range m {
			if n != "accent" && n != "thinkingMax" {
				b.WriteString(`, "` + n + `": 7`)
			}
		}
	}
	b.WriteString("}}")
	path := filepath.Join(t.TempDir(), name+".json")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	p, err := palette.Read(file(t, "mine", `"a"`))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Fg["accent"]; got.Hex != "#010203" {
		t.Errorf("a variable of a variable is %+v", got)
	}
	if got := p.Bg["selectedBg"]; !got.Indexed || got.Index != 7 {
		t.Errorf("a number is %+v", got)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for colour, want := range map[string]string{`"x"`: "circle", `"nope"`: "nope", `300`: "255", `true`: "neither"} {
		_, err := palette.Read(file(t, "bad", colour))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "accent") {
			t.Errorf("%s: %v, want a word on %s", colour, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "t.json")
	if err := os.WriteFile(path, []byte(`{"name": "t", "colors": {"accent": 1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := palette.Read(path); err == nil || !strings.Contains(err.Error(), "borderMuted") {
		t.Errorf("missing colours: %v", err)
	}
}

func TestLoad(t *testing.T) {
	path := file(t, "mine", `""`)
	for _, name := range []string{"", "dark", "light", "mine"} {
		if _, err := palette.Load(name, t.TempDir(), filepath.Dir(path)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"nope", "../mine"} {
		if _, err := palette.Load(name, filepath.Dir(path)); !errors.Is(err, palette.ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
