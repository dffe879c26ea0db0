package extui

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

// releases is which component wants to know of keys that are released. The terminal is asked
// for them as long as it has the focus.
type releases struct {
	on *stage

	mu sync.Mutex
	to layer.Target // nil for none
}

// ask finds out whether what has the focus now wants to know of keys that are released.
func (u *releases) ask(t layer.Target) {
	ask := func(c extension.Component) {
		r, ok := c.(extension.KeyReleaser)
		u.set(t, ok && r.WantsKeyRelease())
	}
	switch t := t.(type) {
	case *overlay:
		t.h.with(ask)
	case *customDialog:
		t.h.with(ask)
	case part:
		t.h.do(func() { ask(t.c) })
	case layer.Editor:
		if e := u.on.customEditor(); e != nil {
			e.h.with(ask)
			return
		}
		u.set(t, false)
	default:
		u.set(t, false)
	}
}

// set is ask's answer, which counts if the focus is still there.
func (u *releases) set(t layer.Target, wanted bool) {
	u.on.later(func(Model) {
		u.mu.Lock()
		defer u.mu.Unlock()
		switch now := u.on.layers.Focus(); {
		case now != t:
		case wanted:
			u.to = t
		default:
			u.to = nil
		}
	})
}

func (u *releases) wanted() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.to != nil
}

func (u *releases) notify(k tea.Key, event int) bool {
	u.mu.Lock()
	wants := u.to
	u.mu.Unlock()
	to := u.on.layers.Focus()
	if to == nil || to != wants {
		return false
	}
	if in, ok := to.(Component); ok {
		in.Input(input.EncodeEvent(k, event))
	} else if e := u.on.customEditor(); e != nil {
		e.h.input(input.EncodeEvent(k, event))
	}
	return true
}
