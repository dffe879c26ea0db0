package extui

import "sync"

// worker calls functions one after another on a goroutine, which lasts as long as there are any.
type worker struct {
	mu     sync.Mutex
	calls  []func()
	busy   bool
	closed bool
}

// do calls fn after what was asked for before it; false if the worker has been closed.
func (w *worker) do(fn func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.calls = append(w.calls, fn)
	if !w.busy {
		w.busy = true
		go w.work()
	}
	return true
}

func (w *worker) work() {
	for {
		w.mu.Lock()
		if len(w.calls) == 0 {
			w.busy = false
			w.mu.Unlock()
			return
		}
		fn := w.calls[0]
		w.calls = w.calls[1:]
		w.mu.Unlock()
		fn()
	}
}

// close refuses further calls; those that were asked for are made.
func (w *worker) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}

func (w *worker) isBusy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy
}

// waiting returns how many calls have not started.
func (w *worker) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls)
}
