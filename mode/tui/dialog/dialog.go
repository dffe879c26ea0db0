// Package dialog holds what takes the place of the editor for a while: lists to choose from, and
// prompts for a text. A dialog knows the keys and how it is drawn, neither a session nor the
// program: what comes of it is a function that its maker has given.
package dialog

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

// Dialog is something in the place of the editor. Its methods are called by the goroutine that
// owns the screen.
type Dialog interface {
	// Draw returns the lines, and the cursor's place in them; a negative x is none.
	Draw(ink theme.Ink, width, height int) (lines []string, x, y int)
	// Key takes a key. If that ends the dialog, then is what is to be done when it has been
	// taken away; it is nil as long as the dialog stays.
	Key(keys *input.Keys, k tea.KeyPressMsg) (then func())
	Paste(s string)
	// Cancel ends the dialog without an answer.
	Cancel()
}

// Stack is the dialogs that are open, the newest on top.
type Stack struct {
	// Focus is set to what is in the place of the editor.
	Focus *layer.Stack

	open []Dialog
}

// Top returns the newest dialog; nil if there is none.
func (s *Stack) Top() Dialog {
	if n := len(s.open); n > 0 {
		return s.open[n-1]
	}
	return nil
}

// Open returns all dialogs, the newest last.
func (s *Stack) Open() []Dialog { return slices.Clone(s.open) }

// Push opens a dialog.
func (s *Stack) Push(d Dialog) {
	s.open = append(s.open, d)
	s.Focus.Cover(d)
}

// Remove takes a dialog away; it need not be open.
func (s *Stack) Remove(d Dialog) {
	top := s.Top() == d
	s.open = slices.DeleteFunc(s.open, func(o Dialog) bool { return o == d })
	switch next := s.Top(); {
	case !top:
		s.Focus.Gone(d)
	case next != nil:
		s.Focus.Cover(next)
	default:
		s.Focus.Ground(layer.Editor{})
	}
}

// Key gives a key to a dialog, and takes that away if the key ends it.
func (s *Stack) Key(d Dialog, keys *input.Keys, k tea.KeyPressMsg) {
	if then := d.Key(keys, k); then != nil {
		s.Remove(d)
		then()
	}
}

// Cancel ends all dialogs, without taking them away.
func (s *Stack) Cancel() {
	for _, d := range s.open {
		d.Cancel()
	}
}

// Ends reports whether the newest dialog ends by itself.
func (s *Stack) Ends() bool {
	t, ok := s.Top().(Timed)
	return ok && t.Ends()
}

// Timed is a dialog that can end by itself, when its maker takes it away.
type Timed interface {
	Dialog
	// Limit says when the dialog ends.
	Limit(t time.Time)
	// Ends reports whether a time has been set.
	Ends() bool
}

// deadline is when a dialog ends by itself; zero for never.
type deadline struct{ time.Time }

// Limit implements [Timed].
func (d *deadline) Limit(t time.Time) { d.Time = t }

// Ends implements [Timed].
func (d *deadline) Ends() bool { return !d.IsZero() }

// title adds the seconds that are left.
func (d *deadline) title(s string) string {
	if d.IsZero() {
		return s
	}
	return s + " (" + strconv.Itoa(max(int(time.Until(d.Time).Seconds()+0.999), 0)) + "s)"
}

// call returns what ends a dialog: fn, or nothing where it is nil.
func call(fn func()) func() {
	if fn == nil {
		return func() {}
	}
	return fn
}

func run(fn func()) {
	if fn != nil {
		fn()
	}
}

// Ask returns a list for a question whose title may have several lines: what stands below the
// first is text. answer gets the value of an item, and nil if the dialog is left.
func Ask(question string, answer func(any)) *List {
	l := &List{Plain: true, Chosen: func(it Item) { answer(it.Value) }, Dropped: func() { answer(nil) }}
	l.Title, l.Lines = divided(question)
	return l
}

func divided(s string) (title string, lines []string) {
	for i, l := range strings.Split(text.Clean(s), "\n") {
		switch l = strings.TrimRight(l, " "); {
		case i == 0:
			title = l
		case l != "" || len(lines) > 0:
			lines = append(lines, l)
		}
	}
	return title, lines
}
