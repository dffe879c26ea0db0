// Package filequeue keeps two tool calls from writing one file at the same time.
//
// A call takes its place with [Queue.Enter], which never waits, and does its work once
// [Ticket.Wait] has returned. So the order of effects on a file is the order of the Enter
// calls, however long each call then takes to start. Calls for different files do not
// wait for each other.
package filequeue

import (
	"context"
	"slices"
	"sync"
)

// Files is the queue of all tools of this process that write files. Its keys are what
// path.Key returns.
var Files Queue

// Queue orders the work on each of any number of keys. Its zero value is empty and ready.
type Queue struct {
	mu    sync.Mutex
	lines map[string][]*Ticket
}

// Ticket is a place in the line of one key.
type Ticket struct {
	queue *Queue
	key   string
	// turn is closed when the ticket is the first of its line.
	turn chan struct{}
}

// Enter takes the last place in the line of key. The ticket must be released, whether or
// not its turn comes.
func (q *Queue) Enter(key string) *Ticket {
	t := &Ticket{queue: q, key: key, turn: make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lines == nil {
		q.lines = map[string][]*Ticket{}
	}
	q.lines[key] = append(q.lines[key], t)
	if len(q.lines[key]) == 1 {
		close(t.turn)
	}
	return t
}

// Wait returns when all tickets before t are released. If ctx is done first, it returns
// the cause and t keeps its place until it is released.
func (t *Ticket) Wait(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-t.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Release gives up the place. Releasing twice does nothing.
func (t *Ticket) Release() {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[t.key]
	at := slices.Index(line, t)
	if at < 0 {
		return
	}
	line = slices.Delete(line, at, at+1)
	if len(line) == 0 {
		delete(q.lines, t.key)
		return
	}
	q.lines[t.key] = line
	if at == 0 {
		close(line[0].turn)
	}
}

type ticketKey struct{}

// Claim enters the line of key for a call that runs later. The context is the one to run
// it with: there, [Queue.Take] returns the ticket. The function releases it.
func (q *Queue) Claim(ctx context.Context, key string) (context.Context, func()) {
	t := q.Enter(key)
	return context.WithValue(ctx, ticketKey{}, t), t.Release
}

// Take returns the ticket that ctx carries, or else enters the line of key, so that a call
// for which nobody took a place is serialised as well. A ticket for another key, which a
// path can come to mean when a link changes, is given up.
func (q *Queue) Take(ctx context.Context, key string) *Ticket {
	if t, ok := ctx.Value(ticketKey{}).(*Ticket); ok && t.queue == q {
		if t.key == key {
			return t
		}
		t.Release()
	}
	return q.Enter(key)
}
