package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/text"
)

// overlay is a component of an extension over everything else. While one is seen, the
// terminal's other screen shows a picture of the conversation with the overlays on it, so that
// the scrollback is afterwards what it was before.
//
// The goroutine of the program owns all but what mu protects.
type overlay struct {
	u       *UI
	h       *hosted
	options func() *extension.OverlayOptions // it may ask a script
	dropped func()
	covers  []modal // the questions that it came over: newer ones come first

	mu     sync.Mutex
	hidden bool
	drawn  bool
	place  place
	passes bool // it does not take the focus by itself
}

// place is where an overlay stands. One without a width is not seen.
type place struct{ row, col, width, most int }

var _ extension.Overlay = (*overlay)(nil)

func (u *UI) newOverlay(h *hosted, options func() *extension.OverlayOptions, dropped func()) *overlay {
	first := options()
	o := &overlay{u: u, h: h, options: options, dropped: dropped, passes: first != nil && first.NonCapturing}
	h.render = o.render
	return o
}

// render draws the component where its options say, on the component's goroutine.
func (o *overlay) render(c extension.Component, columns, rows int) []string {
	opts := o.options()
	if opts == nil {
		opts = &extension.OverlayOptions{}
	}
	var p place
	var lines []string
	if opts.Visible == nil || opts.Visible(columns, rows) {
		width, most := extent(opts, columns, rows)
		lines = c.Render(width)
		lines = lines[:min(len(lines), most)]
		p = position(opts, columns, rows, width, len(lines))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drawn, o.place, o.passes = true, p, opts.NonCapturing
	return append([]string{}, lines...)
}

// extent says how wide an overlay is, and at most how tall.
func extent(o *extension.OverlayOptions, columns, rows int) (width, most int) {
	room := max(columns-o.Margin.Left-o.Margin.Right, 1)
	width, most = min(room, 80), max(rows-o.Margin.Top-o.Margin.Bottom, 1)
	if w, ok := share(o.Width, columns); ok {
		width = w
	}
	if h, ok := share(o.MaxHeight, rows); ok {
		most = min(most, h)
	}
	return min(max(width, o.MinWidth, 1), room), max(most, 1)
}

// position says where an overlay of a size stands.
func position(o *extension.OverlayOptions, columns, rows, width, height int) place {
	vertical, horizontal := "", ""
	if at := strings.SplitN(o.Anchor, "-", 2); len(at) == 2 {
		vertical, horizontal = at[0], at[1]
		if vertical == "left" || vertical == "right" { // left-center
			vertical, horizontal = horizontal, vertical
		}
	}
	row := along(vertical == "top", vertical == "bottom", o.Row, rows, height, o.Margin.Top, o.Margin.Bottom)
	col := along(horizontal == "left", horizontal == "right", o.Col, columns, width, o.Margin.Left, o.Margin.Right)
	return place{
		row: max(min(row+o.OffsetY, rows-o.Margin.Bottom-height), o.Margin.Top),
		col: max(min(col+o.OffsetX, columns-o.Margin.Right-width), o.Margin.Left), width: width, most: height,
	}
}

// along places something of a size between two margins: at the beginning, at the end, in the
// middle, or where a text says, in cells or as a share of what is free.
func along(begin, end bool, said string, all, size, before, behind int) int {
	free := max(all-before-behind-size, 0)
	if number, percent := strings.CutSuffix(said, "%"); percent {
		if n, err := strconv.ParseFloat(number, 64); err == nil {
			return before + int(n*float64(free)/100)
		}
	} else if n, err := strconv.Atoi(said); err == nil {
		return n
	}
	switch {
	case begin:
		return before
	case end:
		return before + free
	}
	return before + free/2
}

// share reads a number of cells, or a percentage of all.
func share(s string, all int) (n int, ok bool) {
	number, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return 0, false
	case percent:
		return int(v * float64(all) / 100), true
	}
	return int(v), true
}

// state returns where the overlay stands, whether it can be seen, and whether it takes what
// is typed by itself.
func (o *overlay) state() (p place, seen, captures bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.place, !o.hidden && (!o.drawn || o.place.width > 0), !o.passes
}

func (o *overlay) key(_ *app, k tea.KeyPressMsg) { o.h.input(encode(k)) }

func (o *overlay) paste(_ *app, s string) { o.h.input(pasted(s)) }

// showOverlay puts an overlay on top, with the focus unless it passes that on.
func (a *app) showOverlay(o *overlay) {
	a.overlays = append(a.overlays, o)
	if _, _, captures := o.state(); captures {
		a.focusOverlay(o)
	}
}

// dropOverlay takes an overlay away.
func (a *app) dropOverlay(o *overlay) {
	a.overlays = slices.DeleteFunc(a.overlays, func(other *overlay) bool { return other == o })
	if a.focus == o {
		a.focusNext(o)
	}
}

// focusOverlay gives an overlay, which may be nil, what is typed.
func (a *app) focusOverlay(o *overlay) {
	if a.focus != o && a.focus != nil {
		a.focus.h.focus(false)
		a.focus.h.changed()
	}
	if a.focus = o; o == nil {
		return
	}
	o.covers = slices.Clone(a.modals)
	a.overlays = append(slices.DeleteFunc(a.overlays, func(other *overlay) bool { return other == o }), o)
	o.h.focus(true)
	o.h.changed()
}

// focusNext gives the focus to the topmost overlay but one, if there is any that takes it.
func (a *app) focusNext(but *overlay) {
	for _, o := range slices.Backward(a.overlays) {
		if _, seen, captures := o.state(); o != but && seen && captures {
			a.focusOverlay(o)
			return
		}
	}
	a.focusOverlay(nil)
}

// receiver is who gets what is typed.
type receiver interface {
	key(a *app, k tea.KeyPressMsg)
	paste(a *app, s string)
}

// receiver returns who gets what is typed; nil for the editor. A question comes before the
// overlays that it was asked over.
func (a *app) receiver() receiver {
	if o := a.focus; o != nil {
		newer := func(m modal) bool { return !slices.Contains(o.covers, m) }
		if _, seen, _ := o.state(); seen && !slices.ContainsFunc(a.modals, newer) {
			return o
		}
	}
	if m := a.modal(); m != nil {
		return m
	}
	return nil
}

// over draws the overlays that are seen on a picture of the whole screen; false if there are
// none.
func (a *app) over(picture func() []string) ([]string, bool) {
	var lines []string
	for _, o := range a.overlays {
		o.mu.Lock()
		hidden := o.hidden
		o.mu.Unlock()
		if hidden {
			continue
		}
		drawn := o.h.draw(a.width, a.height)
		p, seen, _ := o.state()
		if !seen || len(drawn) == 0 { // it is not drawn yet, or the screen is too small for it
			continue
		}
		if lines == nil {
			lines = picture()
			lines = append(lines, make([]string, max(a.height-len(lines), 0))...)
		}
		for i, l := range drawn {
			if row := p.row + i; row < len(lines) {
				lines[row] = a.onto(lines[row], a.foreignCut(l, p.width), p.col, p.width)
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
	o.u.t.later(func(a *app) { a.dropOverlay(o) })
	o.dropped()
}

// SetHidden implements [extension.Overlay].
func (o *overlay) SetHidden(hidden bool) {
	o.mu.Lock()
	o.hidden = hidden
	o.mu.Unlock()
	o.u.t.later(func(a *app) {
		switch _, _, captures := o.state(); {
		case hidden && a.focus == o:
			a.focusNext(o)
		case !hidden && captures && slices.Contains(a.overlays, o):
			a.focusOverlay(o)
		}
	})
}

// IsHidden implements [extension.Overlay].
func (o *overlay) IsHidden() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.hidden
}

// Focus brings the overlay to the top, where it gets what is typed.
func (o *overlay) Focus() {
	o.u.t.later(func(a *app) {
		if slices.Contains(a.overlays, o) {
			a.focusOverlay(o)
		}
	})
}

// Unfocus gives what is typed to another overlay, or to what is below them all.
func (o *overlay) Unfocus() {
	o.u.t.later(func(a *app) {
		if a.focus == o {
			a.focusNext(o)
		}
	})
}

// IsFocused implements [extension.Overlay].
func (o *overlay) IsFocused() bool {
	focused := make(chan bool, 1)
	if !o.u.t.later(func(a *app) { focused <- a.focus == o }) {
		return false
	}
	select {
	case on := <-focused:
		return on
	case <-o.u.t.stopped():
		return false
	}
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
	show, hide := u.shown(h, opts, drop)
	over, ok := u.t.ended(show)
	if !ok {
		return nil, false
	}
	defer u.t.later(hide)
	select {
	case v := <-finished:
		return v, true
	case <-dropped:
	case <-ctx.Done():
	case <-over:
	}
	return nil, false
}

// shown returns what shows a component as its options say, and what takes it away again.
func (u *UI) shown(h *hosted, opts *extension.CustomOptions, drop func()) (show, hide func(*app)) {
	if !opts.Overlay {
		h.focus(true)
		m := &customModal{h: h, dropped: drop}
		return func(a *app) { a.push(m) }, func(a *app) { a.pop(m) }
	}
	options := opts.OverlayOptions
	if options == nil {
		options = func() *extension.OverlayOptions { return nil }
	}
	o := u.newOverlay(h, options, drop)
	show = func(a *app) {
		a.showOverlay(o)
		if opts.OnHandle != nil {
			go opts.OnHandle(o) // it may take the extension's own goroutine
		}
	}
	return show, func(a *app) { a.dropOverlay(o) }
}
