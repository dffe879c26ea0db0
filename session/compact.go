package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// Compaction says when the older part of a conversation is replaced by a summary (law S4).
// The zero value is that of Pi 0.85's settings.
type Compaction struct {
	// Disabled starts with automatic compaction switched off; see
	// [Session.SetAutoCompaction]. Nothing is compacted then unless somebody asks for it.
	Disabled bool
	// ReserveTokens are kept free for the answer; 0 means 16384.
	ReserveTokens int
	// KeepRecentTokens of the newest messages stay as they are; 0 means 20000.
	KeepRecentTokens int
}

func (c Compaction) reserve() int {
	if c.ReserveTokens <= 0 {
		return 16_384
	}
	return c.ReserveTokens
}

func (c Compaction) keep() int {
	if c.KeepRecentTokens <= 0 {
		return 20_000
	}
	return c.KeepRecentTokens
}

// ErrCompacting means that a compaction is under way: of two, one is made.
var ErrCompacting = errors.New("the conversation is being compacted: wait for compaction_end, or abort it")

// CompactionRun is a compaction that is under way or has been asked for.
type CompactionRun struct {
	job
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	result *compaction.Result
	err    error
	entry  *transcript.CompactionEntry // that an extension has made; nil if none has
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
// Without an agent at work, prompts are refused until the compaction has ended. It returns
// [ErrCompacting] if one is under way already.
func (s *Session) StartCompaction(instructions string) (*CompactionRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, transcript.ErrClosed
	case s.compacting != nil:
		return nil, ErrCompacting
	}
	run := s.begin(s.ctx, job{reason: compaction.Manual, instructions: instructions})
	if a := s.activity; a != nil {
		a.compaction = run
		a.cancel(agent.ErrAborted)
		return run, nil
	}
	s.running.Go(func() { _, _ = s.compact(run) })
	return run, nil
}

// begin makes a compaction the one that is under way; the mutex is held.
func (s *Session) begin(ctx context.Context, j job) *CompactionRun {
	run := &CompactionRun{job: j, done: make(chan struct{})}
	run.ctx, run.cancel = context.WithCancelCause(ctx)
	s.compacting = run
	return run
}

// AbortCompaction gives up the compaction that is under way; without one it does nothing. A
// run that it belongs to goes on without it.
func (s *Session) AbortCompaction() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compacting != nil {
		s.compacting.cancel(agent.ErrAborted)
	}
}

// SetAutoCompaction switches automatic compaction on or off. One that is under way goes on;
// see [Session.AbortCompaction].
func (s *Session) SetAutoCompaction(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compactionOff = !on
}

// errNotNow means that an automatic compaction does not take place; nobody is told.
var errNotNow = errors.New("no compaction")

// compactNow makes an automatic compaction, unless it is switched off, one is under way, or
// there is nothing to compact.
func (s *Session) compactNow(ctx context.Context, j job) ([]agent.Message, error) {
	s.mu.Lock()
	if s.closed || s.compactionOff || s.compacting != nil || ctx.Err() != nil {
		s.mu.Unlock()
		return nil, errNotNow
	}
	run := s.begin(ctx, j)
	s.mu.Unlock()
	return s.compact(run)
}

// compact carries out a compaction that has begun, with its events, and returns the new
// transcript.
func (s *Session) compact(run *CompactionRun) ([]agent.Message, error) {
	m, p, err := s.prepare(&run.job)
	if err != nil && run.reason != compaction.Manual {
		s.conclude(run, nil, err, nil)
		return nil, err
	}
	s.hub.emit(&event.CompactionStart{Reason: run.reason})
	var messages []agent.Message
	var result *compaction.Result
	if err == nil {
		messages, result, err = s.carryOut(run, m, p)
	}
	if err == nil {
		s.tellCompacted(run)
	}
	end := &event.CompactionEnd{Reason: run.reason, Result: result, WillRetry: err == nil && run.repeat != nil}
	if err != nil && run.ctx.Err() != nil {
		err = fmt.Errorf("the compaction was called off: %w", context.Cause(run.ctx))
		end.Aborted = true
	} else if err != nil {
		end.ErrorMessage = err.Error()
	}
	s.conclude(run, result, err, end)
	return messages, err
}

// conclude makes way for the next compaction and tells what came of this one.
func (s *Session) conclude(run *CompactionRun, result *compaction.Result, err error, end *event.CompactionEnd) {
	s.mu.Lock()
	s.compacting = nil
	n := uint64(0)
	if end != nil {
		n = s.hub.post(end)
	}
	s.mu.Unlock()
	s.hub.settle(n)
	if err != nil && end != nil {
		s.tellNotCompacted(end, run.entry != nil)
	}
	run.finish(result, err)
}

// prepare looks for what can be compacted, and for the model that sums it up.
func (s *Session) prepare(j *job) (*ai.Model, *plan, error) {
	s.mu.Lock()
	m := s.model
	s.mu.Unlock()
	if m == nil {
		return nil, nil, ErrNoModel
	}
	if s.opts.Ready != nil {
		if err := s.opts.Ready(m); err != nil {
			return nil, nil, err
		}
	}
	if err := s.ledger.settle(); err != nil { // what is owed belongs to the conversation
		return nil, nil, err
	}
	p, err := s.plan(j, s.room(m))
	return m, p, err
}

// carryOut makes the summary and puts it into the conversation.
func (s *Session) carryOut(run *CompactionRun, m *ai.Model, p *plan) ([]agent.Message, *compaction.Result, error) {
	if run.ctx.Err() != nil {
		return nil, nil, context.Cause(run.ctx)
	}
	if err := s.askCompaction(run, p); err != nil {
		return nil, nil, err
	}
	if run.entry != nil {
		return s.apply(run, p, run.entry)
	}
	z := s.newSummarizer(m, s.room(m), s.densityOf(m), event.SummarizationRetryAttemptStart{Source: "compaction", Reason: run.reason})
	summary, err := z.compaction(run.ctx, p, run.instructions)
	if err != nil {
		return nil, nil, err
	}
	details := filesOf(p).details()
	raw, err := json.Marshal(details, lenient.UTF8)
	if err != nil {
		return nil, nil, err
	}
	return s.apply(run, p, &transcript.CompactionEntry{
		Summary: appendFiles(summary, details), FirstKeptEntryID: p.firstKept, TokensBefore: p.tokensBefore, Details: raw, Usage: z.usage,
	})
}

// apply adds the entry and makes the agent go on from what the path comes to then.
func (s *Session) apply(run *CompactionRun, p *plan, e *transcript.CompactionEntry) ([]agent.Message, *compaction.Result, error) {
	var err error
	if e.SystemMessage, err = encodeSystem(p.system); err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if run.ctx.Err() != nil {
		return nil, nil, context.Cause(run.ctx)
	}
	if err := s.stillThere(p); err != nil {
		return nil, nil, err
	}
	if err := s.ledger.add(e); err != nil {
		return nil, nil, fmt.Errorf("store the summary in %s: %w", s.store.Path(), err)
	}
	past, err := transcript.Project(s.store, s.store.Leaf())
	if err != nil {
		return nil, nil, fmt.Errorf("read session %s: %w", s.store.Path(), err)
	}
	messages := live(past.Messages)
	result := &compaction.Result{
		Summary: e.Summary, FirstKeptEntryID: e.FirstKeptEntryID, TokensBefore: e.TokensBefore,
		EstimatedTokensAfter: sizeOfAll(messages), Usage: e.Usage, Details: e.Details,
	}
	if run.repeat != nil { // decoded anew it is another message; no answer is newer
		if last := newestAnswer(messages); last != nil {
			messages = without(messages, last)
		}
	}
	s.agent.SetMessages(messages)
	return messages, result, nil
}

// stillThere checks that the conversation is where it was when the compaction was planned.
func (s *Session) stillThere(p *plan) error {
	for e, err := range s.store.Ancestors(s.store.Leaf()) {
		switch {
		case err != nil:
			return err
		case e.Base().ID == p.leaf:
			return nil
		case e.Type() == transcript.TypeCompaction:
			return errors.New("the conversation was compacted by somebody else meanwhile")
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
