package ring

import (
	"context"
	"sync"
)

// DefaultRecords is how many records a ring keeps unless its limits say otherwise.
const DefaultRecords = 16_384

// List is a ring of values for readers in the same process. What can be relied on of a [Ring]
// holds for it as well, but for the pace: its readers are woken with each value. All methods may
// be called from any goroutine.
type List[T any] struct {
	limit int

	mu     sync.Mutex
	values []T           // the newest, oldest first; a full list reuses the place of the oldest
	next   uint64        // the number of the value that is added next, counted from 0
	wake   chan struct{} // closed when a value is added; nil if no reader waits
	closed bool
}

// NewList returns an empty list that keeps the newest values; 0 means [DefaultRecords].
func NewList[T any](limit int) *List[T] {
	if limit <= 0 {
		limit = DefaultRecords
	}
	return &List[T]{limit: limit}
}

// Append adds a value. It never waits for a reader. A closed list drops it.
func (l *List[T]) Append(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if len(l.values) < l.limit {
		l.values = append(l.values, v)
	} else {
		l.values[l.next%uint64(l.limit)] = v
	}
	l.next++
	l.notify()
}

// Close ends the list. Readers get what there is, and [ErrClosed] then.
func (l *List[T]) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.notify()
}

// notify needs the mutex.
func (l *List[T]) notify() {
	if l.wake != nil {
		close(l.wake)
		l.wake = nil
	}
}

// Cursor returns a place in the list: behind the newest value.
func (l *List[T]) Cursor() *Cursor[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &Cursor[T]{list: l, at: l.next}
}

// Cursor is a place in a [List]. It is for one goroutine at a time.
type Cursor[T any] struct {
	list *List[T]
	at   uint64
}

// Next waits for the value at the cursor and moves the cursor behind it. The error is
// [ErrBehind], [ErrClosed] or ctx's.
func (c *Cursor[T]) Next(ctx context.Context) (v T, err error) {
	for {
		wait, v, err := c.poll()
		if wait == nil {
			return v, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

// poll returns the value at the cursor or, if there is none yet, a channel that is closed when
// there may be.
func (c *Cursor[T]) poll() (wait chan struct{}, v T, err error) {
	l := c.list
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.next-c.at > uint64(len(l.values)):
		return nil, v, ErrBehind
	case c.at < l.next:
		v = l.values[c.at%uint64(l.limit)]
		c.at++
		return nil, v, nil
	case l.closed:
		return nil, v, ErrClosed
	}
	if l.wake == nil {
		l.wake = make(chan struct{})
	}
	return l.wake, v, nil
}
