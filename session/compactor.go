package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// ErrCompacting means that a compaction is under way: of two, one is made.
var ErrCompacting = errors.New("the conversation is being compacted: wait for compaction_end, or abort it")

// CompactionRun is a compaction that is under way or has been asked for.
type CompactionRun struct {
	compaction.Job
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	result *compaction.Result
	err    error
	entry  *transcript.CompactionEntry // that an extension has made; nil if none has
}

func newCompactionRun(ctx context.Context, j compaction.Job) *CompactionRun {
	run := &CompactionRun{Job: j, done: make(chan struct{})}
	run.ctx, run.cancel = context.WithCancelCause(ctx)
	return run
}

// Wait returns what the compaction came to, or ctx's error. The error is
// [ErrNothingToCompact], [agent.ErrAborted] after an abort, or tells why there is no summary.
func (r *CompactionRun) Wait(ctx context.Context) (*compaction.Result, error) {
	if err := r.await(ctx); err != nil {
		return nil, err
	}
	return r.result, r.err
}

func (r *CompactionRun) await(ctx context.Context) error {
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *CompactionRun) finish(result *compaction.Result, err error) {
	r.result, r.err = result, err
	r.cancel(nil)
	close(r.done)
}

// Compact replaces the older part of the conversation by a summary and waits for it.
// instructions, which may be empty, say what the summary is to dwell on. Cancelling ctx aborts
// the compaction. Errors are those of [Session.StartCompaction] and [CompactionRun.Wait].
func (s *Session) Compact(ctx context.Context, instructions string) (*compaction.Result, error) {
	run, err := s.StartCompaction(instructions)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { run.cancel(agent.ErrAborted) })
	defer stop()
	return run.Wait(context.WithoutCancel(ctx))
}

// StartCompaction begins a compaction and returns at once. If the agent is working, it is
// aborted first, and what is queued goes on afterwards; the session has not settled before.
// Without an agent at work, prompts are refused until the compaction has ended, and messages
// that are queued meanwhile are sent then. It returns [ErrCompacting] if one is under way
// already.
func (s *Session) StartCompaction(instructions string) (*CompactionRun, error) {
	return s.conductor.compactor.start(instructions)
}

// AbortCompaction gives up the compaction that is under way; without one it does nothing. A
// run that it belongs to goes on without it.
func (s *Session) AbortCompaction() { s.scheduler.abortCompaction() }

// SetAutoCompaction switches automatic compaction on or off. One that is under way goes on;
// see [Session.AbortCompaction].
func (s *Session) SetAutoCompaction(on bool) { s.conductor.compactor.enable(on) }

// compactor carries out compactions: those that are asked for, and automatic ones.
type compactor struct {
	opts      *Options
	scheduler *scheduler
	agent     *agent.Agent
	events    *dispatcher
	writer    *writer
	choice    *choice
	meter     *meter
	retry     *retry
	ext       *extension.Runner
	// resume begins a series that a compaction has held up.
	resume func(*series)

	mu  sync.Mutex
	off bool // automatic compaction is switched off
}

func (c *compactor) enabled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.off
}

func (c *compactor) enable(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = !on
}

// start is [Session.StartCompaction].
func (c *compactor) start(instructions string) (*CompactionRun, error) {
	busy := false
	run, err := c.scheduler.reserve(c.scheduler.ctx, compaction.Job{Reason: compaction.Manual, Instructions: instructions}, func(a *series) {
		if busy = a != nil; busy {
			a.compaction.ask(c.scheduler.compacting)
			a.cancel(agent.ErrAborted)
		} else {
			c.scheduler.running.Add(1)
		}
	})
	if err != nil || busy {
		return run, err
	}
	go func() {
		defer c.scheduler.running.Done()
		_, _ = c.compact(run)
	}()
	return run, nil
}

// request is start, but what runs is not aborted for it: the compaction comes between two of its
// turns, or when it has ended.
func (c *compactor) request(instructions string) (*CompactionRun, error) {
	if c.scheduler.series() == nil {
		return c.start(instructions)
	}
	return c.scheduler.reserve(c.scheduler.ctx, compaction.Job{Reason: compaction.Manual, Instructions: instructions}, func(a *series) {
		if a != nil {
			a.compaction.ask(c.scheduler.compacting)
		}
	})
}

// errNotNow means that an automatic compaction does not take place and causes no event.
var errNotNow = errors.New("no compaction")

// compactNow makes an automatic compaction, unless it is switched off, one is under way, or
// there is nothing to compact.
func (c *compactor) compactNow(ctx context.Context, j compaction.Job) ([]agent.Message, error) {
	if !c.enabled() || ctx.Err() != nil {
		return nil, errNotNow
	}
	run, err := c.scheduler.reserve(ctx, j, nil)
	if err != nil {
		return nil, errNotNow
	}
	return c.compact(run)
}

// compact carries out a compaction that has begun, with its events, and returns the new
// transcript.
func (c *compactor) compact(run *CompactionRun) ([]agent.Message, error) {
	m, p, err := c.prepare(&run.Job)
	if err != nil && run.Reason != compaction.Manual {
		c.conclude(run, nil, err, nil)
		return nil, err
	}
	c.events.emit(&event.CompactionStart{Reason: run.Reason})
	var messages []agent.Message
	var result *compaction.Result
	if err == nil {
		messages, result, err = c.carryOut(run, m, p)
	}
	if err == nil {
		c.notifyCompacted(run)
	}
	end := &event.CompactionEnd{Reason: run.Reason, Result: result, WillRetry: err == nil && run.Repeat != nil}
	if err != nil && run.ctx.Err() != nil {
		err = fmt.Errorf("the compaction was called off: %w", context.Cause(run.ctx))
		end.Aborted = true
	} else if err != nil {
		end.ErrorMessage = err.Error()
	}
	c.conclude(run, result, err, end)
	return messages, err
}

// conclude makes way for the next compaction, tells what came of this one, and lets messages be
// sent that were queued meanwhile.
func (c *compactor) conclude(run *CompactionRun, result *compaction.Result, err error, end *event.CompactionEnd) {
	n := uint64(0)
	next := c.scheduler.release(c.opts.Budget, func() {
		if end != nil {
			n = c.events.post(end)
		}
	})
	c.events.awaitDelivery(n)
	if err != nil && end != nil {
		c.notifyFailed(end, run.entry != nil)
	}
	run.finish(result, err)
	if next != nil {
		c.resume(next)
	}
}

// prepare looks for what can be compacted, and for the model that sums it up.
func (c *compactor) prepare(j *compaction.Job) (*ai.Model, *compaction.Plan, error) {
	m, err := c.choice.ready()
	if err != nil {
		return nil, nil, err
	}
	if err := c.writer.flush(); err != nil { // pending entries belong to the conversation
		return nil, nil, err
	}
	p, err := c.plan(j, m)
	return m, p, err
}

// plan decides what a compaction replaces.
func (c *compactor) plan(j *compaction.Job, m *ai.Model) (*compaction.Plan, error) {
	store := c.writer.store
	v, err := compaction.Look(store, store.Leaf())
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", store.Path(), err)
	}
	p, err := compaction.NewPlan(v, j, c.opts.Compaction.Room(m))
	if err != nil {
		return nil, err
	}
	p.TokensBefore, err = c.meter.size(c.agent.State().Messages, compaction.Reported)
	return p, err
}

// carryOut makes the summary and puts it into the conversation.
func (c *compactor) carryOut(run *CompactionRun, m *ai.Model, p *compaction.Plan) ([]agent.Message, *compaction.Result, error) {
	if run.ctx.Err() != nil {
		return nil, nil, context.Cause(run.ctx)
	}
	if err := c.ask(run, p); err != nil {
		return nil, nil, err
	}
	if run.entry != nil {
		return c.apply(run, p, run.entry)
	}
	z := c.summarizer(m, c.opts.Compaction.Room(m), event.SummarizationRetryAttemptStart{Source: "compaction", Reason: run.Reason})
	e, err := z.Compact(run.ctx, p, run.Instructions)
	c.spend(z.Usage)
	if err != nil {
		return nil, nil, err
	}
	return c.apply(run, p, e)
}

// spend counts what a summary took for the prompt that is worked on.
func (c *compactor) spend(u *ai.Usage) {
	if a := c.scheduler.series(); a != nil && u != nil {
		a.budget.spend(u)
		c.scheduler.results.spent(u)
	}
}

// apply adds the entry and makes the agent go on from what the path comes to then.
func (c *compactor) apply(run *CompactionRun, p *compaction.Plan, e *transcript.CompactionEntry) (messages []agent.Message, result *compaction.Result, err error) {
	if e.SystemMessage, err = p.SystemMessage(); err != nil {
		return nil, nil, err
	}
	c.scheduler.mu.Lock()
	defer c.scheduler.mu.Unlock()
	if run.ctx.Err() != nil {
		return nil, nil, context.Cause(run.ctx)
	}
	store := c.writer.store
	if err := stillThere(store, p); err != nil {
		return nil, nil, err
	}
	if err := c.writer.add(e); err != nil {
		return nil, nil, fmt.Errorf("store the summary in %s: %w", store.Path(), err)
	}
	past, err := transcript.Project(store, store.Leaf())
	if err != nil {
		return nil, nil, fmt.Errorf("read session %s: %w", store.Path(), err)
	}
	messages = live(past.Messages)
	result = &compaction.Result{
		Summary: e.Summary, FirstKeptEntryID: e.FirstKeptEntryID, TokensBefore: e.TokensBefore,
		EstimatedTokensAfter: compaction.Sizes(messages), Usage: e.Usage, Details: e.Details,
	}
	if run.Repeat != nil { // decoded anew it is another message; no answer is newer
		if last := newestAnswer(messages); last != nil {
			messages = without(messages, last)
		}
	}
	c.agent.SetMessages(messages)
	return messages, result, nil
}

// stillThere checks that the conversation is where it was when the compaction was planned.
func stillThere(store transcript.Store, p *compaction.Plan) error {
	for e, err := range store.Ancestors(store.Leaf()) {
		switch {
		case err != nil:
			return err
		case e.Base().ID == p.Leaf:
			return nil
		case e.Type() == transcript.TypeCompaction:
			return errors.New("another compaction was made meanwhile")
		}
	}
	return errors.New("the conversation went to another branch meanwhile; compact it again")
}

// live returns the messages without failed answers whose request was repeated: they stay in
// the store only.
func live(messages []agent.Message) []agent.Message {
	out := make([]agent.Message, 0, len(messages))
	for i, m := range messages {
		if answer, ok := m.(*ai.AssistantMessage); ok && answer.Failed() && i+1 < len(messages) && isAnswer(messages[i+1]) {
			continue
		}
		out = append(out, m)
	}
	return slices.Clip(out)
}
