package filequeue

// Lines returns the number of keys that somebody works on or waits for.
func (q *Queue) Lines() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lines)
}
