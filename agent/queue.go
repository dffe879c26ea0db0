package agent

import "slices"

// QueueMode says how many queued messages are delivered at one point.
type QueueMode string

// The queue modes. The zero value is OneAtATime.
const (
	OneAtATime QueueMode = "one-at-a-time"
	All        QueueMode = "all"
)

// queue holds messages that wait for a run. The agent's mutex guards it.
type queue struct {
	mode  QueueMode
	items []Message
}

func (q *queue) add(m ...Message) { q.items = append(q.items, m...) }

// take removes and returns what is delivered at one point.
func (q *queue) take() []Message {
	n := len(q.items)
	if n > 1 && q.mode != All {
		n = 1
	}
	taken := slices.Clone(q.items[:n])
	q.items = slices.Delete(q.items, 0, n)
	return taken
}

func (q *queue) clear() []Message {
	items := q.items
	q.items = nil
	return items
}

// remove takes one message out. It reports whether it was in the queue.
func (q *queue) remove(m Message) bool {
	i := slices.Index(q.items, m)
	if i >= 0 {
		q.items = slices.Delete(q.items, i, i+1)
	}
	return i >= 0
}
