package tui

import (
	"sync"

	"github.com/rondo-agent/rondo/extension"
)

// hosted is a component of an extension. Its methods run one at a time on a goroutine of
// their own, and the screen shows what the component has drawn last: one that is slow, or
// stuck, holds up nothing but itself.
type hosted struct {
	t *Terminal
	// render, if set, draws the component on a screen of a size, in the place of Render.
	render func(c extension.Component, columns, rows int) []string

	mu      sync.Mutex
	c       extension.Component // nil until it is made, or if that has failed
	calls   []func()
	busy    bool // a goroutine works on calls
	lines   []string
	columns int
	rows    int
	stale   bool
	drawing bool
	closed  bool
}

// host hosts a component that make makes.
func (t *Terminal) host(create func(h *hosted) extension.Component) *hosted {
	h := &hosted{t: t, stale: true}
	h.remake(create)
	return h
}

// remake puts another component in the place of this one.
func (h *hosted) remake(create func(h *hosted) extension.Component) {
	h.do(func() {
		c := create(h)
		h.mu.Lock()
		h.c, h.stale = c, true
		h.mu.Unlock()
		h.t.refresh()
	})
}

// do calls fn after what was asked for before it; false if the component has ended.
func (h *hosted) do(fn func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.calls = append(h.calls, fn)
	if !h.busy {
		h.busy = true
		go h.work() // it ends with the calls
	}
	return true
}

func (h *hosted) work() {
	for {
		h.mu.Lock()
		if len(h.calls) == 0 {
			h.busy = false
			h.mu.Unlock()
			return
		}
		fn := h.calls[0]
		h.calls = h.calls[1:]
		h.mu.Unlock()
		h.guarded(fn)
	}
}

// guarded calls fn; a component that panics is told of and changes nothing.
func (h *hosted) guarded(fn func()) {
	defer func() {
		if r := recover(); r != nil {
			h.t.ui.Notify("A component of an extension has failed.", "error")
		}
	}()
	fn()
}

func (h *hosted) component() extension.Component {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.c
}

// with calls fn with the component, if there is one.
func (h *hosted) with(fn func(c extension.Component)) {
	h.do(func() {
		if c := h.component(); c != nil {
			fn(c)
		}
	})
}

// changed makes that the component is drawn again.
func (h *hosted) changed() {
	h.mu.Lock()
	h.stale = true
	h.mu.Unlock()
	h.t.refresh()
}

// input gives the component what was typed.
func (h *hosted) input(data string) {
	h.with(func(c extension.Component) {
		c.HandleInput(data)
		h.changed()
	})
}

// draw returns the newest lines for a screen of a size, and asks for others if they may be
// out of date.
func (h *hosted) draw(columns, rows int) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if (h.stale || h.columns != columns || h.render != nil && h.rows != rows) && !h.drawing && h.c != nil {
		h.drawing, h.stale, h.columns, h.rows = true, false, columns, rows
		c := h.c
		h.mu.Unlock()
		h.do(func() {
			var lines []string
			defer func() {
				h.mu.Lock()
				h.drawing = false
				if lines != nil {
					h.lines = lines
				}
				h.mu.Unlock()
				h.t.refresh()
			}()
			if h.render != nil {
				lines = h.render(c, columns, rows)
			} else {
				lines = c.Render(columns)
			}
		})
		h.mu.Lock()
	}
	return h.lines
}

// focus tells the component whether it has the focus.
func (h *hosted) focus(on bool) {
	h.with(func(c extension.Component) {
		if f, ok := c.(extension.Focuser); ok {
			f.SetFocused(on)
		}
	})
}

// dispose ends the component.
func (h *hosted) dispose() {
	h.with(dispose)
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	layers := &h.t.ui.layers
	if p, ok := layers.Focus().(interface{ host() *hosted }); ok && p.host() == h {
		layers.Gone(p)
	}
}
