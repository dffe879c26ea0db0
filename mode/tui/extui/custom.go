package extui

import (
	"context"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/view"
)

// customDialog shows a component in the place of the editor.
type customDialog struct {
	h       *hosted
	dropped func()
}

var _ dialog.Dialog = (*customDialog)(nil)

// Draw implements [dialog.Dialog].
func (m *customDialog) Draw(ink theme.Ink, width, height int) ([]string, int, int) {
	lines := m.h.Draw(width, height)
	lines = lines[max(len(lines)-height, 0):] // what is too tall for the screen shows its end
	out := make([]string, len(lines))
	p := view.Painter{Ink: ink}
	for i, l := range lines {
		out[i] = p.Foreign(l, width)
	}
	return out, -1, 0
}

// Key implements [dialog.Dialog]. The component itself says when it is done.
func (m *customDialog) Key(_ *input.Keys, k tea.KeyPressMsg) (then func()) {
	m.Input(input.Encode(k))
	return nil
}

// Input implements [Component].
func (m *customDialog) Input(data string) { m.h.input(data) }

// Paste implements [dialog.Dialog].
func (m *customDialog) Paste(s string) { m.Input(input.EncodePaste(s)) }

// Cancel implements [dialog.Dialog].
func (m *customDialog) Cancel() { m.dropped() }

func (m *customDialog) focused(on bool) {
	m.h.focus(on)
	m.h.changed()
}

// componentScreen is the terminal, for a component.
type componentScreen struct {
	on *stage
	h  *hosted
}

// RequestRender implements [extension.Screen].
func (s *componentScreen) RequestRender(full bool) {
	if full {
		s.on.later(func(m Model) { m.Conversation().RedrawScreen() })
	}
	s.h.changed()
}

// Size implements [extension.Screen].
func (s *componentScreen) Size() (columns, rows int) { return s.on.loop.Size() }

// SetFocus implements [extension.Screen].
func (s *componentScreen) SetFocus(c extension.Component) {
	s.on.layers.Give(s.on.target(s.h, c))
	s.on.loop.Refresh()
}

// ShowOverlay implements [extension.Screen].
func (s *componentScreen) ShowOverlay(c extension.Component, opts *extension.OverlayOptions) extension.Overlay {
	h := &hosted{on: s.on, c: c, stale: true}
	return s.on.showOverlay(h, func() *extension.OverlayOptions { return opts }, h.Dispose)
}

// HideOverlay implements [extension.Screen].
func (s *componentScreen) HideOverlay() {
	if l := s.on.layers.HideTop(); l != nil {
		s.on.loop.Refresh()
		l.Target().(*overlay).dropped()
	}
}

// HasOverlay implements [extension.Screen].
func (s *componentScreen) HasOverlay() bool {
	return slices.ContainsFunc(s.on.layers.Layers(), s.on.layers.Seen)
}

// Stop gives the terminal to another program.
func (s *componentScreen) Stop() { s.on.wait(Model.Release) }

// Start takes the terminal back.
func (s *componentScreen) Start() { s.on.wait(Model.Resume) }

// components shows components in the place of the editor, or over everything.
type components struct{ on *stage }

// Custom implements [extension.UI].
func (u *components) Custom(ctx context.Context, factory extension.CustomFactory, opts *extension.CustomOptions) (any, bool) {
	if opts == nil {
		opts = &extension.CustomOptions{}
	}
	h := &hosted{on: u.on, stale: true}
	finished := make(chan any, 1)
	dropped := make(chan struct{})
	drop := sync.OnceFunc(func() { close(dropped) })
	var once sync.Once
	done := func(v any) { once.Do(func() { finished <- v }) }
	c, err := factory(&componentScreen{on: u.on, h: h}, u.on.colours(), u.on.keybindings(), done)
	if err != nil || c == nil {
		if err != nil {
			u.on.fail(err.Error())
		}
		return nil, false
	}
	h.c = c
	defer h.Dispose()
	over, ok := u.on.loop.Later(func(Model) {})
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
func (u *components) show(h *hosted, opts *extension.CustomOptions, drop func()) (hide func()) {
	if !opts.Overlay {
		m := &customDialog{h: h, dropped: drop}
		u.on.later(func(model Model) { model.Dialogs().Push(m) })
		return func() { u.on.wait(func(model Model) { model.Dialogs().Remove(m) }) } // the caller goes on with the editor
	}
	options := opts.OverlayOptions
	if options == nil {
		options = func() *extension.OverlayOptions { return nil }
	}
	o := u.on.showOverlay(h, options, drop)
	if opts.OnHandle != nil {
		go opts.OnHandle(o) // it may take the extension's own goroutine
	}
	return func() {
		u.on.layers.Hide(o.l)
		u.on.loop.Refresh()
	}
}
