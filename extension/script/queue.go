package script

import (
	"context"
	"sync"

	"github.com/rondo-agent/rondo/extension"
)

// queue lets operations begin in the order in which JavaScript has called them: each when the
// one before has said that it has begun, or has ended. Dialogs are such, since they would come
// before the person in any order else.
type queue struct {
	last <-chan struct{} // closed when the one that has come last has begun
}

// take gives an operation its place. It belongs to the goroutine that operations come on.
func (q *queue) take() *turn {
	begun := make(chan struct{})
	t := &turn{before: q.last, begin: sync.OnceFunc(func() { close(begun) })}
	q.last = begun
	return t
}

// turn is a place in a queue.
type turn struct {
	before <-chan struct{} // nil for the first
	begin  func()
}

type turnKey struct{}

// run runs an operation in its turn. A dialog that is there has begun.
func (t *turn) run(ctx context.Context, op func(ctx context.Context) ([]byte, error)) ([]byte, error) {
	defer t.begin()
	if t.before != nil {
		select {
		case <-t.before:
		case <-ctx.Done():
		}
	}
	return op(extension.WithDialogShown(context.WithValue(ctx, turnKey{}, t), t.begin))
}

// begun lets the operation that comes next begin, although this one's dialog is not there yet.
func begun(ctx context.Context) {
	if t, ok := ctx.Value(turnKey{}).(*turn); ok {
		t.begin()
	}
}
