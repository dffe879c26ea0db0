package tui

import (
	"github.com/rondo-agent/rondo/mode/tui/command"
	"github.com/rondo-agent/rondo/mode/tui/extui"
)

// reloaded shows the session as before, drawn by what was loaded now.
func (a *app) reloaded() {
	a.drawer.ForgetAll()
	a.conv.RedrawTurn()
	a.Measure()
	if a.hint == command.Reloading { // another one is an answer to a key that was pressed meanwhile
		a.hint = ""
	}
	a.Info("Extensions, skills, templates, settings, keys and themes are loaded anew.")
	a.commands.ReportTaken()
}

// Prefer changes the preferences of a terminal, whether it runs or not.
func (t *Terminal) Prefer(p Preferences) {
	p.Complete()
	t.ui.Prefer(p)
	t.later(func(a *app) {
		themed := t.opts.Theme != p.Theme
		t.opts.Preferences = p
		a.conv.ImageWidth = p.ImageWidth
		if themed || p.Theme != "" { // its file may be another one
			a.askBackground()
			a.ApplyTheme()
		}
	})
}

// AddThemes makes more themes count, files or folders, until the preferences are others.
func (t *Terminal) AddThemes(places []string) {
	if len(places) == 0 {
		return
	}
	t.ui.AddThemes(places)
	t.later(func(a *app) {
		if t.opts.Theme != "" && a.conv.Theme.Name() != extui.Chosen(t.opts.Theme, !a.term.light) { // it was not there before
			a.ApplyTheme()
		}
	})
}
