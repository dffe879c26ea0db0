// Package layer knows what lies over what on a screen, where it stands, and where what is typed
// goes. It draws and calls nothing: what it decides, package tui carries out.
//
// What can be typed into is a [Target]: something in the place of the editor, a layer's
// component, or a part of one. Which of them has the focus after a layer comes or goes is as
// extensions of Pi 0.85 expect it; the traces in testdata were recorded from Pi.
package layer

import (
	"slices"
	"sync"
)

// Editor is the place of the editor as a [Target], the terminal's own or that of an extension.
type Editor struct{}

// Target is what can be typed into. Targets are compared with ==; nil is none.
type Target any

// Layer is a component over everything else. Its methods are those of its [Stack].
type Layer struct {
	target Target
	passes bool // it does not take the focus by itself
	below  Target
	hidden bool
	unseen bool // the screen has no room for it
}

// New returns a layer that can be shown. One that passes does not take the focus by itself, and
// neither does one that the screen has no room for.
func New(t Target, passes, unseen bool) *Layer {
	return &Layer{target: t, passes: passes, unseen: unseen}
}

// Target is what was given to [New].
func (l *Layer) Target() Target { return l.target }

func (l *Layer) seen() bool { return !l.hidden && !l.unseen }

// Stack is the layers of a screen. Its methods may be called from any goroutine.
type Stack struct {
	// Turned, if set, is called with each change of the focus, before the next one. It must not
	// call the stack.
	Turned func(from, to Target)

	mu     sync.Mutex
	ground Target   // what has the place of the editor
	shown  []*Layer // in the order in which they came
	order  []*Layer // the last on top
	focus  Target

	// A layer that was left for something in the place of the editor gets the focus back:
	// with the next key, or when what it was left for has gone.
	left    *Layer
	waitFor Target
}

// Focus is what gets what is typed.
func (s *Stack) Focus() Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.focus
}

// Typed is [Stack.Focus] for something that is typed now: a layer that was left for what it
// lies on takes the focus back.
func (s *Stack) Typed() Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.of(s.focus)
	if l != nil && !l.seen() {
		s.leave(l)
	}
	if s.left != nil && s.waitFor == nil && s.left.seen() && s.of(s.focus) == nil {
		s.turn(s.left.target)
	}
	return s.focus
}

// Place is what was given to [Stack.Ground] last.
func (s *Stack) Place() Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ground
}

// Ground puts something into the place of the editor, which gets the focus if that is where
// it was.
func (s *Stack) Ground(t Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ground = t
	s.give(t, true)
}

// Cover is [Stack.Ground] for something over, or below, others that wait in the place of the
// editor: as long as one of them is there, no layer gets the focus back.
func (s *Stack) Cover(t Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ground = t
	s.give(t, false)
}

// Show puts a new layer on top.
func (s *Stack) Show(l *Layer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.below = s.focus
	s.shown = append(s.shown, l)
	s.order = append(s.order, l)
	if !l.passes && l.seen() {
		s.turn(l.target)
	}
}

// Hide takes a layer away for good; false if it is gone already.
func (s *Stack) Hide(l *Layer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hide(l)
}

// HideTop takes the newest layer away and returns it; nil if there is none.
func (s *Stack) HideTop() *Layer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.shown) == 0 {
		return nil
	}
	l := s.shown[len(s.shown)-1]
	s.hide(l)
	return l
}

func (s *Stack) hide(l *Layer) bool {
	if !slices.Contains(s.shown, l) {
		return false
	}
	s.shown, s.order = without(s.shown, l), without(s.order, l)
	s.forget(l)
	for _, o := range s.shown {
		if o.below == l.target {
			o.below = l.below
		}
	}
	if s.focus == l.target {
		s.leave(l)
	}
	return true
}

// SetHidden hides a layer for a while. One that comes back comes on top, with the focus.
func (s *Stack) SetHidden(l *Layer, hidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.shown, l) || l.hidden == hidden {
		return
	}
	l.hidden = hidden
	switch {
	case hidden:
		s.forget(l)
		if s.focus == l.target {
			s.leave(l)
		}
	case !l.passes:
		s.raise(l)
		s.turn(l.target)
	}
}

// Update tells whether a layer does not take the focus by itself, and whether the screen has no
// room for it.
func (s *Stack) Update(l *Layer, passes, unseen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.passes, l.unseen = passes, unseen
}

// Hidden reports whether a layer is hidden.
func (s *Stack) Hidden(l *Layer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.hidden
}

// Seen reports whether a layer is there and can be seen.
func (s *Stack) Seen(l *Layer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.shown, l) && l.seen()
}

// Focused reports whether a layer has the focus.
func (s *Stack) Focused(l *Layer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.shown, l) && s.focus == l.target
}

// Layers returns all of them, the last on top.
func (s *Stack) Layers() []*Layer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

// Take gives a layer that can be seen the focus and brings it to the top.
func (s *Stack) Take(l *Layer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.shown, l) && l.seen() {
		s.raise(l)
		s.turn(l.target)
	}
}

// Release takes the focus from a layer: for the topmost one that takes it, or for what had it
// before. It does not come back to it by itself.
func (s *Stack) Release(l *Layer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(l)
	if s.focus == l.target {
		s.leave(l)
	}
}

// ReleaseTo is [Stack.Release] for a target, or none.
func (s *Stack) ReleaseTo(l *Layer, t Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(l)
	if s.focus == l.target {
		s.turn(t)
	}
}

// Give gives the focus to a target, or to none.
func (s *Stack) Give(t Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.give(t, true)
}

// Gone tells that a target is not there any more, without having been a layer.
func (s *Stack) Gone(t Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.shown {
		if l.below == t {
			l.below = s.ground
		}
	}
	if s.focus == t {
		s.give(s.ground, true)
	}
}

// give is Give. What a layer is left for keeps the focus for as long as it is there; back says
// that the layer gets it then.
func (s *Stack) give(t Target, back bool) {
	if s.of(t) != nil {
		s.turn(t)
		return
	}
	from := s.focus
	if l := s.left; back && l != nil && s.waitFor != nil && from == s.waitFor && t != from && l.seen() && (t == nil || from != s.ground) {
		s.turn(l.target)
		return
	}
	s.set(t)
	switch {
	case t == nil:
		s.left, s.waitFor = nil, nil
	case s.left == nil:
	case s.of(from) != nil:
		if s.waitFor = t; s.liesOn(s.left, t) {
			s.waitFor = nil
		}
	case s.waitFor == from && from != nil:
		s.waitFor = t
	}
}

// turn gives the focus to a target.
func (s *Stack) turn(t Target) {
	s.set(t)
	if l := s.of(t); l != nil && l.seen() {
		s.left, s.waitFor = l, nil
	}
}

func (s *Stack) set(t Target) {
	from := s.focus
	s.focus = t
	if from != t && s.Turned != nil {
		s.Turned(from, t)
	}
}

// leave gives the focus of a layer away.
func (s *Stack) leave(l *Layer) {
	for _, o := range slices.Backward(s.order) {
		if o.seen() && !o.passes {
			if o != l {
				s.turn(o.target)
				return
			}
			break
		}
	}
	s.turn(l.below)
}

// forget makes that the focus does not come back to a layer by itself.
func (s *Stack) forget(l *Layer) {
	if s.left == l {
		s.left, s.waitFor = nil, nil
	}
}

func (s *Stack) raise(l *Layer) { s.order = append(without(s.order, l), l) }

// of returns the layer of a target; nil for one that is none.
func (s *Stack) of(t Target) *Layer {
	if i := slices.IndexFunc(s.shown, func(l *Layer) bool { return l.target == t }); i >= 0 {
		return s.shown[i]
	}
	return nil
}

// liesOn reports whether a target is below a layer, or below one that is.
func (s *Stack) liesOn(l *Layer, t Target) bool {
	for range len(s.shown) + 1 {
		if l == nil {
			return false
		}
		if l.below == t {
			return true
		}
		l = s.of(l.below)
	}
	return false
}

// without copies a list, which others may have, for a change.
func without(list []*Layer, l *Layer) []*Layer {
	return slices.DeleteFunc(slices.Clone(list), func(o *Layer) bool { return o == l })
}
