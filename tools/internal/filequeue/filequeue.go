// Package filequeue keeps two tool calls from writing one file at the same time.
//
// An agent orders the calls of one batch by itself, since it asks each tool what a call
// changes. The queue is for calls that know nothing of each other: those of different
// agents in one process, and those that a tool makes. They take turns in the order in
// which they come. Calls for different files do not wait for each other.
package filequeue

import (
	"context"
	"sync"
)

// Files is the queue of all tools of this process that write files. Its keys are what
// path.Key returns.
var Files Queue

// Queue lets one at a time work on each of any number of keys. Its zero value is empty and
// ready.
type Queue struct {
	mu    sync.Mutex
	lines map[string]*line
}

// line is everybody who works on a key or waits to do so.
type line struct {
	// turn is full while somebody works. A channel serves senders in the order in which
	// they came.
	turn chan struct{}
	// length belongs to the queue's mutex.
	length int
}

// Enter waits until all who entered the line of key earlier have left it. The caller
// calls leave, once, when its work is done. If ctx is done first, Enter gives up the
// place and returns the cause.
func (q *Queue) Enter(ctx context.Context, key string) (leave func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	l := q.join(key)
	select {
	case l.turn <- struct{}{}:
		return func() { <-l.turn; q.quit(key, l) }, nil
	case <-ctx.Done():
		q.quit(key, l)
		return nil, context.Cause(ctx)
	}
}

func (q *Queue) join(key string) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[key]
	if l == nil {
		l = &line{turn: make(chan struct{}, 1)}
		if q.lines == nil {
			q.lines = map[string]*line{}
		}
		q.lines[key] = l
	}
	l.length++
	return l
}

// quit forgets a line that is empty.
func (q *Queue) quit(key string, l *line) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.length--; l.length == 0 {
		delete(q.lines, key)
	}
}
