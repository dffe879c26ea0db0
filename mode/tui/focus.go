package tui

import (
	"reflect"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

// receiver is who gets what is typed.
type receiver interface {
	key(a *app, k tea.KeyPressMsg)
	paste(a *app, s string)
}

// focusable is a receiver that is told whether it has the focus.
type focusable interface{ focused(on bool) }

// editorPlace is the editor, the terminal's own or that of an extension, as a target of what is
// typed.
type editorPlace struct{}

// part is a component that an extension has given the focus, of which it is not known what
// shows it. The goroutine of who gave it the focus calls it.
type part struct {
	h *hosted
	c extension.Component
}

func (p part) key(_ *app, k tea.KeyPressMsg) { p.input(encode(k)) }

func (p part) paste(_ *app, s string) { p.input(pasted(s)) }

func (p part) input(data string) {
	p.h.do(func() {
		p.c.HandleInput(data)
		p.h.changed()
	})
}

func (p part) focused(on bool) {
	p.h.do(func() {
		if f, ok := p.c.(extension.Focuser); ok {
			f.SetFocused(on)
		}
		p.h.changed()
	})
}

func (p part) host() *hosted { return p.h }

// nobody gets what is typed where an extension has taken the focus from everything.
type nobody struct{}

func (nobody) key(*app, tea.KeyPressMsg) {}
func (nobody) paste(*app, string)        {}

// target is what a component is typed into by; h is the one whose screen was asked.
func (u *UI) target(h *hosted, c extension.Component) layer.Target {
	if c == nil {
		return nil
	}
	if !reflect.TypeOf(c).Comparable() {
		return &part{h, c}
	}
	if e := u.customEditor(); e != nil && e.h.component() == c {
		return u.layers.Place()
	}
	for _, l := range u.layers.Layers() {
		if o := l.Target().(*overlay); o.h.component() == c {
			return o
		}
	}
	if m, ok := u.layers.Place().(*customModal); ok && m.h.component() == c {
		return m
	}
	return part{h, c}
}

// turned tells those whom the focus leaves and comes to.
func (u *UI) turned(from, to layer.Target) {
	u.tellFocus(from, false)
	u.tellFocus(to, true)
	u.askReleases(to)
}

func (u *UI) tellFocus(t layer.Target, on bool) {
	switch t := t.(type) {
	case editorPlace:
		if e := u.customEditor(); e != nil {
			e.h.focus(on)
			e.h.changed()
		}
	case focusable:
		t.focused(on)
	}
}

// receiver returns who gets what is typed now; nil for the editor.
func (a *app) receiver() receiver {
	switch t := a.opts.ui.layers.Typed().(type) {
	case editorPlace:
		return nil
	case receiver:
		return t
	}
	return nobody{}
}

// writing reports whether what is typed goes to the editor.
func (a *app) writing() bool { return a.opts.ui.layers.Focus() == editorPlace{} }

// push puts something in the place of the editor.
func (a *app) push(m modal) {
	a.complete = nil
	a.modals = append(a.modals, m)
	a.opts.ui.layers.Cover(m)
}

// pop takes it away again.
func (a *app) pop(m modal) {
	top := a.modal() == m
	a.modals = slices.DeleteFunc(a.modals, func(o modal) bool { return o == m })
	switch next := a.modal(); {
	case !top:
		a.opts.ui.layers.Gone(m)
	case next != nil:
		a.opts.ui.layers.Cover(next)
	default:
		a.opts.ui.layers.Ground(editorPlace{})
	}
}
