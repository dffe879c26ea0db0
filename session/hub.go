package session

import (
	"slices"
	"sync"
)

// hub delivers events to the session's subscribers, one at a time and in one order,
// whichever goroutine they come from. A subscriber may cause further events: those are
// delivered after the one that it is working on.
type hub struct {
	mu         sync.Mutex
	changed    sync.Cond // delivered has grown
	queue      []Event
	queued     uint64 // events ever added
	delivered  uint64
	delivering bool
	subs       []*subscriber // copied on write
}

type subscriber struct{ fn func(Event) }

func newHub() *hub {
	h := &hub{}
	h.changed.L = &h.mu
	return h
}

func (h *hub) subscribe(fn func(Event)) (unsubscribe func()) {
	sub := &subscriber{fn}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs = append(slices.Clone(h.subs), sub)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.subs = slices.DeleteFunc(slices.Clone(h.subs), func(s *subscriber) bool { return s == sub })
	}
}

// post puts an event in its place in the order. It is delivered by the next flush, which
// the caller owes once it holds no lock.
func (h *hub) post(ev Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, ev)
	h.queued++
}

// flush delivers what has been posted, unless another goroutine is at it already.
func (h *hub) flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drain()
}

// emit delivers an event and returns when the subscribers have returned from it. It must
// not be called by a subscriber.
func (h *hub) emit(ev Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, ev)
	h.queued++
	mine := h.queued
	h.drain()
	for h.delivered < mine {
		h.changed.Wait()
	}
}

// drain delivers the queue if nobody does; the mutex is held, but not while a subscriber
// is called.
func (h *hub) drain() {
	if h.delivering {
		return
	}
	h.delivering = true
	for len(h.queue) > 0 {
		ev, subs := h.queue[0], h.subs
		h.queue = slices.Delete(h.queue, 0, 1)
		h.call(subs, ev)
		h.delivered++
		h.changed.Broadcast()
	}
	h.delivering = false
}

// call releases the mutex while the subscribers work, also if one of them panics.
func (h *hub) call(subs []*subscriber, ev Event) {
	h.mu.Unlock()
	defer h.mu.Lock()
	for _, sub := range subs {
		sub.fn(ev)
	}
}
