package agent

import (
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// listeners is the set of an agent's listeners, in the order of subscription. It is read
// live: one that is added during a delivery gets that event too, one that is removed is
// not called any more.
type listeners struct {
	mu   sync.Mutex
	last uint64
	set  atomic.Pointer[[]*subscription] // copied on write
}

// subscription is one listener.
type subscription struct {
	id uint64
	fn Listener

	// late is set when a run was given up because this listener did not return from
	// it. What the listener misses meanwhile waits in missed.
	late   atomic.Bool
	mu     sync.Mutex
	missed []missedEvent
}

type missedEvent struct {
	ctx context.Context
	ev  Event
}

// call calls the listener; one that is late gets the event when it comes back.
func (s *subscription) call(ctx context.Context, ev Event) error {
	if s.late.Load() && s.miss(ctx, ev) {
		return nil
	}
	err := s.fn(ctx, ev)
	if s.late.Load() {
		s.catchUp()
	}
	return err
}

// miss keeps an event for a late listener; false if it has come back meanwhile.
func (s *subscription) miss(ctx context.Context, ev Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.late.Load() {
		return false
	}
	s.missed = append(s.missed, missedEvent{context.WithoutCancel(ctx), ev})
	return true
}

// catchUp gives a listener that has come back what it missed, in order. It runs on the
// goroutine that was stuck in it, so that the listener never overlaps with itself.
func (s *subscription) catchUp() {
	for {
		s.mu.Lock()
		if len(s.missed) == 0 {
			s.late.Store(false)
			s.mu.Unlock()
			return
		}
		next := s.missed[0]
		s.missed = s.missed[1:]
		s.mu.Unlock()
		_, _ = guard("a listener", func() (struct{}, error) { return struct{}{}, s.fn(next.ctx, next.ev) })
	}
}

func (s *listeners) all() []*subscription {
	if set := s.set.Load(); set != nil {
		return *set
	}
	return nil
}

func (s *listeners) add(fn Listener) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	sub := &subscription{id: s.last, fn: fn}
	set := append(slices.Clone(s.all()), sub)
	s.set.Store(&set)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		set := slices.DeleteFunc(slices.Clone(s.all()), func(other *subscription) bool { return other == sub })
		s.set.Store(&set)
	}
}

// deliver calls the listeners one after another; the first error ends it.
func (s *listeners) deliver(ctx context.Context, r *run, ev Event) error {
	set := s.set.Load()
	if set == nil {
		return nil
	}
	for i := 0; i < len(*set); {
		sub := (*set)[i]
		r.current.Store(sub.id)
		if err := sub.call(ctx, ev); err != nil {
			return err
		}
		if r.abandoned.Load() { // the others have had the event
			return ErrUnresponsive
		}
		if now := s.set.Load(); now != set {
			set, i = now, after(*now, sub.id)
		} else {
			i++
		}
	}
	r.current.Store(0)
	return nil
}

// each is deliver for a call that changes from listener to listener.
func (s *listeners) each(r *run, call func(*subscription) error) error {
	var done uint64
	for {
		set := s.all()
		i := after(set, done)
		if i == len(set) {
			r.current.Store(0)
			return nil
		}
		done = set[i].id
		r.current.Store(done)
		if err := call(set[i]); err != nil {
			return err
		}
		if r.abandoned.Load() {
			return ErrUnresponsive
		}
	}
}

// after returns the place of the first listener that was added after the given one.
func after(set []*subscription, id uint64) int {
	return sort.Search(len(set), func(i int) bool { return set[i].id > id })
}
