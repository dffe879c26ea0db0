package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// Prompt is what a user sends.
type Prompt struct {
	// Text may begin with a command: that of an extension, which is run, or /skill:name or
	// /template, with arguments behind it. It becomes what that stands for, unless Verbatim is
	// set.
	Text     string
	Images   []*ai.Image
	Verbatim bool
	// Source says where the prompt is from; empty stands for interactive. Extensions are
	// told.
	Source extension.InputSource
	// SkipInput passes the prompt by the extensions' handlers of input (Pi 0.85 does so for
	// the commands steer and follow_up of its RPC protocol).
	SkipInput bool
	// WhileBusy says what to do if the agent is working: [Steer], [FollowUp], [Interrupt]
	// or, if it is empty, refuse with [ErrBusy].
	WhileBusy Delivery
	// Accepted, if set, is called once, when the prompt has been accepted and before the
	// first event that it causes.
	Accepted func(Disposition)
}

// message makes a user message; without text it holds the images alone, since models
// refuse empty texts.
func (s *Session) message(p Prompt) *ai.UserMessage {
	m := agent.User(p.Text, s.fitted(p.Images)...)
	if p.Text == "" && len(p.Images) > 0 {
		m.Content = m.Content[1:]
	}
	return m
}

// Delivery says when a queued message is delivered.
type Delivery string

// The deliveries.
const (
	// Steer delivers at the next request of the run.
	Steer Delivery = "steer"
	// FollowUp delivers when the run would stop.
	FollowUp Delivery = "followUp"
	// Interrupt aborts what the agent does and begins a run with the message, in one step:
	// no other prompt can come between, and what is queued comes after it. It is for
	// prompts only, and not a delivery of Pi's.
	Interrupt Delivery = "abort"
)

// Disposition says what an accepted prompt has come to.
type Disposition string

// The dispositions.
const (
	// Started means that the agent works on the prompt now.
	Started Disposition = "started"
	// Queued means that it is delivered later, in the run under way.
	Queued Disposition = "queued"
	// Handled means that an extension has dealt with it, and no run begins.
	Handled Disposition = "handled"
)

// Activity is what a session does about one prompt, until nothing automatic remains.
type Activity struct {
	settled chan struct{}
	nothing bool // it is one of which nothing remains from the start
	err     error
	// The session's mutex guards what follows.
	//
	// ctx is the context of the run under way or, between two runs, of the next one, so
	// that an abort is never lost; in the end that of the extensions that are told.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// interrupts are prompts that the run was aborted for. Aborted says that the run that
	// they begin is not wanted either.
	interrupts []agent.Message
	aborted    bool
	previous   *Activity // that has not settled for everybody; nil if there is none
	announced  bool      // that it has settled comes after the extensions have been told
	work
}

// over returns an activity of which nothing remains.
func over() *Activity {
	a := &Activity{settled: make(chan struct{}), nothing: true}
	close(a.settled)
	return a
}

// Wait returns when the session has settled, with the error of the run or of the store,
// or with ctx's error. A failed answer is not an error: see [Session.LastAnswer].
func (a *Activity) Wait(ctx context.Context) error {
	if err := a.await(ctx); err != nil {
		return err
	}
	return a.err
}

// await returns nil when the session has settled, or ctx's error.
func (a *Activity) await(ctx context.Context) error {
	select {
	case <-a.settled:
		return nil
	default:
	}
	select {
	case <-a.settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *Activity) isSettled() bool {
	select {
	case <-a.settled:
		return true
	default:
		return false
	}
}

// queuedMessage is a message in one of the agent's queues.
type queuedMessage struct {
	message  *ai.UserMessage
	text     string
	delivery Delivery
}

// Prompt sends a prompt and waits until the session has settled. Cancelling ctx aborts
// it. Errors are those of [Session.Start] and [Activity.Wait]. If an extension has ended the
// program, that is known when it returns.
func (s *Session) Prompt(ctx context.Context, p Prompt) error {
	err := s.prompt(ctx, p)
	s.mu.Lock()
	told := s.shutdown
	s.mu.Unlock()
	if told != nil {
		<-told
	}
	return err
}

func (s *Session) prompt(ctx context.Context, p Prompt) error {
	activity, err := s.Start(p)
	if err != nil {
		return err
	}
	if activity.nothing { // an extension has dealt with it, and may have begun something
		s.awaitSends()
		s.mu.Lock()
		activity = s.activity
		s.mu.Unlock()
		if activity == nil {
			return nil
		}
	}
	stop := context.AfterFunc(ctx, func() { s.abort(activity) })
	defer stop()
	return activity.Wait(context.WithoutCancel(ctx))
}

// Start accepts a prompt and returns at once. If the agent is working and the prompt says
// so, it is queued instead, and the activity that it joined is returned. Of two prompts at
// the same moment, one is accepted and the other is refused with [ErrBusy] or queued
// (law S2). Other refusals are [ErrNoModel], the error of [Options.Ready], and that of a
// skill or template that cannot be read.
//
// It waits for the extensions that are asked about the prompt, and for a command of an
// extension; see [Session.Deliberates].
func (s *Session) Start(p Prompt) (*Activity, error) { return s.start(s.ctx, p) }

// start is Start for who may be a handler of an extension, whose context ctx is.
func (s *Session) start(ctx context.Context, p Prompt) (*Activity, error) {
	if ran, err := s.runCommand(&p); ran || err != nil {
		return s.handled(&p), err
	}
	m, err := s.input(ctx, &p)
	if errors.Is(err, errHandled) {
		return s.handled(&p), nil
	}
	if err != nil {
		return nil, err
	}
	a, started, err := s.accept(p, m)
	if err != nil {
		return nil, err
	}
	if p.Accepted != nil {
		p.Accepted(disposition(started, p.WhileBusy))
	}
	s.hub.flush()
	if started {
		s.running.Go(func() { s.conduct(a, m) })
	}
	return a, nil
}

// handled is what becomes of a prompt that an extension has dealt with.
func (s *Session) handled(p *Prompt) *Activity {
	if p.Accepted != nil {
		p.Accepted(Handled)
	}
	return over()
}

func disposition(started bool, d Delivery) Disposition {
	if started || d == Interrupt {
		return Started
	}
	return Queued
}

// accept decides about a prompt, in one step. started says that a run is to begin.
func (s *Session) accept(p Prompt, m agent.Message) (a *Activity, started bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, false, transcript.ErrClosed
	case s.activity == nil && s.compacting != nil && p.WhileBusy != Interrupt:
		return nil, false, ErrCompacting
	case s.activity != nil && p.WhileBusy == "":
		return nil, false, ErrBusy
	case s.activity != nil && p.WhileBusy == Interrupt:
		s.activity.interrupts = append(s.activity.interrupts, m)
		s.cancelAll(s.activity)
		return s.activity, false, nil
	case s.activity != nil:
		return s.activity, false, s.enqueue(m.(*ai.UserMessage), p.Text, p.WhileBusy)
	case s.model == nil:
		return nil, false, ErrNoModel
	}
	if s.opts.Ready != nil {
		if err := s.opts.Ready(s.model); err != nil {
			return nil, false, err
		}
	}
	if err := s.recordSettings(); err != nil {
		return nil, false, err
	}
	a = &Activity{settled: make(chan struct{})}
	a.ctx, a.cancel = context.WithCancelCause(s.ctx)
	if a.before = s.compacting; a.before != nil { // it is interrupted
		a.before.cancel(agent.ErrAborted)
	}
	if s.latest != nil && !s.latest.isSettled() {
		a.previous = s.latest
	}
	s.activity, s.latest = a, a
	return a, true, nil
}

// Queue adds a message to a queue. An idle agent takes it at its next run.
func (s *Session) Queue(p Prompt, d Delivery) error {
	if c, _ := s.extensionCommand(&p); c != nil {
		return fmt.Errorf("/%s is a command of an extension, which cannot be queued: send it as a prompt, also while the agent works", c.Invocation)
	}
	p.WhileBusy = d
	m, err := s.input(s.ctx, &p)
	if errors.Is(err, errHandled) {
		return nil
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.hub.flush()
	defer s.mu.Unlock()
	if s.closed {
		return transcript.ErrClosed
	}
	return s.enqueue(m, p.Text, d)
}

// enqueue puts a message in a queue and posts the change; the mutex is held.
func (s *Session) enqueue(m *ai.UserMessage, text string, d Delivery) error {
	switch d {
	case Steer:
		s.agent.Steer(m)
	case FollowUp:
		s.agent.FollowUp(m)
	default:
		return fmt.Errorf("unknown delivery %q: use %q or %q", d, Steer, FollowUp)
	}
	s.queued = append(s.queued, &queuedMessage{m, text, d})
	s.hub.post(s.queueUpdate())
	return nil
}

// queueUpdate lists the queues; the mutex is held.
func (s *Session) queueUpdate() *event.QueueUpdate {
	update := &event.QueueUpdate{Steering: []string{}, FollowUp: []string{}}
	for _, q := range s.queued {
		if q.delivery == Steer {
			update.Steering = append(update.Steering, q.text)
		} else {
			update.FollowUp = append(update.FollowUp, q.text)
		}
	}
	return update
}

// ClearQueue empties both queues and returns the texts that waited. The change is an event
// even if there was none (Pi 0.85).
func (s *Session) ClearQueue() (steering, followUp []string) {
	s.mu.Lock()
	defer s.hub.flush()
	defer s.mu.Unlock()
	was := s.queueUpdate()
	s.emptyQueues()
	s.hub.post(s.queueUpdate())
	return was.Steering, was.FollowUp
}

// dropQueue empties both queues of a session that ends.
func (s *Session) dropQueue() {
	s.mu.Lock()
	defer s.hub.flush()
	defer s.mu.Unlock()
	if len(s.queued) > 0 {
		s.emptyQueues()
		s.hub.post(s.queueUpdate())
	}
}

// emptyQueues needs the mutex.
func (s *Session) emptyQueues() {
	s.agent.ClearSteering()
	s.agent.ClearFollowUps()
	s.queued = nil
}

// SetQueueModes changes how many queued messages are delivered at one point. An empty
// mode changes nothing; an unknown one is an error.
func (s *Session) SetQueueModes(steering, followUp agent.QueueMode) error {
	for _, mode := range []agent.QueueMode{steering, followUp} {
		switch mode {
		case "", agent.OneAtATime, agent.All:
		default:
			return fmt.Errorf("unknown queue mode %q: use %q or %q", mode, agent.OneAtATime, agent.All)
		}
	}
	s.agent.SetQueueModes(steering, followUp)
	return nil
}

// Abort cancels what the session is doing, a run, a wait or a compaction, and waits until it
// has settled, or for ctx. Queued messages are not dropped: they start a new run. See
// [Session.ClearQueue].
func (s *Session) Abort(ctx context.Context) error {
	s.mu.Lock()
	activity, compaction := s.latest, s.compacting
	s.cancelAll(activity)
	if activity != nil {
		activity.aborted = len(activity.interrupts) > 0
	}
	s.mu.Unlock()
	if activity != nil {
		if err := activity.await(ctx); err != nil { // the run's own error belongs to who sent the prompt
			return err
		}
	}
	if compaction != nil {
		return compaction.await(ctx)
	}
	return nil
}

// cancelAll cancels the run of an activity, which may be nil, and the compaction that is
// under way; the mutex is held.
func (s *Session) cancelAll(a *Activity) {
	if s.compacting != nil {
		s.compacting.cancel(agent.ErrAborted)
	}
	if a != nil {
		a.cancel(agent.ErrAborted)
	}
}

// Wait returns when the session has settled and no compaction is under way, or with ctx's
// error.
func (s *Session) Wait(ctx context.Context) error {
	for {
		s.mu.Lock()
		activity, compaction := s.latest, s.compacting
		s.mu.Unlock()
		var err error
		switch {
		case activity != nil && !activity.isSettled():
			err = activity.await(ctx)
		case compaction != nil:
			err = compaction.await(ctx)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// abort cancels the activity's run, without waiting.
func (s *Session) abort(a *Activity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.cancel(agent.ErrAborted)
	a.aborted = len(a.interrupts) > 0
}
