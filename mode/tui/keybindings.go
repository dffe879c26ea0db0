package tui

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

// NewKeys returns the usual keys, changed as a person wants: an action without keys has none.
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

// action returns what a key does, in one of the tables; empty if nothing.
func action(table map[string]string, k tea.KeyPressMsg) string {
	for _, name := range names(k) {
		if action := table[name]; action != "" {
			return action
		}
	}
	return ""
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

// sequences are what terminals send for keys without modifiers.
var sequences = map[rune]string{
	tea.KeyUp: "\x1b[A", tea.KeyDown: "\x1b[B", tea.KeyRight: "\x1b[C", tea.KeyLeft: "\x1b[D",
	tea.KeyHome: "\x1b[H", tea.KeyEnd: "\x1b[F", tea.KeyInsert: "\x1b[2~", tea.KeyDelete: "\x1b[3~",
	tea.KeyPgUp: "\x1b[5~", tea.KeyPgDown: "\x1b[6~",
	tea.KeyF1: "\x1bOP", tea.KeyF2: "\x1bOQ", tea.KeyF3: "\x1bOR", tea.KeyF4: "\x1bOS",
	tea.KeyF5: "\x1b[15~", tea.KeyF6: "\x1b[17~", tea.KeyF7: "\x1b[18~", tea.KeyF8: "\x1b[19~",
	tea.KeyF9: "\x1b[20~", tea.KeyF10: "\x1b[21~", tea.KeyF11: "\x1b[23~", tea.KeyF12: "\x1b[24~",
	tea.KeyEnter: "\r", tea.KeyKpEnter: "\r", tea.KeyTab: "\t", tea.KeyEscape: "\x1b", tea.KeyBackspace: "\x7f", tea.KeySpace: " ",
}

// control is what terminals send for ctrl and a sign.
var control = map[rune]string{'_': "\x1f", '-': "\x1f", '/': "\x1f", ']': "\x1d", '\\': "\x1c", '^': "\x1e", '@': "\x00"}

// encode returns what a terminal sends for a key: components of extensions read that.
func encode(k tea.KeyPressMsg) string {
	mod := k.Mod & (tea.ModShift | tea.ModAlt | tea.ModCtrl | tea.ModSuper)
	if k.Text != "" && mod&^tea.ModShift == 0 {
		return k.Text
	}
	seq, special := sequences[k.Code]
	switch {
	case special && mod == 0:
		return seq
	case k.Code == tea.KeyTab && mod == tea.ModShift:
		return "\x1b[Z"
	case special && strings.HasPrefix(seq, "\x1b") && seq != "\x1b":
		return modified(seq, mod)
	case special && mod == tea.ModAlt:
		return "\x1b" + seq
	case !special && mod == tea.ModCtrl && k.Code >= 'a' && k.Code <= 'z':
		return string(k.Code & 0x1f)
	case !special && mod == tea.ModCtrl && control[k.Code] != "":
		return control[k.Code]
	case !special && mod == tea.ModAlt && k.Code < 0x80:
		return "\x1b" + string(k.Code)
	case !special && mod == tea.ModAlt|tea.ModCtrl && k.Code >= 'a' && k.Code <= 'z':
		return "\x1b" + string(k.Code&0x1f)
	}
	code := k.Code
	if special {
		code = []rune(seq)[0]
	}
	return "\x1b[" + itoa(int(code)) + ";" + itoa(modifier(mod)) + "u" // as kitty writes all others
}

// modified adds modifiers to a sequence.
func modified(seq string, mod tea.KeyMod) string {
	m := itoa(modifier(mod))
	last := seq[len(seq)-1:]
	if rest, ok := strings.CutSuffix(seq, "~"); ok {
		return rest + ";" + m + "~"
	}
	return "\x1b[1;" + m + last
}

// modifier is how terminals write modifiers.
func modifier(mod tea.KeyMod) int {
	n := 1
	for _, m := range []struct {
		mod tea.KeyMod
		bit int
	}{{tea.ModShift, 1}, {tea.ModAlt, 2}, {tea.ModCtrl, 4}, {tea.ModSuper, 8}} {
		if mod&m.mod != 0 {
			n += m.bit
		}
	}
	return n
}

// decode makes a key of what an extension has changed it to; false if it is none.
func decode(data string) (tea.KeyPressMsg, bool) {
	for code, seq := range sequences {
		if seq == data {
			return tea.KeyPressMsg{Code: code, Text: textOf(seq)}, true
		}
	}
	runes := []rune(data)
	switch {
	case len(runes) == 1 && runes[0] < 0x20:
		return tea.KeyPressMsg{Code: runes[0] + 0x60, Mod: tea.ModCtrl}, true
	case len(runes) == 2 && runes[0] == 0x1b && runes[1] >= 0x20:
		return tea.KeyPressMsg{Code: runes[1], Mod: tea.ModAlt}, true
	case len(runes) > 0 && runes[0] >= 0x20 && runes[0] != 0x7f:
		return tea.KeyPressMsg{Code: runes[0], Text: data}, true
	}
	return tea.KeyPressMsg{}, false
}

func textOf(seq string) string {
	if seq == " " {
		return seq
	}
	return ""
}
