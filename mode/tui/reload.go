package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// reloadCommand makes the session anew, with what the files say now.
func reloadCommand(a *app, _ string) tea.Cmd {
	if st := a.transcript.Status(); st.Working || st.Compacting != "" || a.bashes > 0 {
		a.hint = "something is under way: reload when it has ended, or abort it with esc"
		return nil
	}
	a.hint = "reloading"
	a.replace(func(ctx context.Context) (string, error) { return "", a.runtime.Reload(ctx) })
	return nil
}

// reloaded shows the session as before, drawn by what was loaded now.
func (a *app) reloaded() {
	for b := range a.paintings {
		a.unpaint(b)
	}
	a.redrawTurn()
	a.measureSession()
	a.hint = ""
	a.info("Extensions, skills, templates, settings, keys and themes are loaded anew.")
	a.tellTaken()
}

// Prefer changes the preferences of a terminal, whether it runs or not.
func (t *Terminal) Prefer(p Preferences) {
	p.complete()
	t.ui.mu.Lock()
	t.ui.prefs = p
	t.ui.mu.Unlock()
	t.ui.useImages(p)
	t.later(func(a *app) {
		themed := a.opts.Theme != p.Theme
		a.opts.Preferences = p
		if themed || p.Theme != "" { // its file may be another one
			a.askBackground()
			a.applyTheme()
		}
	})
}

// AddThemes makes more themes count, files or folders, until the preferences are others.
func (t *Terminal) AddThemes(places []string) {
	if len(places) == 0 {
		return
	}
	t.ui.mu.Lock()
	t.ui.prefs.Themes = append(slices.Clone(t.ui.prefs.Themes), places...)
	t.ui.mu.Unlock()
	t.later(func(a *app) {
		if a.opts.Theme != "" && a.theme.Name() != chosen(a.opts.Theme, !a.light) { // it was not there before
			a.applyTheme()
		}
	})
}

func (u *UI) preferences() Preferences {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.prefs
}

// askBackground asks the terminal for its background, if the theme depends on it.
func (a *app) askBackground() {
	if !strings.Contains(a.opts.Theme, "/") {
		return
	}
	a.term.write([]byte("\x1b]11;?\a"))
}

// reset takes away what the extensions of a session have put on the screen: another session,
// or the same with its extensions loaded anew, begins without it.
func (u *UI) reset() {
	var gone []*hosted
	u.change(func() {
		for _, w := range u.widgets {
			gone = append(gone, w.h)
		}
		gone = append(gone, u.footer)
		if u.editor != nil {
			gone = append(gone, u.editor.h)
		}
		u.widgets, u.footer, u.editor, u.factory, u.complete = nil, nil, nil, nil, nil
		u.message, u.invisible, u.spin, u.label = nil, false, nil, nil
		clear(u.statuses)
		clear(u.branches)
		clear(u.inputs)
	})
	for _, h := range gone {
		if h != nil {
			h.dispose()
		}
	}
	u.t.later(func(a *app) {
		for l := u.layers.HideTop(); l != nil; l = u.layers.HideTop() {
			l.Target().(*overlay).dropped()
		}
		for _, m := range a.modals {
			if m, ok := m.(*customModal); ok {
				m.dropped()
				a.pop(m)
			}
		}
		a.settleHeader()
		a.term.write([]byte(a.title()))
	})
}
