package relay

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// sender writes events to one client, and comments while there are none.
type sender struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	buf     []byte

	mu     sync.Mutex // guards w and what follows
	failed bool
	last   time.Time

	stop chan struct{}
	done sync.WaitGroup
}

func newSender(w http.ResponseWriter, opts *HandlerOptions) *sender {
	s := &sender{
		w: w, control: http.NewResponseController(w), timeout: opts.WriteTimeout,
		last: time.Now(), stop: make(chan struct{}),
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
	_ = s.control.Flush() // a writer that cannot flush delivers at the end
	if opts.KeepAlive > 0 {
		s.done.Go(func() { s.beat(opts.KeepAlive) })
	}
	return s
}

// line returns an empty line to append an event to; it is reused for the next event.
func (s *sender) line() []byte { return append(s.buf[:0], "data: "...) }

// send writes a line; false if the client cannot be reached any more.
func (s *sender) send(line []byte) bool {
	s.buf = append(line, "\n\n"...)
	return s.write(s.buf)
}

func (s *sender) write(text []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed {
		return false
	}
	s.last = time.Now()
	_ = s.control.SetWriteDeadline(s.last.Add(s.timeout)) // where there are no deadlines, there is none to miss
	_, err := s.w.Write(text)
	if err == nil {
		err = s.control.Flush()
	}
	s.failed = err != nil && !errors.Is(err, http.ErrNotSupported)
	return !s.failed
}

// beat sends a comment whenever nothing has been sent for that long.
func (s *sender) beat(every time.Duration) {
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-timer.C:
		}
		idle := s.idle()
		if idle >= every {
			if !s.write([]byte(": \n\n")) {
				return
			}
			idle = 0
		}
		timer.Reset(every - idle)
	}
}

func (s *sender) idle() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

// close waits for the comments to end, so that nothing is written after the handler has
// returned.
func (s *sender) close() {
	close(s.stop)
	s.done.Wait()
	_ = s.control.SetWriteDeadline(time.Time{})
}
