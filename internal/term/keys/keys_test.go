package keys_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/internal/term/keys"
)

func ExampleParse() {
	k := keys.Parse("\x1b[1;6D", false)
	fmt.Println(k.Name, k.Matches("ctrl+shift+left"))
	// Output: shift+ctrl+left true
}

// beyond are sequences that Pi does not name and we do.
var beyond = []string{"\x1b[1~", "\x1b[4~", "\x1b[1;5P", "\x1b[1;2P", "\x1b[15;2~", "\x1b[27;5;97~x"}

// sameInKitty are old sequences that we also name when the kitty protocol is on: they cannot
// mean anything else, and terminals behind a multiplexer send them.
func sameInKitty(data string) bool {
	return len(data) == 2 && data[0] == 0x1b && data[1] != '\r' || data == "\x00"
}

// TestSameAsPi compares with the recorded answers of Pi's library, testdata/pi.jsonl: a line
// is [kitty, data, name, every matching id, release, repeat, typed character].
func TestSameAsPi(t *testing.T) {
	file, err := os.Open("testdata/pi.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var raw [7]jsontext.Value
		if err := json.Unmarshal(lines.Bytes(), &raw); err != nil {
			t.Fatal(err)
		}
		var kitty, release, repeat bool
		var data, name, typed string
		var ids []string
		for i, into := range []any{&kitty, &data, &name, &ids, &release, &repeat, &typed} {
			if err := json.Unmarshal(raw[i], into); err != nil {
				t.Fatal(err)
			}
		}
		if slices.Contains(beyond, data) || kitty && sameInKitty(data) {
			continue
		}
		k := keys.Parse(data, kitty)
		want := keys.Key{Name: name, Event: keys.Press}
		for _, id := range ids {
			want.Names = append(want.Names, keys.Canonical(id))
		}
		switch {
		case release:
			want.Event = keys.Release
		case repeat:
			want.Event = keys.Repeat
		}
		if typed != "\x7f" && typed < "\ue000" { // names of keys without a character
			want.Text = typed
		}
		sort := cmp.Transformer("sorted", func(s []string) []string { return slices.Sorted(slices.Values(s)) })
		if diff := cmp.Diff(want, k, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Names" }, sort)); diff != "" {
			t.Errorf("%q kitty=%v: %s", data, kitty, diff)
		}
	}
	if n < 200 {
		t.Errorf("%d records", n)
	}
}

func TestCanonical(t *testing.T) {
	for id, want := range map[string]string{
		"alt+Ctrl+X": "ctrl+alt+x", "esc": "escape", "shift+return": "shift+enter", "pageUp": "pageup",
		"ctrl++": "ctrl++", "+": "+", "super+shift+k": "shift+super+k",
	} {
		if got := keys.Canonical(id); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", "\x1b[97;5u", "\x1b[1;1:3A", "\x1b[27;2;13~", "\x1bOa", "\x1b[3$", "\x1b["} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, data string, kitty bool) {
		k := keys.Parse(data, kitty)
		if k.Name != "" && len(k.Names) == 0 {
			t.Errorf("%q: a name, %q, that matches nothing", data, k.Name)
		}
	})
}
