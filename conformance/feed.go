package conformance

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// errEnded means that a feed has ended before the item that was waited for.
var errEnded = errors.New("program ended")

// feed is a list that grows until it is closed; readers wait for items.
type feed[T any] struct {
	mu      sync.Mutex
	items   []T
	closed  bool
	changed chan struct{}
}

func newFeed[T any]() *feed[T] { return &feed[T]{changed: make(chan struct{})} }

// add appends an item and returns its index.
func (f *feed[T]) add(item T) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, item)
	f.wake()
	return len(f.items) - 1
}

func (f *feed[T]) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.wake()
}

// wake is called with the lock held.
func (f *feed[T]) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// item waits until the item with this index exists. The error is errEnded or the cause of
// the context's end.
func (f *feed[T]) item(ctx context.Context, index int) (T, error) {
	for {
		f.mu.Lock()
		changed, closed, items := f.changed, f.closed, f.items
		f.mu.Unlock()
		var none T
		switch {
		case index < len(items):
			return items[index], nil
		case closed:
			return none, errEnded
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return none, context.Cause(ctx)
		}
	}
}

// all returns the items so far.
func (f *feed[T]) all() []T {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.items)
}
