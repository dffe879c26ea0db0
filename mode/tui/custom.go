package tui

import (
	"context"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
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

func (m *customModal) key(_ *app, k tea.KeyPressMsg) { m.input(encode(k)) }

func (m *customModal) input(data string) { m.h.input(data) }

func (m *customModal) paste(_ *app, s string) { m.input(pasted(s)) }

func (m *customModal) cancel(*app) { m.dropped() }

func (m *customModal) focused(on bool) {
	m.h.focus(on)
	m.h.changed()
}

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

// SetFocus implements [extension.Screen].
func (s *componentScreen) SetFocus(c extension.Component) {
	s.u.layers.Give(s.u.target(s.h, c))
	s.u.t.refresh()
}

// ShowOverlay implements [extension.Screen].
func (s *componentScreen) ShowOverlay(c extension.Component, opts *extension.OverlayOptions) extension.Overlay {
	h := &hosted{t: s.u.t, c: c, stale: true}
	return s.u.showOverlay(h, func() *extension.OverlayOptions { return opts }, h.dispose)
}

// HideOverlay implements [extension.Screen].
func (s *componentScreen) HideOverlay() {
	if l := s.u.layers.HideTop(); l != nil {
		s.u.t.refresh()
		l.Target().(*overlay).dropped()
	}
}

// HasOverlay implements [extension.Screen].
func (s *componentScreen) HasOverlay() bool {
	return slices.ContainsFunc(s.u.layers.Layers(), s.u.layers.Seen)
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

// pasted is what a terminal sends for a paste.
func pasted(s string) string { return "\x1b[200~" + text.Clean(s) + "\x1b[201~" }

// Custom implements [extension.UI].
func (u *UI) Custom(ctx context.Context, factory extension.CustomFactory, opts *extension.CustomOptions) (any, bool) {
	if opts == nil {
		opts = &extension.CustomOptions{}
	}
	h := &hosted{t: u.t, stale: true}
	finished := make(chan any, 1)
	dropped := make(chan struct{})
	drop := sync.OnceFunc(func() { close(dropped) })
	var once sync.Once
	done := func(v any) { once.Do(func() { finished <- v }) }
	c, err := factory(&componentScreen{u: u, h: h}, u.Theme(), u.preferences().Keys, done)
	if err != nil || c == nil {
		if err != nil {
			u.Notify(err.Error(), "error")
		}
		return nil, false
	}
	h.c = c
	defer h.dispose()
	over, ok := u.t.ended(func(*app) {})
	if !ok {
		return nil, false
	}
	defer u.show(h, opts, drop)()
	extension.DialogShown(ctx)
	select {
	case v := <-finished:
		return v, true
	case <-dropped:
	case <-ctx.Done():
	case <-over:
	}
	return nil, false
}

// show shows a component as its options say, and returns what takes it away again.
func (u *UI) show(h *hosted, opts *extension.CustomOptions, drop func()) (hide func()) {
	if !opts.Overlay {
		m := &customModal{h: h, dropped: drop}
		u.t.later(func(a *app) { a.push(m) })
		return func() { u.t.wait(func(a *app) { a.pop(m) }) } // who has asked goes on with the editor
	}
	options := opts.OverlayOptions
	if options == nil {
		options = func() *extension.OverlayOptions { return nil }
	}
	o := u.showOverlay(h, options, drop)
	if opts.OnHandle != nil {
		go opts.OnHandle(o) // it may take the extension's own goroutine
	}
	return func() {
		u.layers.Hide(o.l)
		u.t.refresh()
	}
}
