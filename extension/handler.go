package extension

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// handler is a function of an extension: of an event, a command, a shortcut, a factory.
type handler struct {
	in       *instance
	what     string        // names it in reports
	deadline time.Duration // 0 is none
	native   func(ctx context.Context, x *Context, e Event) (any, error)
	json     JSONHandler

	once sync.Once
	turn chan struct{} // holds a value while somebody waits for the handler, so that it never overlaps with itself
	hung atomic.Int32  // calls that were left behind and have not returned
}

func (h *handler) gate() chan struct{} {
	h.once.Do(func() { h.turn = make(chan struct{}, 1) })
	return h.turn
}

// errHung means that a handler was not called, since an earlier call has not returned.
var errHung = errors.New("the handler has not returned from an earlier call; a reload starts its extension anew")

// active is a call under way, as its context knows it.
type active struct {
	h     *handler
	outer *active // the call that this one was made by, if any
	clock *clock
	moved atomic.Bool
}

type activeKey struct{}

func activeOf(ctx context.Context) *active {
	a, _ := ctx.Value(activeKey{}).(*active)
	return a
}

// within reports whether a call of h is under way in this context.
func (a *active) within(h *handler) bool {
	for ; a != nil; a = a.outer {
		if a.h == h {
			return true
		}
	}
	return false
}

// call calls a function of an extension. Its failure, a panic or a missed deadline included,
// is the error. If the context is done, the call counts as over after a grace period.
func call[T any](ctx context.Context, r *Runner, h *handler, fn func(context.Context) (T, error)) (none T, err error) {
	if ctx.Err() != nil {
		// What follows an abort, such as the end of its run, is told nevertheless, but not
		// waited for as long.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(context.WithoutCancel(ctx), afterAbort, errLate)
		defer cancel()
	}
	outer := activeOf(ctx)
	if !outer.within(h) {
		select {
		case h.gate() <- struct{}{}:
			defer func() { <-h.turn }()
		case <-ctx.Done():
			return none, context.Cause(ctx)
		}
	}
	if h.hung.Load() > 0 { // maybe since this call waits for its turn
		return none, errHung
	}
	return run(ctx, r, h, outer, fn)
}

// afterAbort is how long a handler may take about an event of a run that was aborted.
const afterAbort = time.Second

// errLate is the deadline of such a handler.
var errLate = fmt.Errorf("%w: it was given %v, since the run was aborted", ErrDeadline, afterAbort)

// outcome is what a function has returned.
type outcome[T any] struct {
	value T
	err   error
}

// run gives the function a goroutine of its own, so that it can be left behind.
func run[T any](ctx context.Context, r *Runner, h *handler, outer *active, fn func(context.Context) (T, error)) (none T, err error) {
	if !r.acquire() {
		return none, errEnded
	}
	limit := h.deadline
	if limit > 0 && r.opts.Deadline > 0 {
		limit = r.opts.Deadline
	}
	own, cancel := context.WithCancelCause(ctx)
	a := &active{h: h, outer: outer, clock: newClock(limit, func() { cancel(ErrDeadline) })}
	stop := context.AfterFunc(r.ctx, func() {
		if !a.moved.Load() {
			cancel(ErrStale)
		}
	})
	own = context.WithValue(own, activeKey{}, a)
	done := make(chan outcome[T], 1)
	go func() {
		defer r.release()
		value, err := guard(h, func() (T, error) { return fn(own) })
		stop()
		a.clock.stop()
		done <- outcome[T]{value, err}
		close(done)
	}()
	defer cancel(ErrReturned)
	select {
	case o := <-done:
		return o.value, o.err
	case <-own.Done():
	}
	patience := time.NewTimer(r.opts.Grace)
	defer patience.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-patience.C:
	}
	cause := context.Cause(own)
	if h.json == nil || errors.Is(cause, ErrDeadline) && !errors.Is(cause, errLate) {
		// A handler of another language that an abort has left behind is asked again: a promise
		// that is never kept holds up nothing there.
		h.hung.Add(1)
		go func() { // ends with the handler
			<-done
			h.hung.Add(-1)
		}()
	}
	switch {
	case errors.Is(cause, errLate):
		return none, fmt.Errorf("%w; it is left behind", cause)
	case errors.Is(cause, ErrDeadline):
		return none, fmt.Errorf("%w: it was given %v; it is left behind, and not called again before it returns", ErrDeadline, limit)
	default:
		return none, fmt.Errorf("it does not return although its work was cancelled (%w); it is left behind", cause)
	}
}

// move says that the calls of this context replace the session, so that they go on when
// their instance ends.
func (a *active) move() {
	for ; a != nil; a = a.outer {
		a.moved.Store(true)
	}
}

// guard makes an error of a panic.
func guard[T any](h *handler, fn func() (T, error)) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			failure := &Error{Path: h.in.source.Path, Event: h.what, Err: fmt.Errorf("panic: %v", p), Stack: string(debug.Stack())}
			if cause, ok := p.(error); ok {
				failure.Err = fmt.Errorf("panic: %w", cause)
			}
			err = failure
		}
	}()
	return fn()
}

// clock counts down while nobody holds it.
type clock struct {
	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration
	since time.Time
	holds int
	ended bool
}

// newClock returns a clock that has begun; without a limit it never expires.
func newClock(limit time.Duration, expire func()) *clock {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	return &clock{timer: time.AfterFunc(limit, expire), left: limit, since: time.Now()}
}

// hold stops the clock until the returned function is called.
func (c *clock) hold() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds++; c.holds == 1 && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holds--; c.holds == 0 && !c.ended {
			c.since = time.Now()
			c.timer.Reset(max(c.left, 0))
		}
	}
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.timer.Stop()
}

// hold stops the clocks of all calls of this context.
func (a *active) hold() (release func()) {
	var releases []func()
	for ; a != nil; a = a.outer {
		releases = append(releases, a.clock.hold())
	}
	return func() {
		for _, release := range releases {
			release()
		}
	}
}
