package session

import (
	"context"
	"sync"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// scheduler decides what a session works on: it admits prompts and compactions, one at a time,
// and knows when the session has settled. Its lock is the first in the order of locks of a
// [Session]: a decision that must be one step with the state of the runs is made under it.
type scheduler struct {
	ctx     context.Context // ends with the session
	cancel  context.CancelCauseFunc
	queue   *queue
	choice  *choice
	results *results
	running sync.WaitGroup // of series, compactions and commands

	mu         sync.Mutex
	closed     bool           // no work begins any more
	current    *series        // nil when the session is idle
	latest     *series        // the same, or the one before; its subscribers may still be at work
	compacting *CompactionRun // nil if none is under way or asked for
	resumes    bool           // a message was queued while the idle session was compacted
}

func newScheduler(q *queue, c *choice) *scheduler {
	s := &scheduler{queue: q, choice: c, results: &results{}}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// accept decides about a prompt, in one step. It returns the series that the prompt begins; nil
// if it has joined one or waits.
func (s *scheduler) accept(p *Prompt, r *Run, budget Budget) (*series, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, transcript.ErrClosed
	case s.current == nil && s.compacting != nil && p.WhileBusy == "":
		return nil, ErrCompacting
	case s.current == nil && s.compacting != nil && p.WhileBusy != Interrupt:
		return nil, s.enqueue(p, r)
	case s.current != nil && p.WhileBusy == "":
		return nil, ErrBusy
	case s.current != nil && p.WhileBusy == Interrupt:
		s.current.interrupts.messages = append(s.current.interrupts.messages, r.message)
		s.abortSeries(s.current, false)
		r.Disposition = Started
		s.results.add(r, s.current)
		return nil, nil
	case s.current != nil:
		return nil, s.enqueue(p, r)
	}
	if _, err := s.choice.ready(); err != nil {
		return nil, err
	}
	if err := s.choice.record(); err != nil {
		return nil, err
	}
	r.Disposition = Started
	a := s.begin(budget)
	s.results.add(r, a)
	return a, nil
}

// enqueue adds a prompt to a queue; the mutex is held.
func (s *scheduler) enqueue(p *Prompt, r *Run) error {
	m, ok := r.message.(*ai.UserMessage)
	if !ok {
		return ErrBusy
	}
	r.Disposition = Queued
	s.results.add(r, s.current)
	if err := s.queue.add(m, p.Text, p.WhileBusy); err != nil {
		s.results.remove(r)
		return err
	}
	s.resumes = s.current == nil
	return nil
}

// enqueueMessage adds a message to a queue, whatever the session works on.
func (s *scheduler) enqueueMessage(m *ai.UserMessage, text string, d Delivery) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return transcript.ErrClosed
	}
	s.resumes = s.resumes || s.current == nil && s.compacting != nil
	return s.queue.add(m, text, d)
}

// begin makes a series; the mutex is held.
func (s *scheduler) begin(budget Budget) *series {
	a := newSeries(s.ctx)
	a.budget.limits = budget
	if a.before = s.compacting; a.before != nil { // it is interrupted
		a.before.cancel(agent.ErrAborted)
	}
	if s.latest != nil && !s.latest.isSettled() {
		a.previous = s.latest
	}
	s.current, s.latest = a, a
	return a
}

// beginQueued makes a series for messages that were queued while the session was compacted; nil
// if there are none, or another series is under way; the mutex is held.
func (s *scheduler) beginQueued(budget Budget) *series {
	resumes := s.resumes
	s.resumes = false
	if !resumes || s.closed || s.current != nil || !s.queue.agent.Queued() {
		return nil
	}
	if _, err := s.choice.ready(); err != nil {
		return nil
	}
	return s.begin(budget)
}

// abortSeries cancels the run of a series, which may be nil, and the compaction that is under
// way; the mutex is held. all says that the runs of interrupting prompts are not wanted either.
func (s *scheduler) abortSeries(a *series, all bool) {
	if s.compacting != nil {
		s.compacting.cancel(agent.ErrAborted)
	}
	if a == nil {
		return
	}
	a.cancel(agent.ErrAborted)
	s.results.abort(a)
	if all {
		a.interrupts.aborted = len(a.interrupts.messages) > 0
	}
}

// abort cancels what the session does and returns what to wait for.
func (s *scheduler) abort() (*series, *CompactionRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, c := s.latest, s.compacting
	s.abortSeries(a, true)
	return a, c
}

// abortCurrent cancels the series under way.
func (s *scheduler) abortCurrent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abortSeries(s.current, true)
}

// abortRun cancels what a session does about one prompt. A prompt that has not been delivered
// leaves its queue; one that has its answer cancels nothing.
func (s *scheduler) abortRun(r *Run, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.queue.withdraw(r.message):
		s.results.drop(r, cause)
	case !s.results.isComplete(r):
		a := s.results.seriesOf(r)
		if a == nil {
			return
		}
		a.abort()
		s.results.abort(a)
	}
}

// expire aborts the run of a series whose time is up.
func (s *scheduler) expire(a *series) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.cancel(agent.ErrAborted)
}

// decide calls, under the lock, idle if no series is under way, and busy if one is. What the
// function does is one step with that state.
func (s *scheduler) decide(idle func() error, busy func(*series) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		return busy(s.current)
	}
	return idle()
}

// enter registers work beside the runs, for which the end of the session waits; leave is called
// when it has ended. It returns [transcript.ErrClosed] if no work begins any more.
func (s *scheduler) enter() (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, transcript.ErrClosed
	}
	s.running.Add(1)
	return s.running.Done, nil
}

// close refuses new work, or admits it again. It reports whether the session was open.
func (s *scheduler) close(closed bool) (wasOpen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wasOpen = !s.closed
	s.closed = closed
	return wasOpen
}

// schedulerState is the scheduler at one moment.
type schedulerState struct {
	current    *series
	compacting bool
	closed     bool
}

func (s *scheduler) state() schedulerState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return schedulerState{s.current, s.compacting != nil, s.closed}
}

// series returns the series under way; nil if there is none.
func (s *scheduler) series() *series {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// runContext is the context of the run under way; nil if there is none.
func (s *scheduler) runContext() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil
	}
	return s.current.ctx
}

// isClosed reports whether the session has ended or is about to.
func (s *scheduler) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// wait returns when the session has settled and no compaction is under way, or with ctx's
// error.
func (s *scheduler) wait(ctx context.Context) error {
	for {
		s.mu.Lock()
		a, c := s.latest, s.compacting
		s.mu.Unlock()
		var err error
		switch {
		case a != nil && !a.isSettled():
			err = a.await(ctx)
		case c != nil:
			err = c.await(ctx)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// reserve makes a compaction the one that is under way. begin, which may be nil, is called under
// the lock with the series under way, which may be nil.
func (s *scheduler) reserve(ctx context.Context, j compaction.Job, begin func(a *series)) (*CompactionRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, transcript.ErrClosed
	case s.compacting != nil:
		return nil, ErrCompacting
	}
	s.compacting = newCompactionRun(ctx, j)
	if begin != nil {
		begin(s.current)
	}
	return s.compacting, nil
}

// reserveIdle is reserve for a summary of a branch, which nothing may run beside. begin is called
// under the lock and says whether the summary is needed.
func (s *scheduler) reserveIdle(ctx context.Context, begin func() (needed bool, err error)) (*CompactionRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, transcript.ErrClosed
	case s.current != nil:
		return nil, ErrBusy
	case s.compacting != nil:
		return nil, ErrCompacting
	}
	if needed, err := begin(); err != nil || !needed {
		return nil, err
	}
	s.compacting = newCompactionRun(ctx, compaction.Job{})
	return s.compacting, nil
}

// release makes way for the next compaction. end, which may be nil, is called under the lock. It
// returns the series that begins for messages that were queued meanwhile, or nil.
func (s *scheduler) release(budget Budget, end func()) *series {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacting = nil
	if end != nil {
		end()
	}
	return s.beginQueued(budget)
}

// abortCompaction gives up the compaction that is under way, if there is one.
func (s *scheduler) abortCompaction() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compacting != nil {
		s.compacting.cancel(agent.ErrAborted)
	}
}
