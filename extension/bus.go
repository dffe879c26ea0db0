package extension

import (
	"context"
	"slices"
	"sync"
)

// Bus carries data between extensions. What is sent on a channel goes to the listeners of
// that channel, in the order of subscription, before Emit returns.
type Bus struct {
	mu        sync.Mutex
	listeners map[string][]*busListener
}

type busListener struct {
	in *instance
	fn func(data any)
}

// NewBus returns a bus without listeners.
func NewBus() *Bus { return &Bus{listeners: make(map[string][]*busListener)} }

// Subscriptions are an extension's end of the bus.
type Subscriptions struct{ in *instance }

// Emit sends data, which listeners must not change. A listener that panics is reported.
func (s *Subscriptions) Emit(channel string, data any) {
	bus := s.in.runner.bus
	bus.mu.Lock()
	list := slices.Clone(bus.listeners[channel])
	bus.mu.Unlock()
	for _, l := range list {
		h := &handler{in: l.in, what: "events:" + channel}
		if _, err := guard(h, func() (None, error) { l.fn(data); return None{}, nil }); err != nil {
			l.in.runner.fail(context.Background(), h, err)
		}
	}
}

// On adds a listener; the returned function removes it.
func (s *Subscriptions) On(channel string, fn func(data any)) (off func()) {
	bus, l := s.in.runner.bus, &busListener{s.in, fn}
	bus.mu.Lock()
	defer bus.mu.Unlock()
	bus.listeners[channel] = append(bus.listeners[channel], l)
	return func() {
		bus.mu.Lock()
		defer bus.mu.Unlock()
		bus.listeners[channel] = slices.DeleteFunc(bus.listeners[channel], func(other *busListener) bool { return other == l })
	}
}

// drop removes the listeners of an instance.
func (b *Bus) drop(in *instance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for channel, list := range b.listeners {
		b.listeners[channel] = slices.DeleteFunc(list, func(l *busListener) bool { return l.in == in })
	}
}
