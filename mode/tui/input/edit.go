package input

import (
	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/mode/tui/editor"
)

// Edit gives a key to an editor; false if it means nothing there.
func (k *Keys) Edit(e *editor.Editor, key tea.KeyPressMsg) bool {
	if fn := editActions[action(k.editing, key)]; fn != nil {
		fn(e)
		return true
	}
	switch {
	case key.Code == tea.KeySpace && key.Mod&^tea.ModShift == 0:
		e.Insert(" ")
	case key.Code == tea.KeyBackspace:
		e.Backspace()
	case key.Text != "" && key.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModSuper|tea.ModMeta) == 0:
		e.Insert(key.Text)
	default:
		return false
	}
	return true
}

var editActions = map[string]func(*editor.Editor){
	"tui.editor.cursorUp":           (*editor.Editor).Up,
	"tui.editor.cursorDown":         (*editor.Editor).Down,
	"tui.editor.cursorLeft":         (*editor.Editor).Left,
	"tui.editor.cursorRight":        (*editor.Editor).Right,
	"tui.editor.cursorWordLeft":     (*editor.Editor).WordLeft,
	"tui.editor.cursorWordRight":    (*editor.Editor).WordRight,
	"tui.editor.cursorLineStart":    (*editor.Editor).Home,
	"tui.editor.cursorLineEnd":      (*editor.Editor).End,
	"tui.editor.deleteCharBackward": (*editor.Editor).Backspace,
	"tui.editor.deleteCharForward":  (*editor.Editor).Delete,
	"tui.editor.deleteWordBackward": (*editor.Editor).DeleteWordLeft,
	"tui.editor.deleteWordForward":  (*editor.Editor).DeleteWordRight,
	"tui.editor.deleteToLineStart":  (*editor.Editor).DeleteToStart,
	"tui.editor.deleteToLineEnd":    (*editor.Editor).DeleteToEnd,
	"tui.editor.yank":               (*editor.Editor).Yank,
	"tui.editor.undo":               (*editor.Editor).Undo,
}
