package input

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/keys"
)

// TestEncode: components read the keys that they are given as those that were pressed.
func TestEncode(t *testing.T) {
	for want, k := range map[string]tea.KeyPressMsg{
		"a":            {Code: 'a', Text: "a"},
		"enter":        {Code: tea.KeyEnter},
		"escape":       {Code: tea.KeyEscape},
		"up":           {Code: tea.KeyUp},
		"shift+tab":    {Code: tea.KeyTab, Mod: tea.ModShift},
		"ctrl+left":    {Code: tea.KeyLeft, Mod: tea.ModCtrl},
		"ctrl+c":       {Code: 'c', Mod: tea.ModCtrl},
		"alt+b":        {Code: 'b', Mod: tea.ModAlt},
		"ctrl+alt+x":   {Code: 'x', Mod: tea.ModAlt | tea.ModCtrl},
		"ctrl+shift+p": {Code: 'p', Mod: tea.ModShift | tea.ModCtrl},
		"shift+enter":  {Code: tea.KeyEnter, Mod: tea.ModShift},
		"alt+enter":    {Code: tea.KeyEnter, Mod: tea.ModAlt},
		"pageUp":       {Code: tea.KeyPgUp},
		"delete":       {Code: tea.KeyDelete},
		"f5":           {Code: tea.KeyF5},
		"backspace":    {Code: tea.KeyBackspace},
		"space":        {Code: tea.KeySpace, Text: " "},
	} {
		data := Encode(k)
		if !keys.Parse(data, false).Matches(want) {
			t.Errorf("%s is sent as %q, which is %v", want, data, keys.Parse(data, false).Names)
		}
		if !Named(k, want) {
			t.Errorf("%s is called %v", want, names(k))
		}
	}
}
