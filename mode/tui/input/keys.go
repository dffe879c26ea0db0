// Package input is how a user writes at the terminal: which keys do what, how keys are
// encoded for the components of extensions, and the box of the editor with its completion. It
// knows the text and the keys, neither a session nor the screen.
package input

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/keys"
)

// bindings are the keys of the actions that components ask about, with the names of Pi 0.85.
var bindings = map[string][]string{
	"tui.editor.cursorUp":           {"up"},
	"tui.editor.cursorDown":         {"down"},
	"tui.editor.cursorLeft":         {"left", "ctrl+b"},
	"tui.editor.cursorRight":        {"right", "ctrl+f"},
	"tui.editor.cursorWordLeft":     {"alt+left", "ctrl+left", "alt+b"},
	"tui.editor.cursorWordRight":    {"alt+right", "ctrl+right", "alt+f"},
	"tui.editor.cursorLineStart":    {"home", "ctrl+a"},
	"tui.editor.cursorLineEnd":      {"end", "ctrl+e"},
	"tui.editor.deleteCharBackward": {"backspace", "ctrl+h"},
	"tui.editor.deleteCharForward":  {"delete"},
	"tui.editor.deleteWordBackward": {"ctrl+w", "alt+backspace"},
	"tui.editor.deleteWordForward":  {"alt+d", "alt+delete"},
	"tui.editor.deleteToLineStart":  {"ctrl+u"},
	"tui.editor.deleteToLineEnd":    {"ctrl+k"},
	"tui.editor.yank":               {"ctrl+y"},
	"tui.editor.undo":               {"ctrl+-"},
	"tui.input.newLine":             {"shift+enter", "ctrl+j"},
	"tui.input.submit":              {"enter"},
	"tui.input.tab":                 {"tab"},
	"tui.altScreen.pageUp":          {"pageUp"},
	"tui.altScreen.pageDown":        {"pageDown"},
	"tui.altScreen.halfPageUp":      {},
	"tui.altScreen.halfPageDown":    {},
	"tui.altScreen.lineUp":          {},
	"tui.altScreen.lineDown":        {},
	"tui.altScreen.previousPrompt":  {"ctrl+shift+up", "ctrl+up"},
	"tui.altScreen.nextPrompt":      {"ctrl+shift+down", "ctrl+down"},
	"tui.altScreen.top":             {"home"},
	"tui.altScreen.bottom":          {"end"},
	"tui.select.up":                 {"up"},
	"tui.select.down":               {"down"},
	"tui.select.pageUp":             {"pageUp"},
	"tui.select.pageDown":           {"pageDown"},
	"tui.select.confirm":            {"enter"},
	"tui.select.cancel":             {"escape", "ctrl+c"},
	"app.interrupt":                 {"escape"},
	"app.clear":                     {"ctrl+c"},
	"app.exit":                      {"ctrl+d"},
	"app.suspend":                   {"ctrl+z"},
	"app.thinking.cycle":            {"shift+tab"},
	"app.thinking.toggle":           {"ctrl+t"},
	"app.model.cycleForward":        {"ctrl+p"},
	"app.model.cycleBackward":       {"shift+ctrl+p"},
	"app.model.select":              {"ctrl+l"},
	"app.tools.expand":              {"ctrl+o"},
	"app.editor.external":           {"ctrl+g"},
	"app.message.followUp":          {"alt+enter"},
	"app.message.dequeue":           {"alt+up"},
	"app.message.copy":              {"ctrl+x"},
}

// Keys are which keys do what.
type Keys struct {
	actions map[string][]string // keys by action
	app     map[string]string   // actions by key: those of the terminal
	editing map[string]string   // those of the text
	scroll  map[string]string   // and those of the conversation, in full screen
}

// NewKeys returns the usual keys, changed as a user wants: an action without keys has none.
// Unknown actions are returned.
func NewKeys(changes map[string][]string) (k *Keys, unknown []string) {
	k = &Keys{actions: maps.Clone(bindings), app: make(map[string]string), editing: make(map[string]string), scroll: make(map[string]string)}
	for _, action := range slices.Sorted(maps.Keys(changes)) {
		if _, ok := bindings[action]; !ok {
			unknown = append(unknown, action)
			continue
		}
		k.actions[action] = changes[action]
	}
	for _, action := range slices.Sorted(maps.Keys(k.actions)) {
		table := k.app
		if strings.HasPrefix(action, "tui.editor.") {
			table = k.editing
		}
		if strings.HasPrefix(action, "tui.altScreen.") {
			table = k.scroll
		}
		if strings.HasPrefix(action, "tui.select.") {
			continue
		}
		for _, key := range k.actions[action] {
			if name := keys.Canonical(key); table[name] == "" || changes[action] != nil {
				table[name] = action
			}
		}
	}
	return k, unknown
}

// Matches implements [extension.Keybindings].
func (k *Keys) Matches(data, action string) bool {
	key := keys.Parse(data, false)
	return slices.ContainsFunc(k.actions[action], key.Matches)
}

// Keys implements [extension.Keybindings].
func (k *Keys) Keys(action string) []string { return slices.Clone(k.actions[action]) }

// Action returns what a key does in the terminal; empty if nothing.
func (k *Keys) Action(key tea.KeyPressMsg) string { return action(k.app, key) }

// Scroll returns what a key does with the conversation in full screen; empty if nothing.
func (k *Keys) Scroll(key tea.KeyPressMsg) string { return action(k.scroll, key) }

// action returns what a key does, in one of the tables; empty if nothing.
func action(table map[string]string, k tea.KeyPressMsg) string {
	for _, name := range names(k) {
		if action := table[name]; action != "" {
			return action
		}
	}
	return ""
}

// Named reports whether a key has a name, as in keybindings.
func Named(k tea.KeyPressMsg, name string) bool {
	return slices.Contains(names(k), keys.Canonical(name))
}

// other are keys that the library names in another way than keybindings do.
var other = map[string]string{"esc": "escape", "pgup": "pageUp", "pgdown": "pageDown", "kpenter": "enter", "return": "enter"}

// names are what keybindings may call a key.
func names(k tea.KeyPressMsg) []string {
	stroke := k.Key().Keystroke()
	at := strings.LastIndexByte(strings.TrimSuffix(stroke, "+"), '+') + 1
	if name := other[stroke[at:]]; name != "" {
		stroke = stroke[:at] + name
	}
	all := []string{keys.Canonical(stroke)}
	if stroke == "ctrl+_" { // one byte stands for both
		all = append(all, keys.Canonical("ctrl+-"))
	}
	return all
}
