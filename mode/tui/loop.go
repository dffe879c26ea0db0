package tui

import (
	"io"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/extui"
)

// todo is something to do with the model, in the order of the events.
type todo struct {
	agent.Sealed
	fn func(*app)
}

// Type implements [event.Event].
func (*todo) Type() string { return "todo" }

// AppendJSON implements [event.Event].
func (*todo) AppendJSON(dst []byte) []byte { return append(dst, `{"type":"todo"}`...) }

// notice is a message from outside of the session, in the order of its events.
type notice struct {
	agent.Sealed

	level   chat.Level
	message string
}

// Type implements [event.Event].
func (*notice) Type() string { return "notice" }

// AppendJSON implements [event.Event].
func (*notice) AppendJSON(dst []byte) []byte { return append(dst, `{"type":"notice"}`...) }

// later does something with the model of a terminal that runs; false if none does. It does
// not wait, so that any goroutine may call it. ended is closed when the terminal has ended.
func (t *Terminal) later(fn func(*app)) (ended <-chan struct{}, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.app == nil {
		return nil, false
	}
	t.inbox.Put(&todo{fn: fn})
	return t.ended, true
}

func (t *Terminal) set(a *app) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.app = a
}

// unset takes away an app that has ended, if it is that one.
func (t *Terminal) unset(a *app) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.app == a {
		t.app = nil
		close(t.ended)
	}
}

// loop is the terminal as extensions reach it.
type loop struct{ t *Terminal }

var _ extui.Loop = loop{}

// Later implements [extui.Loop].
func (l loop) Later(fn func(extui.Model)) (ended <-chan struct{}, ok bool) {
	return l.t.later(func(a *app) { fn(model{a}) })
}

// Notify implements [extui.Loop].
func (l loop) Notify(level chat.Level, message string) {
	l.t.inbox.Put(&notice{level: level, message: message})
}

// Refresh implements [extui.Loop].
func (l loop) Refresh() { l.t.inbox.Nudge() }

// Stopped implements [extui.Loop].
func (l loop) Stopped() <-chan struct{} { return l.t.ended }

// Size implements [extui.Loop].
func (l loop) Size() (columns, rows int) { return l.t.opts.Device.Size() }

// Notes returns a writer whose lines are shown as warnings.
func (t *Terminal) Notes() io.Writer { return noteWriter{t} }

type noteWriter struct{ t *Terminal }

func (w noteWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w.t.ui.Notify(strings.TrimPrefix(strings.TrimSpace(line), "rondo: "), "warning")
	}
	return len(p), nil
}
