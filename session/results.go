package session

import (
	"slices"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
)

// results attributes what the runs of a session come to to its prompts.
type results struct {
	mu   sync.Mutex
	runs []*Run // that have not ended, in the order of acceptance
	last *Run   // whose message was delivered last; nil if it has ended
}

// add takes in a prompt that was accepted. The series is nil for one that waits for a
// compaction.
func (t *results) add(r *Run, a *series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.series = a
	t.runs = append(t.runs, r)
}

// remove takes back add.
func (t *results) remove(r *Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs = slices.DeleteFunc(t.runs, func(other *Run) bool { return other == r })
}

// delivered takes note of a message that has begun, in a series.
func (t *results) delivered(m agent.Message, a *series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.runs, func(r *Run) bool { return r.message == m && !r.begun })
	if i < 0 {
		return
	}
	for _, r := range t.runs {
		r.ended = r.ended || r.begun && r.aborted
	}
	r := t.runs[i]
	r.begun, r.series, r.aborted = true, a, false
	t.last = r
}

// answered takes note of an answer that has ended.
func (t *results) answered(m *ai.AssistantMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spend(&m.Usage)
	final := len(m.Content.ToolCalls()) == 0 && !m.Failed()
	for _, r := range t.runs {
		if !r.begun || r.complete || r.ended {
			continue
		}
		r.result.Answer, r.result.StopReason = m, m.StopReason
		r.result.Turns++
		if final {
			r.complete = true
			r.result.Duration = time.Since(r.accepted)
		}
	}
}

// spent takes note of what a tool or a summary took.
func (t *results) spent(u *ai.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spend(u)
}

// spend needs the mutex.
func (t *results) spend(u *ai.Usage) {
	if t.last != nil && u != nil {
		t.last.result.Usage = *compaction.AddUsage(&t.last.result.Usage, *u)
	}
}

// abort takes note that the prompts of a series that have been delivered are not wanted.
func (t *results) abort(a *series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.series == a && !r.complete && (r.begun || r.Disposition == Started) {
			r.aborted = true
		}
	}
}

// drop ends a prompt that has left its queue.
func (t *results) drop(r *Run, cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.runs, r) {
		return
	}
	t.runs = slices.DeleteFunc(t.runs, func(other *Run) bool { return other == r })
	r.dropped, r.cause = true, cause
	t.conclude(r, nil)
	close(r.done)
}

// dropAll ends the prompts of these messages, which have left their queue.
func (t *results) dropAll(messages []agent.Message) {
	for _, m := range messages {
		t.mu.Lock()
		i := slices.IndexFunc(t.runs, func(r *Run) bool { return r.message == m && !r.begun })
		var r *Run
		if i >= 0 {
			r = t.runs[i]
		}
		t.mu.Unlock()
		if r != nil {
			t.drop(r, nil)
		}
	}
}

// settle makes the results of the prompts of a series, which release hands out. Prompts that are
// still queued belong to a later series.
func (t *results) settle(a *series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.series != a || !r.begun && r.Disposition == Queued {
			continue
		}
		t.conclude(r, a)
	}
	t.last = nil
}

// release lets the callers that wait for the prompts of a series go on.
func (t *results) release(a *series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs = slices.DeleteFunc(t.runs, func(r *Run) bool {
		if r.series != a || r.result.Cause == "" {
			return false
		}
		close(r.done)
		return true
	})
}

// conclude fills in the result; the mutex is held.
func (t *results) conclude(r *Run, a *series) {
	res := &r.result
	if !r.complete {
		res.Duration = time.Since(r.accepted)
	}
	if a != nil {
		r.err = a.err
		res.Budget = a.budget.reached()
	}
	switch {
	case r.dropped:
		res.Cause = CauseDropped
	case r.aborted && !r.complete, res.StopReason == ai.StopAborted && res.Budget == nil:
		res.Cause = CauseAborted
	case !r.complete && res.Budget != nil:
		res.Cause = CauseBudget
	case res.Answer == nil, res.Answer.Failed(), res.StopReason == ai.StopLength:
		res.Cause = CauseFailed
		if res.Answer == nil {
			res.Cause = CauseStopped
		}
	case !r.complete:
		res.Cause = CauseStopped
	case blank(res.Answer):
		res.Cause = CauseFailed
	default:
		res.Cause = CauseAnswered
	}
}

// isComplete reports whether a prompt has its answer.
func (t *results) isComplete(r *Run) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return r.complete
}

// seriesOf returns the series that a prompt belongs to, if it has not ended.
func (t *results) seriesOf(r *Run) *series {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.runs, r) {
		return nil
	}
	return r.series
}
