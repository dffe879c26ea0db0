package child

import "time"

// Healthy is how long a program has to run until its earlier failures are forgotten.
const Healthy = time.Minute

// DefaultPauses are those before a program is started again.
var DefaultPauses = []time.Duration{100 * time.Millisecond, 400 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second}

// Restarts says when a program that has ended is started again: after pauses that grow, as
// often as there are some, until it has run for a while.
type Restarts struct {
	Pauses   []time.Duration
	failures int
}

// Next returns the pause before the next start of a program that has run for a time, 0 if it
// could not be started; ok is false if it stays ended.
func (r *Restarts) Next(ran time.Duration) (pause time.Duration, ok bool) {
	if ran >= Healthy {
		r.failures = 0
	}
	if r.failures >= len(r.Pauses) {
		return 0, false
	}
	r.failures++
	return r.Pauses[r.failures-1], true
}

// Starts is how often a program that stays ended has been started.
func (r *Restarts) Starts() int { return len(r.Pauses) + 1 }
