package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// Prompt is what a user sends.
type Prompt struct {
	// Text may begin with a command: that of an extension, which is run, or /skill:name or
	// /template, with arguments behind it. It becomes what that stands for, unless Verbatim is
	// set.
	Text     string
	Images   []*ai.Image
	Verbatim bool
	// Source says where the prompt is from; empty stands for interactive. Extensions see it.
	Source extension.InputSource
	// SkipInput passes the prompt by the extensions' handlers of input (Pi 0.85 does so for
	// the commands steer and follow_up of its RPC protocol).
	SkipInput bool
	// WhileBusy says what to do if the agent is working: [Steer], [FollowUp], [Interrupt]
	// or, if it is empty, refuse with [ErrBusy].
	WhileBusy Delivery
	// Budget bounds the work on the prompt, in place of [Options].Budget, if it begins the work.
	Budget *Budget
	// Accepted, if set, is called once, when the prompt has been accepted and before the
	// first event that it causes.
	Accepted func(Disposition)
}

// Prompt sends a prompt, waits until the session has settled, and returns what the prompt has
// come to. Cancelling ctx aborts it. Errors are those of [Session.Start] and [Run.Wait]; a
// failed answer is no error, see [Result.Err]. If an extension has ended the program, that has
// happened when it returns.
func (s *Session) Prompt(ctx context.Context, p Prompt) (*Result, error) {
	defer s.binding.awaitShutdown()
	run, err := s.Start(p)
	if err != nil {
		return nil, err
	}
	if run.Disposition == Handled { // an extension has dealt with it, and may have begun something
		return s.awaitHandled(ctx, run)
	}
	stop := context.AfterFunc(ctx, func() { run.abort(context.Cause(ctx)) })
	defer stop()
	return run.Wait(context.WithoutCancel(ctx))
}

// awaitHandled waits for what the command or the handler of an extension has begun.
func (s *Session) awaitHandled(ctx context.Context, run *Run) (*Result, error) {
	s.scheduler.queue.awaitSends(s.scheduler.ctx)
	result, err := run.Wait(ctx)
	a := s.scheduler.series()
	if err != nil || a == nil {
		return result, err
	}
	stop := context.AfterFunc(ctx, func() { s.scheduler.abort() })
	defer stop()
	<-a.settled
	return result, a.err
}

// Start accepts a prompt and returns at once. If the agent is working and the prompt says
// so, it is queued instead. Of two prompts at the same moment, one is accepted and the other is
// refused with [ErrBusy] or queued (law S2). Other refusals are [ErrNoModel], the error of
// [Options].Ready, and that of a skill or template that cannot be read.
//
// It waits for the extensions that are asked about the prompt, and for a command of an
// extension; see [Session.MayBlock].
func (s *Session) Start(p Prompt) (*Run, error) { return s.start(s.scheduler.ctx, p) }

// start is Start within ctx, which may be that of an extension's handler.
func (s *Session) start(ctx context.Context, p Prompt) (*Run, error) {
	if ran, err := s.intake.runCommand(&p); ran || err != nil {
		return handled(&p), err
	}
	m, err := s.intake.message(ctx, &p)
	if errors.Is(err, errHandled) {
		return handled(&p), nil
	}
	if err != nil {
		return nil, err
	}
	return s.conductor.accept(p, m)
}

// handled is what becomes of a prompt that an extension has dealt with.
func handled(p *Prompt) *Run {
	if p.Accepted != nil {
		p.Accepted(Handled)
	}
	return handledRun()
}

// accept lets the scheduler decide about a prompt and begins the series that it calls for.
func (c *conductor) accept(p Prompt, m agent.Message) (*Run, error) {
	run := &Run{message: m, accepted: time.Now(), done: make(chan struct{}), scheduler: c.scheduler}
	budget := c.budget
	if p.Budget != nil {
		budget = *p.Budget
	}
	a, err := c.scheduler.accept(&p, run, budget)
	if err != nil {
		return nil, err
	}
	if p.Accepted != nil {
		p.Accepted(run.Disposition)
	}
	c.events.flush()
	if a != nil {
		c.start(a, m)
	}
	return run, nil
}

// MayBlock reports whether [Session.Start] may take long for this prompt, since extensions
// are asked or run.
func (s *Session) MayBlock(p Prompt) bool { return s.intake.mayBlock(&p) }

// Queue adds a message to a queue. An idle agent takes it at its next run.
func (s *Session) Queue(p Prompt, d Delivery) error {
	if c, _ := s.intake.command(&p); c != nil {
		return fmt.Errorf("/%s is a command of an extension, which cannot be queued: send it as a prompt, also while the agent works", c.Invocation)
	}
	p.WhileBusy = d
	m, err := s.intake.message(s.scheduler.ctx, &p)
	if errors.Is(err, errHandled) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.events.flush()
	return s.scheduler.enqueueMessage(m, p.Text, d)
}

// ClearQueue empties both queues and returns the texts that waited. The change is an event
// even if there was none (Pi 0.85).
func (s *Session) ClearQueue() (steering, followUp []string) {
	was, removed := s.scheduler.queue.clear()
	s.scheduler.results.dropAll(removed)
	s.events.flush()
	return was.Steering, was.FollowUp
}

// SetQueueModes changes how many queued messages are delivered at one point. An empty
// mode changes nothing; an unknown one is an error.
func (s *Session) SetQueueModes(steering, followUp agent.QueueMode) error {
	return s.scheduler.queue.setModes(steering, followUp)
}

// Abort cancels what the session is doing, a run, a wait or a compaction, and waits until it
// has settled, or for ctx. Queued messages are not dropped: they start a new run. See
// [Session.ClearQueue].
func (s *Session) Abort(ctx context.Context) error {
	a, compaction := s.scheduler.abort()
	if a != nil {
		if err := a.await(ctx); err != nil { // the run's own error belongs to the caller that sent the prompt
			return err
		}
	}
	if compaction != nil {
		return compaction.await(ctx)
	}
	return nil
}

// Wait returns when the session has settled and no compaction is under way, or with ctx's
// error.
func (s *Session) Wait(ctx context.Context) error { return s.scheduler.wait(ctx) }
