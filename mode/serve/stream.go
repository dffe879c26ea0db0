package serve

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rondo-agent/rondo/session/ring"
)

// piece is how much is written to a connection at once, so that a slow reader shows that it
// reads.
const piece = 16 << 10

// stream is one client that reads the events of a session.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	opts    *Options
	l       *live
	reader  *ring.Reader
}

// newStream begins to answer with events. Nothing is sent before the first of them.
func newStream(w http.ResponseWriter, opts *Options, l *live, after uint64) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform") // a proxy that compresses would collect events
	h.Set("X-Accel-Buffering", "no")                 // for proxies that would collect events
	return &stream{w: w, control: http.NewResponseController(w), opts: opts, l: l, reader: l.ring.Reader(after)}
}

// open sends the head, so that the client knows that it is connected. retry is how soon its
// own code should come back.
func (s *stream) open() error { return s.write([]byte("retry: 1000\n\n")) }

// resume goes on after what the client has had, or, if that is not known any more, from a
// snapshot. An empty id begins with a snapshot.
func (s *stream) resume(ctx context.Context, id string) error {
	if n, ok := s.l.place(id); ok {
		if _, ok := s.l.ring.Since(n); ok {
			s.reader = s.l.ring.Reader(n)
			return nil
		}
	}
	if id != "" {
		return s.restart(ctx)
	}
	return s.sendSnapshot(ctx)
}

// restart notifies the client that it has missed events, and sends the state after them.
func (s *stream) restart(ctx context.Context) error {
	if err := s.write([]byte(`data: {"type":"behind","message":"some events after the last one that you had are gone: the snapshot that follows says what they have led to"}` + "\n\n")); err != nil {
		return err
	}
	return s.sendSnapshot(ctx)
}

func (s *stream) sendSnapshot(ctx context.Context) error {
	snap, err := s.l.takeSnapshot(ctx)
	if err != nil {
		return err
	}
	s.reader = s.l.ring.Reader(snap.at)
	return s.write(snap.frame)
}

// settled sends the end of a one-shot stream whose own one is gone.
func (s *stream) settled() error {
	return s.write([]byte(`data: {"type":"agent_settled"}` + "\n\n"))
}

// follow sends events until the stream ends, the client is gone, or, if oneShot is set, up to
// the first agent_settled after the event from. It returns nil at such an end.
func (s *stream) follow(ctx context.Context, oneShot bool, from uint64) error {
	for {
		batch, err := s.next(ctx)
		if err == nil {
			done := false
			if oneShot {
				batch, done = s.cut(batch, from)
			}
			if err := s.write(batch); err != nil || done {
				return err
			}
			continue
		}
		switch {
		case errors.Is(err, ring.ErrBehind):
			if err := s.restart(ctx); err != nil {
				return err
			}
			if at, over := s.l.settledAfter(from); oneShot && over && at <= s.reader.Last() {
				return s.settled() // its end is among what the snapshot stands for
			}
		case errors.Is(err, ring.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

// next waits for events, and sends a comment now and then while there are none.
func (s *stream) next(ctx context.Context) ([]byte, error) {
	for {
		waiting, cancel := context.WithTimeout(ctx, s.opts.Limits.KeepAlive)
		batch, err := s.reader.Next(waiting)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return batch, err
		}
		if err := s.write([]byte(":\n\n")); err != nil {
			return nil, err
		}
	}
}

// cut leaves out what comes after the agent_settled that ends a one-shot stream.
func (s *stream) cut(batch []byte, from uint64) (rest []byte, done bool) {
	at, over := s.l.settledAfter(from)
	if !over || at > s.reader.Last() {
		return batch, false
	}
	// The text below stands in no event: an event has no line's end.
	next := append([]byte("\n\n"), appendID(nil, s.l.epoch, at+1)...)
	if i := bytes.Index(batch, next); i >= 0 {
		batch = batch[:i+2]
	}
	return batch, true
}

// write sends data and gives the client time for each piece of it.
func (s *stream) write(data []byte) error {
	for len(data) > 0 {
		n := min(len(data), piece)
		if err := s.control.SetWriteDeadline(time.Now().Add(s.opts.Limits.WriteTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := s.w.Write(data[:n]); err != nil {
			return err
		}
		if err := s.control.Flush(); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
