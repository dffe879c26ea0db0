package extui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/view"
)

// customEditor is an editor of an extension, in the place of the terminal's own.
type customEditor struct {
	h *hosted
	e extension.EditorComponent // once it is made; it belongs to the component's goroutine
	// given is the text of the terminal's own editor when both had the same. It belongs to the
	// model.
	given string
}

// SetEditorComponent implements [extension.UI].
func (u *editing) SetEditorComponent(factory extension.EditorFactory) {
	var made *customEditor
	if factory != nil {
		made = u.makeEditor(factory)
	}
	u.mu.Lock()
	u.factory = factory
	u.mu.Unlock()
	u.replace(made)
}

func (u *editing) makeEditor(factory extension.EditorFactory) *customEditor {
	text := u.EditorText()
	made := &customEditor{given: text}
	made.h = u.on.host(func(h *hosted) extension.Component {
		e := factory(&componentScreen{on: u.on, h: h}, u.on.colours(), u.on.keybindings())
		if e == nil {
			return nil
		}
		u.connect(made, h, e)
		e.SetText(text)
		e.SetAutocompleteProvider(u.completer())
		if f, ok := e.(extension.Focuser); ok {
			f.SetFocused(true)
		}
		made.e = e
		return e
	})
	return made
}

// connect tells the model what is written in the editor of an extension, and sent.
func (u *editing) connect(made *customEditor, h *hosted, e extension.EditorComponent) {
	e.OnSubmit(func(s string) {
		u.on.later(func(m Model) {
			m.Input().Editor.Set(s)
			m.Submit()
			made.given = ""
		})
		h.with(func(extension.Component) {
			e.AddToHistory(s)
			if e.Text() == s { // it has not emptied itself, and nothing was typed since
				e.SetText("")
			}
		})
	})
	e.OnChange(func(s string) {
		u.on.later(func(m Model) {
			m.Input().Editor.Set(s)
			made.given = m.Input().Editor.Value()
		})
	})
}

// replace puts an editor, or nil for the terminal's own, in the place of the one before.
func (u *editing) replace(e *customEditor) {
	u.on.mu.Lock()
	before := u.on.editor
	u.on.editor = e
	u.on.mu.Unlock()
	if before != nil {
		before.h.Dispose()
	}
	u.on.loop.Refresh()
}

// EditorComponent implements [extension.UI].
func (u *editing) EditorComponent() extension.EditorFactory {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.factory
}

// update does something with the editor of an extension, if there is one.
func (u *editing) update(fn func(extension.EditorComponent)) {
	if e := u.on.customEditor(); e != nil {
		e.h.with(func(extension.Component) { fn(e.e) })
		e.h.changed()
	}
}

// HasEditor reports whether an extension has put an editor in the place of the terminal's own.
func (u *editing) HasEditor() bool { return u.on.customEditor() != nil }

// EditorKey gives a key to the editor of an extension; false if there is none.
func (u *editing) EditorKey(k tea.KeyPressMsg) bool {
	e := u.on.customEditor()
	if e != nil {
		e.h.input(input.Encode(k))
	}
	return e != nil
}

// DrawEditor draws the editor of an extension in at most room lines; false if there is none.
func (u *editing) DrawEditor(p *view.Painter, room int) (lines []string, ok bool) {
	e := u.on.customEditor()
	if e == nil {
		return nil, false
	}
	for _, l := range e.h.Draw(p.Width, p.Height) {
		lines = append(lines, p.Foreign(l, p.Width))
	}
	return lines[:min(len(lines), max(room, 1))], true
}

// KeepsKey reports whether a key that means something to the terminal is for the editor of
// an extension all the same.
func (u *editing) KeepsKey(k tea.KeyPressMsg, working bool) bool {
	if !u.HasEditor() {
		return false
	}
	switch k.String() {
	case "enter", "kpenter", "shift+enter", "ctrl+j", "tab", "up", "down":
		return true
	case "esc":
		return !working
	}
	return false
}
