package extui

import (
	"sync"

	"github.com/rondo-agent/rondo/extension"
)

// hosted is a component of an extension. Its methods run one at a time on a goroutine of
// their own, and the screen shows what the component has drawn last: one that is slow, or
// stuck, holds up nothing but itself.
type hosted struct {
	on *stage
	// render, if set, draws the component on a screen of a size, in the place of Render.
	render func(c extension.Component, columns, rows int) []string

	worker worker

	mu      sync.Mutex
	c       extension.Component // nil until it is made, or if that has failed
	lines   []string
	columns int
	rows    int
	stale   bool
	drawing bool
}

// host hosts a component that create makes.
func (s *stage) host(create func(h *hosted) extension.Component) *hosted {
	h := &hosted{on: s, stale: true}
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
		h.on.loop.Refresh()
	})
}

// do calls fn after what was asked for before it; false if the component has ended.
func (h *hosted) do(fn func()) bool { return h.worker.do(func() { h.guarded(fn) }) }

// guarded calls fn; a component that panics is reported and changes nothing.
func (h *hosted) guarded(fn func()) {
	defer func() {
		if r := recover(); r != nil {
			h.on.fail("A component of an extension has failed.")
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
	h.on.loop.Refresh()
}

// input gives the component what was typed.
func (h *hosted) input(data string) {
	h.with(func(c extension.Component) {
		c.HandleInput(data)
		h.changed()
	})
}

// Draw returns the newest lines for a screen of a size, and asks for others if they may be
// out of date.
func (h *hosted) Draw(columns, rows int) []string {
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
				h.on.loop.Refresh()
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

// Dispose ends the component.
func (h *hosted) Dispose() {
	h.with(dispose)
	h.worker.close()
	layers := &h.on.layers
	if p, ok := layers.Focus().(interface{ host() *hosted }); ok && p.host() == h {
		layers.Gone(p)
	}
}

// Drawn returns the newest lines; nil if there are none yet.
func (h *hosted) Drawn() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lines
}

// settled reports whether the newest lines show the newest state.
func (h *hosted) settled() bool {
	busy := h.worker.isBusy()
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.drawing && !busy && (h.c == nil || !h.stale)
}

// again draws the component anew, with what it has kept of its drawing forgotten.
func (h *hosted) again() {
	h.with(extension.Component.Invalidate)
	h.changed()
}

func dispose(c extension.Component) {
	if d, ok := c.(extension.Disposer); ok {
		d.Dispose()
	}
}
