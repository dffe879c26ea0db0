package tui

import (
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/chat"
)

// header is what an extension shows above what follows. It is drawn again for as long as all
// from it on is on the screen, and is written into the scrollback as it was last.
type header struct {
	h     *hosted
	block *chat.Block
	since time.Time
}

// SetHeader implements [extension.UI].
func (u *UI) SetHeader(factory extension.HeaderFactory) {
	var h *hosted
	if factory != nil {
		h = u.t.host(func(h *hosted) extension.Component { return factory(&componentScreen{u: u, h: h}, u.Theme()) })
	}
	if !u.t.later(func(a *app) { a.setHeader(h) }) && h != nil {
		h.dispose()
	}
}

// setHeader puts a header, or none, in the place of one that can be drawn again, or else at the
// end.
func (a *app) setHeader(h *hosted) {
	before := a.header
	if before != nil {
		before.h.dispose()
	}
	switch {
	case h == nil && before != nil:
		a.transcript.Withdraw(before.block)
		a.header = nil
	case h != nil && before != nil:
		a.header = &header{h, before.block, time.Now()}
	case h != nil:
		a.header = &header{h, a.transcript.Foreign(), time.Now()}
	}
}

// drawn reports whether there are lines of the header, unless it takes too long.
func (d *header) drawn() bool {
	d.h.mu.Lock()
	defer d.h.mu.Unlock()
	return d.h.lines != nil || time.Since(d.since) > renderLimit
}

// settleHeader leaves the header as it is.
func (a *app) settleHeader() {
	if a.header == nil {
		return
	}
	d := a.header
	a.header = nil
	d.h.mu.Lock()
	lines := d.h.lines
	d.h.mu.Unlock()
	a.transcript.Settle(d.block, lines)
	d.h.dispose()
}

// last is what has to be written before the region is removed: what is final but was kept below
// a header, and at the end what was shown in full screen.
func (a *app) last(end bool) []byte {
	whole := a.wholeScreen()
	switch {
	case a.crash != nil || a.width == 0:
		return nil
	case whole && (!end || a.opts.Leaves), !whole && a.header == nil:
		return nil
	}
	a.opts.FullScreen, a.ending = false, end
	a.uncover()
	a.settleHeader()
	a.images = nil
	if f := a.frame(); f != nil {
		f.Images = a.images
		return a.screen.Draw(f)
	}
	return nil
}
