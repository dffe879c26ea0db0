package session

import (
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/session/event"
)

// hub delivers events to the session's subscribers, one at a time and in one order,
// whichever goroutine they come from. A subscriber may cause further events: those are
// delivered after the one that it is working on.
//
// There are two ways to add an event. One that is emitted has a goroutine that waits for
// its delivery. One that is posted has none; whoever delivers takes care of it.
type hub struct {
	mu         sync.Mutex
	changed    sync.Cond // delivered has grown, or nobody delivers any more
	queue      []queuedEvent
	queued     uint64 // events ever added
	delivered  uint64
	delivering bool
	subs       []*subscriber // copied on write
}

type queuedEvent struct {
	event.Event
	awaited bool
	to      audience
}

// audience says which subscribers an event goes to.
type audience int

const (
	everyone audience = iota
	early             // who is told of a message before it is stored
	late              // who is told when it has been stored
)

type subscriber struct {
	fn   func(event.Event)
	late bool
}

// hears reports whether the subscriber belongs to the audience.
func (s *subscriber) hears(to audience) bool {
	return to == everyone || s.late == (to == late)
}

func newHub() *hub {
	h := &hub{}
	h.changed.L = &h.mu
	return h
}

func (h *hub) subscribe(sub *subscriber) (unsubscribe func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs = append(slices.Clone(h.subs), sub)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.subs = slices.DeleteFunc(slices.Clone(h.subs), func(s *subscriber) bool { return s == sub })
	}
}

// post puts an event in its place in the order and returns which one it is. It is
// delivered by the next flush, which the caller owes once it holds no lock.
func (h *hub) post(ev event.Event) (n uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.add(queuedEvent{Event: ev})
}

// add needs the mutex.
func (h *hub) add(ev queuedEvent) (n uint64) {
	h.queue = append(h.queue, ev)
	h.queued++
	return h.queued
}

// flush delivers what has been posted, unless another goroutine is at it already.
func (h *hub) flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.delivering {
		h.deliver(0)
	}
}

// emit delivers an event and returns when the subscribers have returned from it. It must
// not be called by a subscriber.
func (h *hub) emit(ev event.Event) { h.emitTo(everyone, ev) }

// emitTo is emit for some of the subscribers.
func (h *hub) emitTo(to audience, ev event.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.await(h.add(queuedEvent{Event: ev, awaited: true, to: to}))
}

// settle returns when the event that post has numbered n has been delivered. It must not
// be called by a subscriber.
func (h *hub) settle(n uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.await(n)
}

// await needs the mutex.
func (h *hub) await(n uint64) {
	for h.delivered < n {
		if h.delivering {
			h.changed.Wait()
		} else {
			h.deliver(n)
		}
	}
}

// deliver delivers the events up to the n-th, and after it those that nobody waits for: an
// event that has a goroutine of its own is left to that one, so that who delivers is not
// kept by the events of others. The mutex is held, but not while a subscriber is called.
func (h *hub) deliver(n uint64) {
	h.delivering = true
	defer func() {
		h.delivering = false
		h.changed.Broadcast()
	}()
	for len(h.queue) > 0 && (h.delivered < n || !h.queue[0].awaited) {
		ev := h.queue[0]
		h.queue = slices.Delete(h.queue, 0, 1)
		h.call(h.subs, ev)
	}
}

// call releases the mutex while the subscribers work. The event counts as delivered also
// if one of them panics.
func (h *hub) call(subs []*subscriber, ev queuedEvent) {
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.delivered++
		h.changed.Broadcast()
	}()
	for _, sub := range subs {
		if sub.hears(ev.to) {
			sub.fn(ev.Event)
		}
	}
}
