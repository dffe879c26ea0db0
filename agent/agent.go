package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

// Options are the settings of an [Agent]. The zero value is an agent without tools.
type Options struct {
	SystemPrompt string
	Model        *ai.Model
	Thinking     ai.ThinkingLevel
	Tools        []*Tool
	// Messages are the transcript to begin with.
	Messages      []Message
	Hooks         Hooks
	ToolExecution ExecutionMode
	SteeringMode  QueueMode
	FollowUpMode  QueueMode
	Transcript    TranscriptStyle
	// Request is the template of every request's options, such as the session id or
	// retry limits.
	Request ai.Options
	// AbortGrace is how long a run waits, after an abort, for what ignores it; 0 means
	// [DefaultAbortGrace].
	AbortGrace time.Duration
}

// Errors of an agent that refuses.
var (
	// ErrBusy means that a run is under way.
	ErrBusy = errors.New("a run is under way; queue the message with Steer (for the next request) or FollowUp (for when the run would stop), or wait for its end")
	// ErrUnresponsive means that the run was given up after an abort, since a hook, a
	// listener or the provider did not return within the grace period.
	ErrUnresponsive = errors.New("the run was given up: something in it did not stop within the grace period after the abort")
)

// Agent holds a conversation and runs it, one run at a time. All methods may be called
// from any goroutine, listeners and tools included; but a listener or tool that waits for
// the run it belongs to waits forever.
type Agent struct {
	stream    ai.StreamFunc
	listeners listeners

	mu         sync.Mutex
	hooks      Hooks
	execution  ExecutionMode
	transcript TranscriptStyle
	request    ai.Options
	grace      time.Duration
	prompt     string
	model      *ai.Model
	thinking   ai.ThinkingLevel
	tools      []*Tool
	declared   []ai.ToolDecl // before the first message, for TranscriptToolChanges
	messages   []Message
	steering   queue
	followUps  queue
	streaming  streaming
	pending    pendingCalls
	lastError  string
	run        *run // nil when idle
}

// streaming is the message that is between its start and its end.
type streaming struct {
	message Message    // its form at the start
	partial ai.Partial // its newest form, once it streams
	updated bool
}

func (s *streaming) now() Message {
	if s.updated {
		return s.partial.Message()
	}
	return s.message
}

// New returns an idle agent. opts may be nil; the model can be set later, but before the
// first prompt.
func New(stream ai.StreamFunc, opts *Options) *Agent {
	if opts == nil {
		opts = &Options{}
	}
	a := &Agent{
		stream: stream, hooks: opts.Hooks, execution: opts.ToolExecution, transcript: opts.Transcript,
		request: opts.Request, grace: opts.AbortGrace, prompt: opts.SystemPrompt, model: opts.Model,
		thinking: opts.Thinking, tools: slices.Clone(opts.Tools), messages: slices.Clone(opts.Messages),
		steering: queue{mode: opts.SteeringMode}, followUps: queue{mode: opts.FollowUpMode},
	}
	if a.thinking == "" {
		a.thinking = ai.ThinkingOff
	}
	if a.transcript == TranscriptSelfContained && a.leadingSystem() == nil {
		if sys := baseline(a.prompt, a.tools); sys != nil {
			a.messages = slices.Insert(a.messages, 0, Message(sys))
		}
	}
	return a
}

// leadingSystem returns the system message that the transcript begins with.
func (a *Agent) leadingSystem() *ai.SystemMessage {
	if len(a.messages) == 0 {
		return nil
	}
	sys, _ := a.messages[0].(*ai.SystemMessage)
	return sys
}

// User returns a user message of a text and, after it, images.
func User(text string, images ...*ai.Image) *ai.UserMessage {
	content := ai.Content{&ai.Text{Text: text}}
	for _, image := range images {
		content = append(content, image)
	}
	return &ai.UserMessage{Content: content, Timestamp: now()}
}

// Prompt adds messages to the conversation and runs it until nothing more is to be done.
// It returns when the last listener has returned from agent_end.
//
// A failed answer is not an error: it is in the transcript and in [State.Error]. Prompt
// returns [ErrBusy] if a run is under way, [ErrUnresponsive], or the error of a listener
// that failed while a failure was being reported. Cancelling ctx aborts the run.
func (a *Agent) Prompt(ctx context.Context, messages ...Message) error {
	return a.start(ctx, func() (runInput, error) { return runInput{prompts: messages}, nil })
}

// Continue runs the conversation without a new message. If the last message is an
// answer, a queued message is taken as the prompt; if there is none, it returns
// [ErrLastIsAnswer].
func (a *Agent) Continue(ctx context.Context) error {
	return a.start(ctx, func() (runInput, error) {
		err := canContinue(a.messages)
		if !errors.Is(err, ErrLastIsAnswer) {
			return runInput{resume: true}, err
		}
		if queued := a.steering.take(); len(queued) > 0 {
			return runInput{prompts: queued, skipFirstPoll: true}, nil
		}
		if queued := a.followUps.take(); len(queued) > 0 {
			return runInput{prompts: queued}, nil
		}
		return runInput{}, err
	})
}

// Steer queues a message for the next request of the run under way. Calls that were
// requested already are not skipped. An idle agent takes it at its next run.
func (a *Agent) Steer(m ...Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steering.add(m...)
}

// FollowUp queues a message for when the run would stop.
func (a *Agent) FollowUp(m ...Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.followUps.add(m...)
}

// ClearSteering empties the queue of Steer and returns what was in it.
func (a *Agent) ClearSteering() []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.steering.clear()
}

// ClearFollowUps empties the queue of FollowUp and returns what was in it.
func (a *Agent) ClearFollowUps() []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.followUps.clear()
}

// Withdraw takes one message out of its queue, whichever it is in. It returns false for a
// message that does not wait, since a run has taken it.
func (a *Agent) Withdraw(m Message) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.steering.remove(m) || a.followUps.remove(m)
}

// Queued reports whether a message waits in one of the queues.
func (a *Agent) Queued() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.steering.items)+len(a.followUps.items) > 0
}

// Abort cancels the run under way; an idle agent ignores it. It does not wait: see
// [Agent.Wait].
func (a *Agent) Abort() {
	a.mu.Lock()
	r := a.run
	a.mu.Unlock()
	if r != nil {
		r.cancel(ErrAborted)
	}
}

// Wait returns when the agent is idle, or with ctx's error.
func (a *Agent) Wait(ctx context.Context) error {
	for {
		a.mu.Lock()
		r := a.run
		a.mu.Unlock()
		if r == nil {
			return nil
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Subscribe adds a listener, which gets events after all that were added before it. The
// returned function removes it; both count at once, also in the middle of a delivery.
func (a *Agent) Subscribe(l Listener) (unsubscribe func()) { return a.listeners.add(l) }

// Reset empties transcript, queues and error. A self-contained transcript keeps a system
// message with the current prompt and tools, and behind it the texts of later system messages,
// separated by blank lines. It returns [ErrBusy] while a run is under
// way.
func (a *Agent) Reset() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil {
		return ErrBusy
	}
	later := laterSystemTexts(a.messages)
	a.messages, a.declared, a.lastError = nil, nil, ""
	a.steering.clear()
	a.followUps.clear()
	if a.transcript == TranscriptSelfContained {
		sys := baseline(a.prompt, a.tools)
		if sys == nil && len(later) > 0 {
			sys = &ai.SystemMessage{Timestamp: now()}
		}
		if sys != nil {
			sys.Content = strings.TrimPrefix(strings.Join(append([]string{sys.Content}, later...), "\n\n"), "\n\n")
			a.messages = []Message{sys}
		}
	}
	return nil
}

// laterSystemTexts returns the texts of the system messages behind the first message.
func laterSystemTexts(messages []Message) (texts []string) {
	for i, m := range messages {
		if sys, ok := m.(*ai.SystemMessage); ok && i > 0 && sys.Content != "" {
			texts = append(texts, sys.Content)
		}
	}
	return texts
}

// run is one run under way.
type run struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	err    error
	input  runInput
	cfg    *LoopConfig

	// The agent's mutex guards the rest.
	steps     uint64 // events so far
	detached  bool   // given up; see watch
	progress  progress
	current   atomic.Uint64 // id of the listener that is at work
	abandoned atomic.Bool   // the run was given up while a listener was at work
}

// runInput is how a run begins.
type runInput struct {
	prompts       []Message
	resume        bool // continue without prompts
	skipFirstPoll bool
	last          Listener // gets each event after all others; nil for none
}

// start begins a run and waits for it. input is called with the mutex held.
func (a *Agent) start(ctx context.Context, input func() (runInput, error)) error {
	a.mu.Lock()
	if a.run != nil {
		a.mu.Unlock()
		return ErrBusy
	}
	in, err := input()
	if err != nil {
		a.mu.Unlock()
		return err
	}
	r := &run{done: make(chan struct{}), input: in, cfg: a.config(in)}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	a.run, a.lastError = r, ""
	c := Context{SystemPrompt: a.prompt, Messages: slices.Clip(a.messages), Tools: a.tools}
	if a.transcript == TranscriptSelfContained {
		c.SystemPrompt = ""
	}
	a.mu.Unlock()

	go a.conduct(r, c)
	select {
	case <-r.done:
	case <-r.ctx.Done():
		var watch sync.WaitGroup
		watch.Go(func() { a.watch(r) })
		<-r.done
		watch.Wait()
	}
	r.cancel(nil)
	return r.err
}

// config is the loop's view of the agent's settings; later changes count from the next
// run on. The mutex is held.
func (a *Agent) config(in runInput) *LoopConfig {
	if a.transcript == TranscriptToolChanges && a.declared == nil {
		a.declared = declarations(a.tools)
	}
	var declared []ai.ToolDecl
	if a.transcript == TranscriptToolChanges {
		declared = declaredTools(a.declared, a.messages)
	}
	return &LoopConfig{
		Model: a.model, Thinking: a.thinking, Stream: a.stream, Request: a.request, Hooks: a.hooks,
		ToolExecution: a.execution, Transcript: a.transcript, Declared: declared,
		Steering:      func(context.Context) ([]Message, error) { return a.drain(&a.steering), nil },
		FollowUps:     func(context.Context) ([]Message, error) { return a.drain(&a.followUps), nil },
		SkipFirstPoll: in.skipFirstPoll, AbortGrace: a.grace,
	}
}

func (a *Agent) drain(q *queue) []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil && a.run.detached {
		return nil
	}
	return q.take()
}

// conduct is the run's goroutine.
func (a *Agent) conduct(r *run, c Context) {
	reserveRunStack(len(a.listeners.all()))
	emit := func(ctx context.Context, ev Event) error { return a.emit(ctx, r, ev) }
	var err error
	if r.cfg.Model == nil {
		err = errors.New("no model is set")
	} else {
		l := newLoop(c, r.cfg, emit)
		err = l.guarded(r.ctx, r.input.prompts)
	}
	if err != nil {
		_, err = guard("a listener", func() (struct{}, error) { return struct{}{}, a.reportFailure(r, emit, err) })
	}
	a.finish(r, err)
}

// reportFailure makes events of an error that ended the loop.
func (a *Agent) reportFailure(r *run, emit Listener, cause error) error {
	m := failure(r, cause)
	for _, ev := range []Event{
		&MessageStart{Message: m},
		&MessageEnd{Message: m},
		&TurnEnd{Message: m, ToolResults: []*ai.ToolResultMessage{}},
		&AgentEnd{Messages: []Message{m}},
	} {
		if err := emit(r.ctx, ev); err != nil {
			return err
		}
	}
	return nil
}

// failure is the answer that stands for an error.
func failure(r *run, cause error) *ai.AssistantMessage {
	m := &ai.AssistantMessage{
		Content: ai.TextContent(""), StopReason: ai.StopError, Err: cause, ErrorMessage: cause.Error(), Timestamp: now(),
	}
	if r.ctx.Err() != nil {
		m.StopReason = ai.StopAborted
	}
	if model := r.cfg.Model; model != nil {
		m.API, m.Provider, m.Model = model.API, model.Provider, model.ID
	}
	return m
}

// finish makes the agent idle, unless the run has been given up.
func (a *Agent) finish(r *run, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.detached {
		return
	}
	a.end(r, err)
}

// end makes the agent idle; the mutex is held.
func (a *Agent) end(r *run, err error) {
	a.streaming = streaming{}
	a.pending.clear()
	a.run = nil
	r.err = err
	close(r.done)
}

// emit changes the agent's state and then tells the listeners, in that order (law D1).
func (a *Agent) emit(ctx context.Context, r *run, ev Event) error {
	a.mu.Lock()
	if r.detached {
		a.mu.Unlock()
		return ErrUnresponsive
	}
	r.steps++
	a.reduce(r, ev)
	a.mu.Unlock()
	var err error
	if end, ok := ev.(*MessageEnd); ok {
		ev, err = a.deliverMessageEnd(ctx, r, end)
	} else {
		err = a.listeners.deliver(ctx, r, ev)
	}
	if err == nil && r.input.last != nil {
		err = r.input.last(ctx, ev)
	}
	return err
}

// deliverMessageEnd lets a listener put another message in the place of the one that
// ended; those after it see the replacement, in the event that is returned as well.
func (a *Agent) deliverMessageEnd(ctx context.Context, r *run, end *MessageEnd) (Event, error) {
	slot := end.slot
	if slot == nil { // of a failure
		return end, a.listeners.deliver(ctx, r, end)
	}
	slot.agent, slot.run = a, r
	renew := func() {
		if slot.message != end.Message {
			end = &MessageEnd{Message: slot.message, slot: slot}
		}
	}
	err := a.listeners.each(r, func(sub *subscription) error {
		renew()
		return sub.call(ctx, end)
	})
	renew()
	return end, err
}

func (a *Agent) replaceLast(r *run, old, with Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(a.messages) - 1; i >= 0; i-- {
		if a.messages[i] == old {
			a.messages = slices.Clone(a.messages)
			a.messages[i] = with
			break
		}
	}
	r.progress.replace(old, with)
}

// reduce is the one place where events change state; the mutex is held.
func (a *Agent) reduce(r *run, ev Event) {
	switch ev := ev.(type) {
	case *MessageUpdate:
		a.streaming.partial, _ = ai.PartialOf(ev.Stream)
		a.streaming.updated = true
		return
	case *MessageStart:
		a.streaming = streaming{message: ev.Message}
	case *MessageEnd:
		a.streaming = streaming{}
		a.messages = append(a.messages, ev.Message)
	case *ToolExecutionStart:
		a.pending.add(ev.ToolCallID)
	case *ToolExecutionEnd:
		a.pending.remove(ev.ToolCallID)
	case *TurnEnd:
		if ev.Message.ErrorMessage != "" {
			a.lastError = ev.Message.ErrorMessage
		}
	case *AgentStart, *AgentEnd, *TurnStart, *ToolExecutionUpdate:
	}
	r.progress.note(ev)
}
