package wire

import (
	"context"
	"io"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

const (
	defaultIdle = 5 * time.Minute
	// An answer's last bytes are usually there already when its terminal event has been
	// read. Taking them keeps the connection for the next request; a server that holds
	// the stream open instead costs this long, and its connection.
	drainTimeout = 10 * time.Millisecond
	drainLimit   = 64 << 10
)

// body is a response's body. Silence ends it with an [*ai.TimeoutError], cancelling its
// context with the cause; closing it takes at most drainTimeout.
type body struct {
	ctx    context.Context // of the request; not kept beyond the response
	cancel context.CancelCauseFunc
	raw    io.ReadCloser
	idle   time.Duration
	timer  *time.Timer
	unhook func() bool
	ended  bool
}

func newBody(ctx context.Context, cancel context.CancelCauseFunc, raw io.ReadCloser, idle time.Duration) *body {
	if idle == 0 {
		idle = defaultIdle
	}
	b := &body{ctx: ctx, cancel: cancel, raw: raw, idle: idle}
	if idle > 0 {
		b.timer = time.AfterFunc(idle, func() {
			cancel(&ai.TimeoutError{Waiting: "more of the answer", After: b.idle})
		})
		b.timer.Stop()
	}
	// A transport that ignores the context is woken by closing its body.
	b.unhook = context.AfterFunc(ctx, func() { raw.Close() })
	return b
}

// Read reads; its error is the cause of the cancellation where there is one.
func (b *body) Read(p []byte) (int, error) {
	if b.timer != nil {
		b.timer.Reset(b.idle)
		defer b.timer.Stop()
	}
	n, err := b.raw.Read(p)
	if err == nil {
		return n, nil
	}
	b.ended = true
	if err == io.EOF {
		return n, err
	}
	if cause := context.Cause(b.ctx); cause != nil {
		return n, cause
	}
	return n, err
}

// Close ends the response, whether it has been read or not.
func (b *body) Close() error {
	if !b.ended && b.ctx.Err() == nil {
		b.drain()
	}
	b.unhook()
	b.cancel(context.Canceled)
	return b.raw.Close()
}

func (b *body) drain() {
	timer := time.AfterFunc(drainTimeout, func() { b.cancel(context.Canceled) })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, b.raw, drainLimit) // what cannot be read is not waited for
}

// Hurry makes a body of [Post] treat silence of d as its end, if d is less than what it
// waits for otherwise. It is for the end of an answer, when little more is to come.
func Hurry(r io.ReadCloser, d time.Duration) {
	if b, ok := r.(*body); ok && b.timer != nil && d < b.idle {
		b.idle = d
	}
}
