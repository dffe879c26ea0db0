package extui

import (
	"reflect"
	"sync"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

// stage is what components of extensions stand on: the loop, what lies over what, the component
// in the place of the editor, and the colours and keys that components are made with.
type stage struct {
	loop   Loop
	layers layer.Stack // it has a lock of its own

	mu     sync.Mutex
	editor *customEditor
	theme  *theme.Theme
	keys   *input.Keys
}

// later does something with the model, without waiting; false if the terminal does not run.
func (s *stage) later(fn func(Model)) bool {
	_, ok := s.loop.Later(fn)
	return ok
}

// wait is later that returns when it has been done. The goroutine of the loop must not call it.
func (s *stage) wait(fn func(Model)) {
	did := make(chan struct{})
	ended, ok := s.loop.Later(func(m Model) {
		fn(m)
		close(did)
	})
	if !ok {
		return
	}
	select {
	case <-did:
	case <-ended:
	}
}

func (s *stage) fail(message string) { s.loop.Notify(chat.Failure, message) }

// customEditor returns the component in the place of the editor; nil if there is none.
func (s *stage) customEditor() *customEditor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.editor
}

func (s *stage) colours() extension.Theme {
	s.mu.Lock()
	defer s.mu.Unlock()
	return palette{s.theme}
}

func (s *stage) keybindings() *input.Keys {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys
}

// Component is a target of what is typed that gets it as a terminal sends it.
type Component interface{ Input(data string) }

// focusable is a target that is notified when it gets or loses the focus.
type focusable interface{ focused(on bool) }

// part is a component that an extension has given the focus, of which it is not known what
// shows it. The goroutine of the component that gave it the focus calls it.
type part struct {
	h *hosted
	c extension.Component
}

// Input implements [Component].
func (p part) Input(data string) {
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

// target is what a component is typed into by; h is the one whose screen was asked.
func (s *stage) target(h *hosted, c extension.Component) layer.Target {
	if c == nil {
		return nil
	}
	if !reflect.TypeOf(c).Comparable() {
		return &part{h, c}
	}
	if e := s.customEditor(); e != nil && e.h.component() == c {
		return s.layers.Place()
	}
	for _, l := range s.layers.Layers() {
		if o := l.Target().(*overlay); o.h.component() == c {
			return o
		}
	}
	if m, ok := s.layers.Place().(*customDialog); ok && m.h.component() == c {
		return m
	}
	return part{h, c}
}

// notifyFocus notifies a target that it has got or lost the focus.
func (s *stage) notifyFocus(t layer.Target, on bool) {
	switch t := t.(type) {
	case layer.Editor:
		if e := s.customEditor(); e != nil {
			e.h.focus(on)
			e.h.changed()
		}
	case focusable:
		t.focused(on)
	}
}
