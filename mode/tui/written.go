package tui

import (
	"strings"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
)

// pasteLimit bounds how long the text is waited for that a paste has just changed.
const pasteLimit = time.Second

// SetEditorText implements [extension.UI].
func (u *UI) SetEditorText(s string) {
	s = text.Clean(strings.ReplaceAll(s, "\r\n", "\n"))
	e := u.customEditor()
	u.promise(&u.writes, func() { u.written = s }, func(a *app) {
		a.editor.Set(s)
		if e != nil { // it knows already
			e.given = a.editor.Value()
		}
	})
	u.tellEditor(func(e extension.EditorComponent) { e.SetText(s) })
}

// PasteToEditor implements [extension.UI]. Where the cursor is, and what becomes of a paste, is
// known to the editor alone.
func (u *UI) PasteToEditor(s string) {
	done := make(chan struct{})
	u.mu.Lock()
	u.pasted = done
	u.mu.Unlock()
	var begun bool
	if e := u.customEditor(); e != nil {
		begun = e.h.do(func() {
			defer close(done)
			if e.e == nil {
				return
			}
			e.e.HandleInput(pasted(s))
			now := e.e.ExpandedText()
			u.promise(&u.writes, func() { u.written = now }, func(*app) {}) // the model hears of it by OnChange before
			e.h.changed()
		})
	} else {
		begun = u.t.later(func(a *app) {
			defer close(done)
			a.editor.Paste(s)
			u.change(func() {
				if u.writes == 0 { // or else the text is another one again
					u.written = a.editor.Text()
				}
			})
		})
	}
	if !begun {
		close(done)
	}
}

// EditorText implements [extension.UI].
func (u *UI) EditorText() string {
	u.mu.Lock()
	pasted := u.pasted
	u.mu.Unlock()
	if pasted != nil {
		select {
		case <-pasted:
		case <-u.t.stopped():
		case <-time.After(pasteLimit): // the editor of an extension is stuck, or it asks itself
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.written
}
