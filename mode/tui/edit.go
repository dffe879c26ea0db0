package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/mode/tui/editor"
)

// edit gives a key to an editor; false if it means nothing there. The keys are those of
// Emacs, as in Pi 0.85.
func edit(e *editor.Editor, k tea.KeyPressMsg) bool {
	if fn := editKeys[k.String()]; fn != nil {
		fn(e)
		return true
	}
	if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModSuper|tea.ModMeta) == 0 {
		e.Insert(k.Text)
		return true
	}
	return false
}

var editKeys = map[string]func(*editor.Editor){
	"left":            (*editor.Editor).Left,
	"ctrl+b":          (*editor.Editor).Left,
	"right":           (*editor.Editor).Right,
	"ctrl+f":          (*editor.Editor).Right,
	"home":            (*editor.Editor).Home,
	"ctrl+a":          (*editor.Editor).Home,
	"end":             (*editor.Editor).End,
	"ctrl+e":          (*editor.Editor).End,
	"alt+left":        (*editor.Editor).WordLeft,
	"ctrl+left":       (*editor.Editor).WordLeft,
	"alt+b":           (*editor.Editor).WordLeft,
	"alt+right":       (*editor.Editor).WordRight,
	"ctrl+right":      (*editor.Editor).WordRight,
	"alt+f":           (*editor.Editor).WordRight,
	"backspace":       (*editor.Editor).Backspace,
	"shift+backspace": (*editor.Editor).Backspace,
	"ctrl+h":          (*editor.Editor).Backspace,
	"delete":          (*editor.Editor).Delete,
	"ctrl+w":          (*editor.Editor).DeleteWordLeft,
	"alt+backspace":   (*editor.Editor).DeleteWordLeft,
	"ctrl+backspace":  (*editor.Editor).DeleteWordLeft,
	"alt+d":           (*editor.Editor).DeleteWordRight,
	"alt+delete":      (*editor.Editor).DeleteWordRight,
	"ctrl+u":          (*editor.Editor).DeleteToStart,
	"ctrl+k":          (*editor.Editor).DeleteToEnd,
	"ctrl+y":          (*editor.Editor).Yank,
	"ctrl+-":          (*editor.Editor).Undo,
	"ctrl+_":          (*editor.Editor).Undo,
	"space":           func(e *editor.Editor) { e.Insert(" ") },
	"shift+space":     func(e *editor.Editor) { e.Insert(" ") },
}
