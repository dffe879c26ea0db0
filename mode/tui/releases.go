package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

// askReleases finds out whether what has the focus now wants to know of keys that are released.
// The terminal is asked for them no longer than that.
func (u *UI) askReleases(t layer.Target) {
	tell := func(wanted bool) {
		u.t.later(func(a *app) {
			switch now := u.layers.Focus(); {
			case now != t:
			case wanted:
				a.releasesTo = t
			default:
				a.releasesTo = nil
			}
		})
	}
	ask := func(c extension.Component) {
		r, ok := c.(extension.KeyReleaser)
		tell(ok && r.WantsKeyRelease())
	}
	switch t := t.(type) {
	case *overlay:
		t.h.with(ask)
	case *customModal:
		t.h.with(ask)
	case part:
		t.h.do(func() { ask(t.c) })
	case editorPlace:
		if e := u.customEditor(); e != nil {
			e.h.with(ask)
			return
		}
		tell(false)
	default:
		tell(false)
	}
}

// tell tells who wants to know of it that a key was repeated or released; false if nobody does.
func (a *app) tell(k tea.Key, event int) bool {
	to := a.opts.ui.layers.Focus()
	if to == nil || to != a.releasesTo {
		return false
	}
	if in, ok := to.(interface{ input(data string) }); ok {
		in.input(encodeEvent(k, event))
	} else if e := a.opts.ui.customEditor(); e != nil {
		e.h.input(encodeEvent(k, event))
	}
	return true
}

// encodeEvent is encode for something else than a press, as kitty's protocol writes it: 2 is a
// repetition, 3 a release.
func encodeEvent(k tea.Key, event int) string {
	m := itoa(modifier(k.Mod&(tea.ModShift|tea.ModAlt|tea.ModCtrl|tea.ModSuper))) + ":" + itoa(event)
	seq, special := sequences[k.Code]
	switch {
	case special && strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "~"):
		return strings.TrimSuffix(seq, "~") + ";" + m + "~"
	case special && len(seq) > 1:
		return "\x1b[1;" + m + seq[len(seq)-1:]
	case special:
		return "\x1b[" + itoa(int(seq[0])) + ";" + m + "u"
	}
	return "\x1b[" + itoa(int(k.Code)) + ";" + m + "u"
}
