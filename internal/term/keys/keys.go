// Package keys reads what a terminal sends for a key: the old sequences of xterm, rxvt and the
// Linux console, xterm's modifyOtherKeys and the kitty keyboard protocol
// (https://sw.kovidgoyal.net/kitty/keyboard-protocol/). A key has a name such as "enter",
// "shift+tab" or "ctrl+alt+x", as in Pi's keybindings.
package keys

import (
	"slices"
	"strings"
)

// Event tells what happened to a key. Only the kitty protocol reports more than presses.
type Event string

// What can happen to a key.
const (
	Press   Event = "press"
	Repeat  Event = "repeat"
	Release Event = "release"
)

// Key is one key with modifiers.
type Key struct {
	Name  string   // as written in keybindings; "" for what is no key, a paste for one
	Names []string // every name that means this key, modifiers in the order of [Canonical]
	Event Event
	Text  string // the character that the kitty protocol says is typed, if any
}

// Matches reports whether id, as written in keybindings, names this key.
func (k Key) Matches(id string) bool { return slices.Contains(k.Names, Canonical(id)) }

// modifiers in the order in which names have them.
var modifiers = []struct {
	name string
	bit  int
}{{"shift+", 1}, {"ctrl+", 4}, {"alt+", 2}, {"super+", 8}}

// locks are the bits of caps lock and num lock, which change no key's name.
const locks = 64 | 128

// Canonical returns id with its modifiers in a fixed order and without synonyms.
func Canonical(id string) string {
	bits := 0
	id = strings.ToLower(id)
	for rest := true; rest; {
		rest = false
		for _, m := range modifiers {
			if after, ok := strings.CutPrefix(id, m.name); ok && after != "" {
				id, rest = after, true
				bits |= m.bit
			}
		}
	}
	switch id {
	case "esc":
		id = "escape"
	case "return":
		id = "enter"
	}
	return withModifiers(bits, id)
}

// withModifiers writes a name; camel case of the page keys is kept out of it.
func withModifiers(bits int, base string) string {
	var b strings.Builder
	for _, m := range modifiers {
		if bits&m.bit != 0 {
			b.WriteString(m.name)
		}
	}
	return b.String() + base
}

// display returns a canonical name as it is written for users.
func display(name string) string {
	name = strings.Replace(name, "pageup", "pageUp", 1)
	return strings.Replace(name, "pagedown", "pageDown", 1)
}

// Parse reads the data of one key press, as it came from the terminal. kitty tells that the
// terminal speaks the kitty protocol, in which a few old sequences mean other keys.
func Parse(data string, kitty bool) Key {
	if k, ok := parseEscape(data); ok {
		return k
	}
	names := legacy(data, kitty)
	if len(names) == 0 {
		return Key{Event: Press}
	}
	k := Key{Name: display(names[0]), Event: Press}
	for _, n := range names {
		k.Names = append(k.Names, Canonical(n))
	}
	if len(data) == 1 && data[0] >= 'A' && data[0] <= 'Z' {
		k.Name = data
	}
	return k
}
