package tui

import (
	"context"
	"strconv"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/text"
)

// Custom implements [extension.UI].
func (u *UI) Custom(ctx context.Context, factory extension.CustomFactory, opts *extension.CustomOptions) (any, bool) {
	if opts == nil {
		opts = &extension.CustomOptions{}
	}
	type result struct{ v any }
	h := &hosted{t: u.t, stale: true}
	var once sync.Once
	finished := make(chan any, 1)
	done := func(v any) { once.Do(func() { finished <- v }) }
	c, err := factory(&componentScreen{u: u, h: h}, u.Theme(), u.t.opts.Keys, done)
	if err != nil || c == nil {
		if err != nil {
			u.Notify(err.Error(), "error")
		}
		return nil, false
	}
	h.c = c
	h.focus(true)
	defer h.dispose()
	answer, ok := u.ask(ctx, 0, func(answer func(any)) modal {
		m := &customModal{u: u, h: h, dropped: func() { answer(nil) }}
		if opts.Overlay {
			m.options = opts.OverlayOptions
			if m.options == nil {
				m.options = func() *extension.OverlayOptions { return nil }
			}
			if opts.OnHandle != nil {
				go opts.OnHandle(&overlay{u: u, m: m})
			}
		}
		go func() { // ends with the answer or the dialog
			select {
			case v := <-finished:
				u.t.later(func(a *app) { a.pop(m) })
				answer(result{v})
			case <-ctx.Done():
			case <-u.t.stopped():
			}
		}()
		return m
	}).(result)
	return answer.v, ok
}

// customModal shows a component in the place of the editor. An overlay stands there as well,
// as wide as it wants to be: what is above belongs to the scrollback.
type customModal struct {
	u       *UI
	h       *hosted
	options func() *extension.OverlayOptions // nil for no overlay
	dropped func()

	mu     sync.Mutex
	hidden bool
}

func (m *customModal) draw(a *app, width, height int) ([]string, int, int) {
	m.mu.Lock()
	hidden := m.hidden
	m.mu.Unlock()
	if hidden {
		return nil, -1, 0
	}
	left, most := 0, height
	inner := width
	if m.options != nil {
		left, inner, most = place(m.options(), width, height)
	}
	lines := m.h.draw(inner)
	lines = lines[:min(len(lines), most)]
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.Repeat(" ", left) + a.foreignCut(l, inner)
	}
	return out, -1, 0
}

// place says where an overlay stands: how far from the left, how wide, and at most how tall.
func place(o *extension.OverlayOptions, width, height int) (left, inner, most int) {
	inner, most = min(width, 80), height
	if o == nil {
		return (width - inner) / 2, inner, most
	}
	if w := share(o.Width, width); w > 0 {
		inner = w
	}
	inner = max(min(max(inner, o.MinWidth), width-o.Margin.Left-o.Margin.Right), 1)
	if h := share(o.MaxHeight, height); h > 0 {
		most = min(h, height)
	}
	switch {
	case strings.HasSuffix(o.Anchor, "left"):
		left = o.Margin.Left
	case strings.HasSuffix(o.Anchor, "right"):
		left = width - inner - o.Margin.Right
	default:
		left = (width - inner) / 2
	}
	if c := share(o.Col, width); c > 0 {
		left = c
	}
	return min(max(left+o.OffsetX, 0), width-inner), inner, most
}

// share reads a number of cells, or a percentage of all; 0 for neither.
func share(s string, all int) int {
	number, percent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return 0
	case percent:
		return int(n * float64(all) / 100)
	}
	return int(n)
}

func (m *customModal) key(_ *app, k tea.KeyPressMsg) { m.h.input(encode(k)) }

func (m *customModal) paste(_ *app, s string) {
	m.h.input("\x1b[200~" + text.Clean(s) + "\x1b[201~")
}

func (m *customModal) cancel(*app) { m.dropped() }

// overlay is the handle of an overlay.
type overlay struct {
	u *UI
	m *customModal
}

// Hide takes the overlay away.
func (o *overlay) Hide() {
	o.u.t.later(func(a *app) { a.pop(o.m) })
	o.m.dropped()
}

// SetHidden implements [extension.Overlay].
func (o *overlay) SetHidden(hidden bool) {
	o.m.mu.Lock()
	o.m.hidden = hidden
	o.m.mu.Unlock()
	o.u.t.later(func(a *app) {
		a.pop(o.m)
		if !hidden {
			a.push(o.m)
		}
	})
}

// IsHidden implements [extension.Overlay].
func (o *overlay) IsHidden() bool {
	o.m.mu.Lock()
	defer o.m.mu.Unlock()
	return o.m.hidden
}

// Focus brings the overlay to the top.
func (o *overlay) Focus() {
	o.u.t.later(func(a *app) {
		a.pop(o.m)
		a.push(o.m)
	})
}

// Unfocus puts the overlay below what else asks.
func (o *overlay) Unfocus() {
	o.u.t.later(func(a *app) {
		a.pop(o.m)
		a.modals = append([]modal{o.m}, a.modals...)
	})
}

// IsFocused implements [extension.Overlay].
func (o *overlay) IsFocused() bool {
	focused := make(chan bool, 1)
	if !o.u.t.later(func(a *app) { focused <- a.modal() == modal(o.m) }) {
		return false
	}
	select {
	case on := <-focused:
		return on
	case <-o.u.t.stopped():
		return false
	}
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

// SetFocus implements [extension.Screen]: a component that is shown has what is typed.
func (s *componentScreen) SetFocus(extension.Component) { s.h.focus(true) }

// ShowOverlay implements [extension.Screen].
func (s *componentScreen) ShowOverlay(c extension.Component, opts *extension.OverlayOptions) extension.Overlay {
	h := &hosted{t: s.u.t, c: c, stale: true}
	m := &customModal{u: s.u, h: h, options: func() *extension.OverlayOptions { return opts }, dropped: func() { h.dispose() }}
	s.u.t.later(func(a *app) { a.push(m) })
	return &overlay{u: s.u, m: m}
}

// Stop gives the terminal to another program.
func (s *componentScreen) Stop() { s.u.t.wait(func(a *app) { a.leave() }) }

// Start takes the terminal back.
func (s *componentScreen) Start() { s.u.t.wait(func(a *app) { a.enter() }) }
