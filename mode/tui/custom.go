package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
)

// customModal shows a component in the place of the editor.
type customModal struct {
	h       *hosted
	dropped func()
}

func (m *customModal) draw(a *app, width, height int) ([]string, int, int) {
	lines := m.h.draw(width, a.height)
	lines = lines[max(len(lines)-height, 0):] // what is too tall for the screen shows its end
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = a.foreignCut(l, width)
	}
	return out, -1, 0
}

func (m *customModal) key(_ *app, k tea.KeyPressMsg) { m.h.input(encode(k)) }

func (m *customModal) paste(_ *app, s string) { m.h.input(pasted(s)) }

func (m *customModal) cancel(*app) { m.dropped() }

// componentScreen is the terminal, for a component.
type componentScreen struct {
	u *UI
	h *hosted
}

// RequestRender implements [extension.Screen].
func (s *componentScreen) RequestRender(full bool) {
	if full {
		s.u.t.later(func(a *app) { a.redraw = max(a.redraw, redrawScreen) })
	}
	s.h.changed()
}

// Size implements [extension.Screen].
func (s *componentScreen) Size() (columns, rows int) { return s.u.t.size() }

// SetFocus implements [extension.Screen]: a component that is shown has what is typed.
func (s *componentScreen) SetFocus(extension.Component) { s.h.focus(true) }

// ShowOverlay implements [extension.Screen].
func (s *componentScreen) ShowOverlay(c extension.Component, opts *extension.OverlayOptions) extension.Overlay {
	h := &hosted{t: s.u.t, c: c, stale: true}
	o := s.u.newOverlay(h, func() *extension.OverlayOptions { return opts }, h.dispose)
	s.u.t.later(func(a *app) { a.showOverlay(o) })
	return o
}

// Stop gives the terminal to another program.
func (s *componentScreen) Stop() {
	s.u.t.wait(func(a *app) {
		a.leave()
		a.fail(a.prog.ReleaseTerminal()) // it reads no keys
	})
}

// Start takes the terminal back.
func (s *componentScreen) Start() {
	s.u.t.wait(func(a *app) {
		a.fail(a.prog.RestoreTerminal())
		a.enter()
	})
}
