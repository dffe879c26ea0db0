package child

import (
	"io"
	"sync"
)

// maxWaiting is how many bytes may wait for a program to read them.
const maxWaiting = 64 << 20

// outbox holds the lines that are to be written. There is always room for one.
type outbox struct {
	mu     sync.Mutex
	queue  [][]byte
	bytes  int
	closed bool
	wake   chan struct{}
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put reports false if there is no room, and drops the line if the box is closed.
func (o *outbox) put(line []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	if len(o.queue) > 0 && o.bytes+len(line) > maxWaiting {
		return false
	}
	o.queue, o.bytes = append(o.queue, line), o.bytes+len(line)
	o.signal()
	return true
}

// close ends the writing when everything has been written.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take returns what waits; nil and false when there will be nothing any more.
func (o *outbox) take() (batch [][]byte, more bool) {
	for {
		o.mu.Lock()
		batch, o.queue, o.bytes = o.queue, nil, 0
		closed := o.closed
		o.mu.Unlock()
		if len(batch) > 0 || closed {
			return batch, len(batch) > 0
		}
		<-o.wake
	}
}

// drain writes what is put until the box is closed or the reader is gone.
func (o *outbox) drain(w io.WriteCloser) {
	defer w.Close()
	for {
		batch, more := o.take()
		if !more {
			return
		}
		for _, line := range batch {
			if _, err := w.Write(line); err != nil {
				o.close()
				return
			}
		}
	}
}
