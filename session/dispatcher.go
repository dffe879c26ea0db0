package session

import (
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/session/event"
)

// dispatcher delivers events to the session's subscribers, one at a time and in one order,
// from whichever goroutine they come. A subscriber may cause further events: those are
// delivered after the one that it is working on.
//
// There are two ways to add an event. One that is emitted has a goroutine that waits for
// its delivery. One that is posted has none; the goroutine that delivers at the time takes
// care of it. Its lock is the last in the order of locks of a [Session].
type dispatcher struct {
	mu         sync.Mutex
	changed    sync.Cond // delivered has grown, or delivering has become false
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
	everyone    audience = iota
	beforeStore          // subscribers that get the end of a message before it is stored
	afterStore           // subscribers that get it when it has been stored
)

type subscriber struct {
	fn         func(event.Event)
	afterStore bool
}

// belongs reports whether the subscriber is in the audience.
func (s *subscriber) belongs(to audience) bool {
	return to == everyone || s.afterStore == (to == afterStore)
}

func newDispatcher() *dispatcher {
	d := &dispatcher{}
	d.changed.L = &d.mu
	return d
}

func (d *dispatcher) subscribe(sub *subscriber) (unsubscribe func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.subs = append(slices.Clone(d.subs), sub)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.subs = slices.DeleteFunc(slices.Clone(d.subs), func(s *subscriber) bool { return s == sub })
	}
}

// post puts an event in its place in the order and returns which one it is. It is
// delivered by the next flush, which the caller owes once it holds no lock.
func (d *dispatcher) post(ev event.Event) (n uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.add(queuedEvent{Event: ev})
}

// add needs the mutex.
func (d *dispatcher) add(ev queuedEvent) (n uint64) {
	d.queue = append(d.queue, ev)
	d.queued++
	return d.queued
}

// flush delivers what has been posted, unless another goroutine is delivering.
func (d *dispatcher) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.delivering {
		d.deliver(0)
	}
}

// emit delivers an event and returns when the subscribers have returned from it. It must
// not be called by a subscriber.
func (d *dispatcher) emit(ev event.Event) { d.emitTo(everyone, ev) }

// emitTo is emit for some of the subscribers.
func (d *dispatcher) emitTo(to audience, ev event.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.await(d.add(queuedEvent{Event: ev, awaited: true, to: to}))
}

// awaitDelivery returns when the event that post has numbered n has been delivered. It must not
// be called by a subscriber.
func (d *dispatcher) awaitDelivery(n uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.await(n)
}

// await needs the mutex.
func (d *dispatcher) await(n uint64) {
	for d.delivered < n {
		if d.delivering {
			d.changed.Wait()
		} else {
			d.deliver(n)
		}
	}
}

// deliver delivers the events up to the n-th, and after it those that no goroutine waits for: an
// event that has a goroutine of its own is left to that one, so that events of others do
// not keep the goroutine that delivers. The mutex is held, but not while a subscriber is called.
func (d *dispatcher) deliver(n uint64) {
	d.delivering = true
	defer func() {
		d.delivering = false
		d.changed.Broadcast()
	}()
	for len(d.queue) > 0 && (d.delivered < n || !d.queue[0].awaited) {
		ev := d.queue[0]
		d.queue = slices.Delete(d.queue, 0, 1)
		d.call(d.subs, ev)
	}
}

// call releases the mutex while the subscribers work. The event counts as delivered also
// if one of them panics.
func (d *dispatcher) call(subs []*subscriber, ev queuedEvent) {
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.delivered++
		d.changed.Broadcast()
	}()
	for _, sub := range subs {
		if sub.belongs(ev.to) {
			sub.fn(ev.Event)
		}
	}
}
