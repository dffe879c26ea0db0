package script

import (
	"sync"
	"time"

	"modernc.org/quickjs"
)

// watchdog interrupts JavaScript that does not give way. Time in host operations does not
// count: the machine's goroutine pauses the watchdog there.
type watchdog struct {
	vm *quickjs.VM

	mu      sync.Mutex
	timer   *time.Timer
	running bool // JavaScript runs and its time counts
	killed  bool // nothing may run any more
	fired   bool // the turn under way was interrupted
}

// begin starts the clock of a turn.
func (w *watchdog) begin(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running, w.fired = true, false
	if w.killed {
		w.vm.Interrupt()
		return
	}
	w.arm(limit)
}

// arm needs the mutex.
func (w *watchdog) arm(limit time.Duration) {
	if limit <= 0 {
		return
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(limit, w.bite)
		return
	}
	w.timer.Reset(limit)
}

func (w *watchdog) bite() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		w.fired = true
		w.vm.Interrupt()
	}
}

// end stops the clock and tells whether the turn was interrupted.
func (w *watchdog) end() (interrupted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	if w.timer != nil {
		w.timer.Stop()
	}
	return w.fired || w.killed
}

// pause stops the clock while an operation runs; the function it returns starts it anew.
func (w *watchdog) pause(limit time.Duration) (resume func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running {
		return func() {}
	}
	w.running = false
	if w.timer != nil {
		w.timer.Stop()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.running = true
		if w.killed {
			w.vm.Interrupt()
			return
		}
		w.arm(limit)
	}
}

// kill interrupts what runs now and whatever starts later.
func (w *watchdog) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.killed = true
	if w.running {
		w.vm.Interrupt()
	}
}

// nested gives a turn inside an operation its own clock, and stops that again.
func (w *watchdog) nested(limit time.Duration) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = true
	if w.killed {
		w.vm.Interrupt()
	} else {
		w.arm(limit)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.running = false
		if w.timer != nil {
			w.timer.Stop()
		}
	}
}

// bitten reports whether the turn under way has been interrupted.
func (w *watchdog) bitten() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fired || w.killed
}
