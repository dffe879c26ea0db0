package session

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/session/ring"
)

// ErrBehind means that a reader of [Session.Events] has fallen so far behind that events which
// it has not had are gone. Take a snapshot of the session and read on from there.
var ErrBehind = errors.New("the reader of events has fallen behind, and events that it has not had are gone; take a snapshot and read again")

// Events returns the session's events from now on, for a reader that may be slow: it neither
// delays the session nor loses an event silently. The newest 16,384 events are kept for readers;
// one that needs an older one gets [ErrBehind] and no more. A message has been stored when its
// end is read. The sequence ends when the session is closed, and with ctx's error when ctx is
// done. Reading begins with the call of Events, not with the loop.
func (s *Session) Events(ctx context.Context) iter.Seq2[event.Event, error] {
	cursor, release := s.readers.open()
	stop := context.AfterFunc(ctx, release)
	return func(yield func(event.Event, error) bool) {
		defer stop()
		defer release()
		for {
			ev, err := cursor.Next(ctx)
			switch {
			case errors.Is(err, ring.ErrClosed):
				return
			case errors.Is(err, ring.ErrBehind):
				err = ErrBehind
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// readers keep the newest events while somebody reads them.
type readers struct {
	events *dispatcher

	mu          sync.Mutex
	count       int
	list        *ring.List[event.Event] // nil without readers
	unsubscribe func()
	closed      bool
}

// open adds a reader, and returns its cursor and the function that removes it.
func (r *readers) open() (*ring.Cursor[event.Event], func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list == nil {
		r.list = ring.NewList[event.Event](0)
		r.unsubscribe = r.events.subscribe(&subscriber{fn: r.list.Append, afterStore: true})
	}
	if r.closed {
		r.list.Close()
	}
	r.count++
	return r.list.Cursor(), sync.OnceFunc(r.leave)
}

// leave removes a reader. The events of the last one are not kept any more.
func (r *readers) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count--; r.count == 0 {
		r.unsubscribe()
		r.list = nil
	}
}

// close ends the sequences of all readers.
func (r *readers) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.list != nil {
		r.list.Close()
	}
}
