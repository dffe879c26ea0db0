package tui

import (
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

// overlay is a component of an extension over everything else. While one is seen, the
// terminal's other screen shows a picture of the conversation with the overlays on it, so that
// the scrollback is afterwards what it was before.
type overlay struct {
	u       *UI
	h       *hosted
	l       *layer.Layer
	options func() *extension.OverlayOptions // it may ask a script
	dropped func()

	mu    sync.Mutex
	place *extension.Bounds // nil while it is not drawn, or has no room
}

var _ extension.Overlay = (*overlay)(nil)

// showOverlay puts a component on top, with the focus unless it passes that on.
func (u *UI) showOverlay(h *hosted, options func() *extension.OverlayOptions, dropped func()) *overlay {
	o := &overlay{u: u, h: h, options: options, dropped: dropped}
	h.render = o.render
	first := o.now()
	columns, rows := u.t.size()
	o.l = layer.New(o, first.NonCapturing, first.Visible != nil && !first.Visible(columns, rows))
	u.layers.Show(o.l)
	u.t.refresh()
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
	o.u.layers.Update(o.l, opts.NonCapturing, p == nil)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.place = p
	return append([]string{}, lines...)
}

func (o *overlay) key(_ *app, k tea.KeyPressMsg) { o.input(encode(k)) }

func (o *overlay) input(data string) { o.h.input(data) }

func (o *overlay) paste(_ *app, s string) { o.input(pasted(s)) }

func (o *overlay) focused(on bool) {
	o.h.focus(on)
	o.h.changed()
}

// over draws the overlays that are seen on a picture of the whole screen; false if there are
// none.
func (a *app) over(picture func() []string) ([]string, bool) {
	var lines []string
	for _, l := range a.opts.ui.layers.Layers() {
		o := l.Target().(*overlay)
		if o.IsHidden() {
			continue
		}
		drawn := a.illustrated(o.h.draw(a.width, a.height))
		p, seen := o.Bounds()
		if !seen || len(drawn) == 0 { // it is not drawn yet, or the screen is too small for it
			continue
		}
		if lines == nil {
			lines = picture()
			lines = append(lines, make([]string, max(a.height-len(lines), 0))...)
		}
		for i, l := range drawn {
			if row := p.Row + i; row < len(lines) {
				lines[row] = a.onto(lines[row], a.foreignCut(l, p.Width), p.Col, p.Width)
			}
		}
	}
	return lines, lines != nil
}

// onto puts a piece of a width over a line.
func (a *app) onto(line, piece string, col, width int) string {
	left := a.measure.Truncate(line, col, "")
	right := a.measure.TruncateLeft(line, col+width, "")
	blank := func(n int) string { return strings.Repeat(" ", max(n, 0)) }
	gap := a.measure.StringWidth(line) - col - width - a.measure.StringWidth(right) // half of a wide character
	return left + "\x1b[m" + blank(col-a.measure.StringWidth(left)) + piece + blank(width-a.measure.StringWidth(piece)) + blank(gap) + right + "\x1b[m"
}

// Hide takes the overlay away for good.
func (o *overlay) Hide() {
	o.u.layers.Hide(o.l)
	o.u.t.refresh()
	o.dropped()
}

// SetHidden implements [extension.Overlay].
func (o *overlay) SetHidden(hidden bool) {
	o.u.layers.SetHidden(o.l, hidden)
	o.u.t.refresh()
}

// IsHidden implements [extension.Overlay].
func (o *overlay) IsHidden() bool { return o.u.layers.Hidden(o.l) }

// Focus brings the overlay to the top, where it gets what is typed.
func (o *overlay) Focus() {
	o.u.layers.Take(o.l)
	o.u.t.refresh()
}

// Unfocus gives what is typed to another overlay, or to what had it before.
func (o *overlay) Unfocus() { o.u.layers.Release(o.l) }

// UnfocusTo implements [extension.Overlay].
func (o *overlay) UnfocusTo(c extension.Component) { o.u.layers.ReleaseTo(o.l, o.u.target(o.h, c)) }

// IsFocused implements [extension.Overlay].
func (o *overlay) IsFocused() bool { return o.u.layers.Focused(o.l) }

// Bounds implements [extension.Overlay].
func (o *overlay) Bounds() (b extension.Bounds, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.place == nil || !o.u.layers.Seen(o.l) {
		return b, false
	}
	return *o.place, true
}
