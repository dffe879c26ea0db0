package extension

import (
	"context"
	"sync"
	"time"
)

// FireGrace is how long who fires an event waits for its handlers, so that what they do at
// once comes before what follows.
const FireGrace = 50 * time.Millisecond

// firing delivers events that nobody waits for: one after another, in order.
type firing struct {
	mu    sync.Mutex
	queue []firedEvent
	busy  bool
}

type firedEvent struct {
	Hook[None]
	ctx  context.Context //nolint:containedctx // of who has sent it, for its values
	done chan struct{}
}

// Fire sends an event whose policy is not to be awaited. It waits for the handlers no longer
// than the grace, which may be 0; they go on when ctx ends.
func (r *Runner) Fire(ctx context.Context, e Hook[None], grace time.Duration) {
	if !r.Has(e.Kind()) {
		return
	}
	fired := firedEvent{e, context.WithoutCancel(ctx), make(chan struct{})}
	if !r.enqueue(fired) {
		return
	}
	if grace <= 0 {
		return
	}
	limit := time.NewTimer(grace)
	defer limit.Stop()
	select {
	case <-fired.done:
	case <-limit.C:
	}
}

// enqueue puts an event behind those that wait; ok is false when the runner has ended.
func (r *Runner) enqueue(fired firedEvent) (ok bool) {
	f := &r.fired
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.busy {
		if !r.acquire() {
			return false
		}
		f.busy = true
		go r.drain()
	}
	f.queue = append(f.queue, fired)
	return true
}

// drain delivers what is queued.
func (r *Runner) drain() {
	defer r.release()
	f := &r.fired
	for {
		f.mu.Lock()
		if len(f.queue) == 0 {
			f.busy = false
			f.mu.Unlock()
			return
		}
		next := f.queue[0]
		f.queue = f.queue[1:]
		f.mu.Unlock()
		r.Emit(next.ctx, next.Hook)
		close(next.done)
	}
}

// Emit sends an event that observes, and returns when its handlers have returned.
func (r *Runner) Emit(ctx context.Context, e Hook[None]) {
	if r.Has(e.Kind()) {
		_ = dispatch(ctx, r, e, nil) // the failures of observers are reported
	}
}
