package tui

import (
	"slices"

	"github.com/rondo-agent/rondo/internal/term/text"
)

// last is what has to be written before the region is removed: what is final but was kept below
// a header, and at the end what was shown in full screen.
func (a *app) last(atEnd bool) []byte {
	full := a.composer.fullScreen()
	switch {
	case a.end.crash != nil || a.conv.Width == 0:
		return nil
	case full && (!atEnd || a.t.opts.ExitHint), !full && a.conv.Header() == nil:
		return nil
	}
	if f := a.conv.Last(a.composer.bottom(), atEnd); f != nil {
		return a.frames.screen.Draw(f)
	}
	return nil
}

// goodbye says how to go on with the session, if there is something to go on with.
func (a *app) goodbye() []byte {
	if a.alone() || a.session().Store().Path() == "" || len(a.session().Messages()) == 0 {
		return nil
	}
	return []byte(a.conv.Dim("rondo --session "+text.OneLine(a.session().ID())+" goes on with this session").String() + "\r\n")
}

// leave gives the terminal to something else, and enter takes it back.
func (a *app) leave() {
	a.end.away = true
	a.term.settle()
	a.term.write(slices.Concat(a.last(false), a.frames.screen.Leave()))
	a.term.cooked()
	a.t.away.Store(true)
}

func (a *app) enter() {
	a.end.away = false
	a.t.away.Store(false)
	a.Fail(a.term.raw())
	a.resize(a.sizeNow())
	a.conv.KeepScreen()
}
