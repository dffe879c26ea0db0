package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// frameTime is the shortest time between two frames, and spinTime between two pictures of
// what moves.
const (
	frameTime = 16 * time.Millisecond
	spinTime  = 100 * time.Millisecond
)

// frames is when the screen is drawn.
type frames struct {
	screen screen.Screen
	term   *terminal
	prog   *tea.Program

	scheduled bool
	dirty     bool // something has changed since the newest frame
	painted   time.Time
}

// invalidate makes that a frame is drawn soon.
func (f *frames) invalidate() {
	f.dirty = true
	f.after(max(frameTime-time.Since(f.painted), 0))
}

// again makes that a frame is drawn after a time.
func (f *frames) again(d time.Duration) {
	f.dirty = true
	f.after(d)
}

func (f *frames) after(d time.Duration) {
	if f.scheduled {
		return
	}
	f.scheduled = true
	time.AfterFunc(d, func() { f.prog.Send(frameMsg{}) })
}

// start reports whether a frame is to be drawn now; the terminal may still take the one before.
func (f *frames) start() bool {
	if !f.dirty || !f.term.idle() {
		return false
	}
	f.dirty, f.painted = false, time.Now()
	return true
}

// draw sends a frame.
func (f *frames) draw(frame *screen.Frame) {
	if data := f.screen.Draw(frame); data != nil {
		f.term.send(data)
	}
}
