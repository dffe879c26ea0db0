package tui

import (
	"encoding/base64"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// terminal is what the program reads keys from and draws on. A goroutine of its own writes,
// so that a terminal that takes its time holds up neither keys nor the session.
type terminal struct {
	in, out *os.File
	before  *term.State // of in, while it is switched over

	frames chan []byte
	busy   atomic.Bool
	done   chan struct{}
	drawn  func() // called when a frame has been written
	guard  chan *guard
	mu     sync.Mutex
}

// open switches the terminal over and begins to write.
func (t *terminal) open() error {
	if err := t.raw(); err != nil {
		return err
	}
	t.frames, t.done, t.guard = make(chan []byte, 1), make(chan struct{}), make(chan *guard, 1)
	go func() { t.guard <- newGuard(t.in, t.out) }() // beside, since it takes a process
	go func() {
		defer close(t.done)
		for frame := range t.frames {
			t.write(frame)
			t.busy.Store(false)
			t.drawn()
		}
	}()
	return nil
}

// raw switches the terminal over.
func (t *terminal) raw() error {
	state, err := makeRaw(t.in, t.out)
	if err != nil {
		return err
	}
	t.before = state
	t.write([]byte(screen.Enter))
	return nil
}

// cooked switches the terminal back.
func (t *terminal) cooked() {
	if t.before == nil {
		return
	}
	t.write([]byte(screen.Exit))
	_ = term.Restore(t.in.Fd(), t.before)
	t.before = nil
}

// idle reports whether a frame can be sent.
func (t *terminal) idle() bool { return !t.busy.Load() }

// send gives a frame to the writer, which must be idle.
func (t *terminal) send(frame []byte) {
	t.busy.Store(true)
	t.frames <- frame
}

// write writes at once. A terminal that is gone is seen by who reads from it.
func (t *terminal) write(data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.out.Write(data)
}

// settle waits until the writer has nothing to do, but not for a terminal that is stuck.
func (t *terminal) settle() bool {
	for range 100 {
		if t.idle() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// close ends the writer and switches the terminal back. last is written before.
func (t *terminal) close(last []byte) {
	close(t.frames)
	select {
	case <-t.done:
		t.write(last)
	case <-time.After(time.Second): // nobody reads what is written
		if t.before != nil {
			_ = term.Restore(t.in.Fd(), t.before)
			t.before = nil
		}
	}
	t.cooked()
	(<-t.guard).dismiss()
}

// size returns columns and rows.
func (t *terminal) size() (width, height int) {
	width, height, err := term.GetSize(t.out.Fd())
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// copy puts a text into the clipboard, by OSC 52.
func (t *terminal) copy(s string) {
	t.write([]byte("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(s)) + "\a"))
}

// Usable reports whether the files are a terminal that can be drawn on.
func Usable(in, out *os.File) bool {
	return term.IsTerminal(in.Fd()) && term.IsTerminal(out.Fd()) && os.Getenv("TERM") != "dumb"
}
