package agent

import (
	"context"
	"sync"
	"time"
)

// batch is a set of calls that execute together. What they report is emitted by the run's
// goroutine, so that listeners never overlap.
//
// The calls start in their order. As long as one is left to start, a worker waits to take
// it, however long the others are at work; a worker that is done takes the next one. So
// calls that block all run at once, and for quick ones few goroutines are made.
type batch struct {
	ctx    context.Context
	loop   *loop
	execs  []*execution
	wake   chan struct{} // holds one token when the queue is not empty
	active sync.WaitGroup

	mu     sync.Mutex
	queue  []report
	next   int  // the first call that has not started
	worker bool // one waits to take it
}

// report is a call's progress, or its end if partial is nil.
type report struct {
	e       *execution
	partial *ToolResult
	outcome *ToolOutcome
}

// execute runs prepared calls and emits their progress and ends. It returns when all are
// final: after an abort that is at most the grace period later.
func (l *loop) execute(ctx, toolCtx context.Context, cancel context.CancelCauseFunc, execs []*execution) error {
	if len(execs) == 0 {
		return nil
	}
	b := &batch{wake: make(chan struct{}, 1), ctx: toolCtx, loop: l, execs: execs, worker: true, queue: make([]report, 0, len(execs))}
	b.active.Go(b.work)
	aborted := ctx.Done()
	var grace <-chan time.Time
	left := len(execs)
	for left > 0 {
		select {
		case <-b.wake:
			ended, err := b.deliver(ctx)
			if err != nil {
				cancel(err)
				b.abandonAll(execs)
				b.join(l.grace())
				return err
			}
			left -= ended
		case <-aborted:
			aborted = nil
			grace = time.After(l.grace())
		case <-grace:
			grace = nil
			b.timeout(execs)
		}
	}
	return nil
}

func (l *loop) grace() time.Duration {
	if l.cfg.AbortGrace > 0 {
		return l.cfg.AbortGrace
	}
	return DefaultAbortGrace
}

// post hands a report to the run's goroutine; b.mu is held.
func (b *batch) post(r report) {
	b.queue = append(b.queue, r)
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// deliver emits what has been reported and returns how many calls ended.
func (b *batch) deliver(ctx context.Context) (ended int, err error) {
	b.mu.Lock()
	queue := b.queue
	b.queue = nil
	b.mu.Unlock()
	for _, r := range queue {
		if r.partial == nil {
			ended++
			r.e.outcome = r.outcome
			if err := b.loop.emitEnd(ctx, r.e); err != nil {
				return ended, err
			}
			continue
		}
		if err := b.loop.emit(ctx, &ToolExecutionUpdate{ToolCallID: r.e.call.ID, ToolName: r.e.call.Name, Args: r.e.call.Arguments, PartialResult: r.partial}); err != nil {
			return ended, err
		}
		b.mu.Lock()
		r.e.updates--
		if r.e.updates == 0 && r.e.delivered != nil {
			close(r.e.delivered)
			r.e.delivered = nil
		}
		b.mu.Unlock()
	}
	return ended, nil
}

// timeout gives calls that outlived the grace period an aborted result.
func (b *batch) timeout(execs []*execution) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range execs {
		if e.outcome == nil && !e.abandoned && !b.ending(e) {
			e.abandoned = true
			b.post(report{e: e, outcome: &ToolOutcome{Result: errorResult("Operation aborted. The tool did not stop when asked to and may still be at work; its result is dropped."), IsError: true}})
		}
	}
}

// ending reports whether the end of e is in the queue; b.mu is held.
func (b *batch) ending(e *execution) bool {
	for _, r := range b.queue {
		if r.e == e && r.partial == nil {
			return true
		}
	}
	return false
}

// abandonAll drops whatever the calls still report.
func (b *batch) abandonAll(execs []*execution) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range execs {
		e.abandoned = true
		if e.delivered != nil {
			close(e.delivered)
			e.delivered = nil
		}
	}
}

// join waits for the calls' goroutines, at most for the grace period.
func (b *batch) join(grace time.Duration) {
	joined := make(chan struct{})
	go func() { b.active.Wait(); close(joined) }()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-joined:
	case <-timer.C:
	}
}

// work runs calls until none is left to start.
func (b *batch) work() {
	reserveToolStack(len(b.execs))
	for first := true; ; first = false {
		b.mu.Lock()
		if first {
			b.worker = false
		}
		if b.next == len(b.execs) {
			b.mu.Unlock()
			return
		}
		e := b.execs[b.next]
		b.next++
		if b.next < len(b.execs) && !b.worker {
			b.worker = true
			b.active.Go(b.work)
		}
		b.mu.Unlock()
		b.run(e)
	}
}

// run takes one call from its execution to its end.
func (b *batch) run(e *execution) {
	if e.after != nil {
		select {
		case <-e.after.done:
		case <-b.ctx.Done():
		}
	}
	e.batch = b
	var outcome *ToolOutcome
	if b.ctx.Err() != nil {
		outcome = &ToolOutcome{Result: errorResult(errOperationAborted.Error()), IsError: true}
	} else {
		outcome = e.execute(b.ctx)
		if b.settle(e) {
			outcome = b.loop.finish(b.ctx, e, outcome)
		}
	}
	b.mu.Lock()
	if !e.abandoned {
		b.post(report{e: e, outcome: outcome})
	}
	b.mu.Unlock()
	if e.done != nil {
		close(e.done)
	}
}

// update accepts a call's progress.
func (b *batch) update(e *execution, partial *ToolResult) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.returned || e.abandoned {
		return
	}
	snapshot := *partial
	e.updates++
	b.post(report{e: e, partial: &snapshot})
}

// settle closes the gate for progress and waits until what passed it is delivered. It
// reports whether the call is still wanted.
func (b *batch) settle(e *execution) bool {
	b.mu.Lock()
	e.returned = true
	var wait chan struct{}
	if e.updates > 0 && !e.abandoned {
		wait = make(chan struct{})
		e.delivered = wait
	}
	b.mu.Unlock()
	if wait != nil {
		<-wait
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return !e.abandoned
}
