package rpc

import (
	"context"
	"sync"
)

// inbox has the lines that are read ahead of their turn. A client that does not read its output is
// noticed only when its input has been read to its end, and what lies before that end in a pipe is
// 64 KiB as a rule.
type inbox struct {
	mu    sync.Mutex
	lines [][]byte
	size  int
	ended bool

	added chan struct{} // holds a value when lines or the end have been added
	taken chan struct{} // holds a value when a line has been taken
}

const (
	// maxAhead is how many bytes are read ahead; a line that is larger is read ahead alone.
	maxAhead = 1 << 20
	// perLine is what a line counts beside its text.
	perLine = 64
)

func newInbox() *inbox {
	return &inbox{added: make(chan struct{}, 1), taken: make(chan struct{}, 1)}
}

// put adds a line, when there is room for it; false when ctx is done before.
func (b *inbox) put(ctx context.Context, text []byte) bool {
	for !b.tryPut(text) {
		select {
		case <-b.taken:
		case <-ctx.Done():
			return false
		}
	}
	signal(b.added)
	return true
}

func (b *inbox) tryPut(text []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cost := len(text) + perLine; b.size == 0 || b.size+cost <= maxAhead {
		b.lines = append(b.lines, text)
		b.size += cost
		return true
	}
	return false
}

// end says that no line follows.
func (b *inbox) end() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	signal(b.added)
}

// deliver sends the lines to out, and closes it behind the last one; or ends when ctx is done.
func (b *inbox) deliver(ctx context.Context, out chan<- []byte) {
	for {
		text, ended := b.take()
		switch {
		case text != nil:
			select {
			case out <- text:
			case <-ctx.Done():
				return
			}
		case ended:
			close(out)
			return
		default:
			select {
			case <-b.added:
			case <-ctx.Done():
				return
			}
		}
	}
}

// take removes the first line; nil if there is none.
func (b *inbox) take() (text []byte, ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines) == 0 {
		b.lines = nil // the array is not kept
		return nil, b.ended
	}
	text, b.lines[0] = b.lines[0], nil
	b.lines = b.lines[1:]
	b.size -= len(text) + perLine
	signal(b.taken)
	return text, false
}

// signal fills a channel that holds one value.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
