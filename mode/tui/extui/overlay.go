package extui

import (
	"sync"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

// overlay is a component of an extension over everything else. While one is seen, the
// terminal's other screen shows a picture of the conversation with the overlays on it, so that
// the scrollback is afterwards what it was before.
type overlay struct {
	on      *stage
	h       *hosted
	l       *layer.Layer
	options func() *extension.OverlayOptions // it may ask a script
	dropped func()

	mu    sync.Mutex
	place *extension.Bounds // nil while it is not drawn, or has no room
}

var _ extension.Overlay = (*overlay)(nil)

// showOverlay puts a component on top, with the focus unless it passes that on.
func (s *stage) showOverlay(h *hosted, options func() *extension.OverlayOptions, dropped func()) *overlay {
	o := &overlay{on: s, h: h, options: options, dropped: dropped}
	h.render = o.render
	first := o.now()
	columns, rows := s.loop.Size()
	o.l = layer.New(o, first.NonCapturing, first.Visible != nil && !first.Visible(columns, rows))
	s.layers.Show(o.l)
	s.loop.Refresh()
	return o
}

func (o *overlay) now() *extension.OverlayOptions {
	if opts := o.options(); opts != nil {
		return opts
	}
	return &extension.OverlayOptions{}
}

// render draws the component where its options say, on the component's goroutine.
func (o *overlay) render(c extension.Component, columns, rows int) []string {
	opts := o.now()
	var p *extension.Bounds
	var lines []string
	if opts.Visible == nil || opts.Visible(columns, rows) {
		width, most := layer.Extent(opts, columns, rows)
		lines = c.Render(width)
		if most >= 0 {
			lines = lines[:min(len(lines), most)]
		}
		at := layer.Position(opts, columns, rows, width, len(lines))
		p = &at
	}
	o.on.layers.Update(o.l, opts.NonCapturing, p == nil)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.place = p
	return append([]string{}, lines...)
}

// Input implements [Component].
func (o *overlay) Input(data string) { o.h.input(data) }

func (o *overlay) focused(on bool) {
	o.h.focus(on)
	o.h.changed()
}

// Hide takes the overlay away for good.
func (o *overlay) Hide() {
	o.on.layers.Hide(o.l)
	o.on.loop.Refresh()
	o.dropped()
}

// SetHidden implements [extension.Overlay].
func (o *overlay) SetHidden(hidden bool) {
	o.on.layers.SetHidden(o.l, hidden)
	o.on.loop.Refresh()
}

// IsHidden implements [extension.Overlay].
func (o *overlay) IsHidden() bool { return o.on.layers.Hidden(o.l) }

// Focus brings the overlay to the top, where it gets what is typed.
func (o *overlay) Focus() {
	o.on.layers.Take(o.l)
	o.on.loop.Refresh()
}

// Unfocus gives what is typed to another overlay, or to what had it before.
func (o *overlay) Unfocus() { o.on.layers.Release(o.l) }

// UnfocusTo implements [extension.Overlay].
func (o *overlay) UnfocusTo(c extension.Component) { o.on.layers.ReleaseTo(o.l, o.on.target(o.h, c)) }

// IsFocused implements [extension.Overlay].
func (o *overlay) IsFocused() bool { return o.on.layers.Focused(o.l) }

// Bounds implements [extension.Overlay].
func (o *overlay) Bounds() (b extension.Bounds, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.place == nil || !o.on.layers.Seen(o.l) {
		return b, false
	}
	return *o.place, true
}
