package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
)

// Delivery says when a queued message is delivered.
type Delivery string

// The deliveries.
const (
	// Steer delivers at the next request of the run.
	Steer Delivery = "steer"
	// FollowUp delivers when the run would stop.
	FollowUp Delivery = "followUp"
	// Interrupt aborts what the agent does and begins a run with the message, in one step:
	// no other prompt can come between, and what is queued comes after it. It is for
	// prompts only, and not a delivery of Pi's.
	Interrupt Delivery = "abort"
)

// queue is the messages that wait: those of the user in the agent's queues, as they are shown,
// and those of extensions for the next prompt. Each change of the former is an event, which is
// posted under the lock.
type queue struct {
	agent  *agent.Agent
	events *dispatcher

	mu       sync.Mutex
	waiting  []*queuedMessage
	nextTurn []agent.Message // of extensions, for the next prompt of the user
	quiet    []agent.Message // of extensions, for the end of the turn under way
	sends    []chan struct{} // messages of extensions that are on their way
}

// queuedMessage is a message in one of the agent's queues.
type queuedMessage struct {
	message  *ai.UserMessage
	text     string
	delivery Delivery
}

// add puts a message in a queue.
func (q *queue) add(m *ai.UserMessage, text string, d Delivery) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch d {
	case Steer:
		q.agent.Steer(m)
	case FollowUp:
		q.agent.FollowUp(m)
	default:
		return fmt.Errorf("unknown delivery %q: use %q or %q", d, Steer, FollowUp)
	}
	q.waiting = append(q.waiting, &queuedMessage{m, text, d})
	q.events.post(q.update())
	return nil
}

// update lists the queues; the mutex is held.
func (q *queue) update() *event.QueueUpdate {
	update := &event.QueueUpdate{Steering: []string{}, FollowUp: []string{}}
	for _, m := range q.waiting {
		if m.delivery == Steer {
			update.Steering = append(update.Steering, m.text)
		} else {
			update.FollowUp = append(update.FollowUp, m.text)
		}
	}
	return update
}

// delivered takes a message off the list of those that wait. It is found by identity: two
// messages may have the same text, and one with an image alone has none.
func (q *queue) delivered(m agent.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.waiting, func(w *queuedMessage) bool { return agent.Message(w.message) == m })
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.events.post(q.update())
	}
}

// clear empties both queues and returns what it has listed and removed. The change is an event
// even if there was none (Pi 0.85).
func (q *queue) clear() (was *event.QueueUpdate, removed []agent.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	was = q.update()
	removed = q.empty()
	q.events.post(q.update())
	return was, removed
}

// drop empties both queues of a session that ends and returns what it has removed.
func (q *queue) drop() (removed []agent.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	removed = q.empty()
	q.events.post(q.update())
	return removed
}

// empty returns the messages that the agent has not taken yet; the mutex is held.
func (q *queue) empty() []agent.Message {
	q.waiting = nil
	return append(q.agent.ClearSteering(), q.agent.ClearFollowUps()...)
}

// withdraw takes a message out of its queue. It reports whether it was still there.
func (q *queue) withdraw(m agent.Message) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.agent.Withdraw(m) {
		return false
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(w *queuedMessage) bool { return agent.Message(w.message) == m })
	q.events.post(q.update())
	return true
}

// length returns how many messages of the user wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// steers reports whether one of the messages that wait is steering.
func (q *queue) steers() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.waiting, func(m *queuedMessage) bool { return m.delivery == Steer })
}

// deferToPrompt takes in a message of an extension for the next prompt of the user.
func (q *queue) deferToPrompt(m agent.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.nextTurn = append(q.nextTurn, m)
}

// takeDeferred returns what extensions have sent for the next prompt of the user, if these
// messages begin with one.
func (q *queue) takeDeferred(messages []agent.Message) []agent.Message {
	if !slices.ContainsFunc(messages, func(m agent.Message) bool { return m.Role() == ai.RoleUser }) {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	deferred := q.nextTurn
	q.nextTurn = nil
	return deferred
}

// addQuiet takes in a message of an extension that asks for nothing.
func (q *queue) addQuiet(m agent.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.quiet = append(q.quiet, m)
}

// takeQuiet returns the messages that ask for nothing.
func (q *queue) takeQuiet() []agent.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	quiet := q.quiet
	q.quiet = nil
	return quiet
}

// sendTimeout is how long a run waits for messages that extensions have sent before, and that
// other handlers are asked about.
const sendTimeout = time.Second

// sending takes note of a message that is on its way; the returned function takes note that it
// is accepted or refused.
func (q *queue) sending() (done func()) {
	sent := make(chan struct{})
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sends = append(q.sends, sent)
	return func() {
		close(sent)
		q.mu.Lock()
		defer q.mu.Unlock()
		q.sends = slices.DeleteFunc(q.sends, func(c chan struct{}) bool { return c == sent })
	}
}

// awaitSends waits for messages that are on their way, so that what a handler has sent counts
// before the run goes on.
func (q *queue) awaitSends(ctx context.Context) {
	q.mu.Lock()
	sends := slices.Clone(q.sends)
	q.mu.Unlock()
	if len(sends) == 0 {
		return
	}
	limit := time.NewTimer(sendTimeout)
	defer limit.Stop()
	for _, sent := range sends {
		select {
		case <-sent:
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// setModes changes how many queued messages are delivered at one point. An empty mode changes
// nothing.
func (q *queue) setModes(steering, followUp agent.QueueMode) error {
	for _, mode := range []agent.QueueMode{steering, followUp} {
		switch mode {
		case "", agent.OneAtATime, agent.All:
		default:
			return fmt.Errorf("unknown queue mode %q: use %q or %q", mode, agent.OneAtATime, agent.All)
		}
	}
	q.agent.SetQueueModes(steering, followUp)
	return nil
}
