package tui

import (
	"encoding/base64"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// terminal writes to a device. A goroutine of its own writes frames, so that a device that takes
// its time holds up neither keys nor the session.
type terminal struct {
	dev     Device
	restore func() // undoes what the device was switched over to; nil if it is not
	light   bool   // its background; it belongs to the model

	frames  chan []byte
	busy    atomic.Bool
	done    chan struct{}
	drawn   func() // called when a frame has been written
	dismiss chan func()
	mu      sync.Mutex // of dev
}

// How long a device that takes nothing is waited for.
const (
	settleLimit = 500 * time.Millisecond
	closeLimit  = time.Second
)

// open switches the device over and begins to write.
func (t *terminal) open() error {
	if err := t.raw(); err != nil {
		return err
	}
	t.frames, t.done, t.dismiss = make(chan []byte, 1), make(chan struct{}), make(chan func(), 1)
	if g, ok := t.dev.(guarded); ok {
		go func() { t.dismiss <- g.guard() }() // beside, since it takes a process
	} else {
		t.dismiss <- func() {}
	}
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

// raw switches the device over.
func (t *terminal) raw() error {
	restore, err := t.dev.Raw()
	if err != nil {
		return err
	}
	t.restore = restore
	t.write([]byte(screen.Enter))
	return nil
}

// cooked switches the device back.
func (t *terminal) cooked() {
	if t.restore == nil {
		return
	}
	t.write([]byte(screen.Exit))
	t.restore()
	t.restore = nil
}

// idle reports whether a frame can be sent.
func (t *terminal) idle() bool { return !t.busy.Load() }

// send gives a frame to the writer, which must be idle.
func (t *terminal) send(frame []byte) {
	t.busy.Store(true)
	t.frames <- frame
}

// write writes at once. A device that is gone is noticed by the reader of its input.
func (t *terminal) write(data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.dev.Write(data)
}

// settle waits until the writer has nothing to do, but not for a device that is stuck.
func (t *terminal) settle() {
	for end := time.Now().Add(settleLimit); !t.idle() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// close ends the writer and switches the device back. last is written before.
func (t *terminal) close(last []byte) {
	close(t.frames)
	select {
	case <-t.done:
		t.write(last)
	case <-time.After(closeLimit): // what is written is not read
		if t.restore != nil {
			t.restore()
			t.restore = nil
		}
	}
	t.cooked()
	(<-t.dismiss)()
}

// copy puts a text into the clipboard, by OSC 52.
func (t *terminal) copy(s string) {
	t.write([]byte("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(s)) + "\a"))
}
