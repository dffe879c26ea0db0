package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

// Listener gets the events of a run, one at a time and in order. The run waits until it
// returns; an error fails the run. ctx is the run's.
type Listener func(ctx context.Context, ev Event) error

// LoopConfig is what [RunLoop] needs beside the messages. [Agent] fills it in from its
// options and state.
type LoopConfig struct {
	Model    *ai.Model
	Thinking ai.ThinkingLevel
	// Stream asks the model.
	Stream ai.StreamFunc
	// Request is the template of each request's options. Key, thinking level and model
	// are filled in.
	Request       ai.Options
	Hooks         Hooks
	ToolExecution ExecutionMode
	Transcript    TranscriptStyle
	// Declared are the tools that the model knows of before the run, for
	// [TranscriptToolChanges]; nil means those of the context.
	Declared []ai.ToolDecl
	// Steering returns the messages to add before the next request, FollowUps those to
	// add when the run would stop. They take what they return from their queues.
	Steering  func(ctx context.Context) ([]Message, error)
	FollowUps func(ctx context.Context) ([]Message, error)
	// SkipFirstPoll leaves out the reading of Steering at the run's start.
	SkipFirstPoll bool
	// AbortGrace is how long a tool may go on after ctx is done; 0 means
	// [DefaultAbortGrace].
	AbortGrace time.Duration
}

// DefaultAbortGrace is how long the run waits, after an abort, for whatever ignores it.
const DefaultAbortGrace = 5 * time.Second

// Errors of a refusal to start.
var (
	// ErrNothingToContinue means that there is no message to answer.
	ErrNothingToContinue = errors.New("there is no message to continue from; send a prompt first")
	// ErrLastIsAnswer means that the last message is an answer and nothing is queued.
	ErrLastIsAnswer = errors.New("the last message is an answer and nothing is queued; send a prompt, or queue one with Steer or FollowUp")
)

// ErrAborted is the cause of a context that [Agent.Abort] has cancelled.
var ErrAborted = errors.New("aborted")

// RunLoop adds prompts to a conversation and runs turns until the model is done. It
// returns the messages that were added, also beside an error. c and its lists are not
// changed.
//
// A failure of the provider or of a tool is data: the returned error is a listener's or
// a hook's, and then no further event is emitted. Most programs use [Agent], which makes
// events of that as well.
func RunLoop(ctx context.Context, prompts []Message, c Context, cfg *LoopConfig, emit Listener) ([]Message, error) {
	l := newLoop(c, cfg, emit)
	err := l.guarded(ctx, prompts)
	return l.added, err
}

// ContinueLoop is [RunLoop] without new messages: the model answers what is there. It
// refuses with [ErrNothingToContinue] or [ErrLastIsAnswer], before any event.
func ContinueLoop(ctx context.Context, c Context, cfg *LoopConfig, emit Listener) ([]Message, error) {
	if err := canContinue(c.Messages); err != nil {
		return nil, err
	}
	l := newLoop(c, cfg, emit)
	err := l.guarded(ctx, nil)
	return l.added, err
}

// Iterate is the iterable form of [RunLoop]. Breaking out of the loop cancels the run
// and waits for it. The last event, [*AgentEnd], has the messages that were added.
func Iterate(ctx context.Context, prompts []Message, c Context, cfg *LoopConfig) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		left := false
		l := newLoop(c, cfg, func(_ context.Context, ev Event) error {
			if left || !yield(ev, nil) {
				left = true
				cancel(ErrAborted)
				return ErrAborted
			}
			return nil
		})
		if err := l.run(ctx, prompts); err != nil && !left {
			yield(nil, err)
		}
	}
}

func canContinue(messages []Message) error {
	if !slices.ContainsFunc(messages, func(m Message) bool { return m.Role() != ai.RoleSystem }) {
		return ErrNothingToContinue
	}
	if _, answered := messages[len(messages)-1].(*ai.AssistantMessage); answered {
		return ErrLastIsAnswer
	}
	return nil
}

// loop is one run. Everything happens on the goroutine that calls run, except the
// execution of tools.
type loop struct {
	cfg      *LoopConfig
	emit     Listener
	c        Context
	model    *ai.Model
	thinking ai.ThinkingLevel
	declared []ai.ToolDecl
	added    []Message
	turn     *Turn // the latest one that has its results
}

func newLoop(c Context, cfg *LoopConfig, emit Listener) *loop {
	c.Messages = slices.Clone(c.Messages)
	c.Tools = slices.Clone(c.Tools)
	declared := cfg.Declared
	if declared == nil && cfg.Transcript == TranscriptToolChanges {
		declared = declarations(c.Tools)
	}
	return &loop{cfg: cfg, emit: emit, c: c, model: cfg.Model, thinking: cfg.Thinking, declared: declared}
}

// guarded is run for callers that no panic may reach.
func (l *loop) guarded(ctx context.Context, prompts []Message) error {
	_, err := guard("a hook or listener", func() (struct{}, error) { return struct{}{}, l.run(ctx, prompts) })
	return err
}

func (l *loop) run(ctx context.Context, prompts []Message) error {
	if err := l.emit(ctx, &AgentStart{}); err != nil {
		return err
	}
	if err := l.emit(ctx, &TurnStart{}); err != nil {
		return err
	}
	if err := l.addAll(ctx, l.declare(prompts)); err != nil {
		return err
	}
	var pending []Message
	if !l.cfg.SkipFirstPoll {
		var err error
		if pending, err = poll(ctx, l.cfg.Steering); err != nil {
			return err
		}
	}
	if err := l.turns(ctx, pending); err != nil {
		return err
	}
	return l.emit(ctx, &AgentEnd{Messages: slices.Clip(l.added)})
}

// turns runs turn after turn until nothing asks for another one.
func (l *loop) turns(ctx context.Context, pending []Message) error {
	for {
		next, err := l.oneTurn(ctx, pending)
		if err != nil || next == stop {
			return err
		}
		if pending, err = poll(ctx, l.cfg.Steering); err != nil {
			return err
		}
		if next == idle || next == oneMore {
			if len(pending) == 0 {
				if pending, err = poll(ctx, l.cfg.FollowUps); err != nil {
					return err
				}
			}
			if len(pending) == 0 && next == idle {
				return nil
			}
		}
	}
}

// sequel says how a run goes on after a turn.
type sequel int

const (
	idle    sequel = iota // only queued messages cause another turn
	goOn                  // tool results wait for an answer
	oneMore               // a hook asked for another request
	stop                  // the run ends, whatever is queued
)

func (l *loop) oneTurn(ctx context.Context, pending []Message) (sequel, error) {
	if l.turn != nil {
		var err error
		if pending, err = l.nextTurn(ctx, pending); err != nil {
			return stop, err
		}
	}
	if err := l.addAll(ctx, l.declare(pending)); err != nil {
		return stop, err
	}
	if err := l.prepareRequest(ctx); err != nil {
		return stop, err
	}
	answer, err := l.ask(ctx)
	if err != nil {
		return stop, err
	}
	next := idle
	var results []*ai.ToolResultMessage
	if calls := answer.Content.ToolCalls(); len(calls) > 0 && !answer.Failed() {
		var terminate bool
		if results, terminate, err = l.runTools(ctx, answer, calls); err != nil {
			return stop, err
		}
		if !terminate {
			next = goOn
		}
	}
	return l.endTurn(ctx, answer, results, next)
}

// nextTurn prepares every turn but the first, and starts it.
func (l *loop) nextTurn(ctx context.Context, pending []Message) ([]Message, error) {
	if prepare := l.cfg.Hooks.PrepareNextTurn; prepare != nil {
		change, err := prepare(ctx, l.turnNow())
		if err != nil {
			return nil, err
		}
		if change == nil {
			change = &NextTurn{}
		}
		l.apply(change.Context, change.Model, change.Thinking)
		if len(pending) == 0 {
			// Preparing may have taken long; what was queued meanwhile belongs to this
			// turn. A second message is not taken: that would be two in one turn.
			if pending, err = poll(ctx, l.cfg.Steering); err != nil {
				return nil, err
			}
		}
		pending = append(slices.Clone(change.Messages), pending...)
	}
	return pending, l.emit(ctx, &TurnStart{})
}

func (l *loop) prepareRequest(ctx context.Context) error {
	prepare := l.cfg.Hooks.PrepareRequest
	if prepare == nil {
		return nil
	}
	change, err := prepare(ctx, &RequestPlan{Context: l.context(), Model: l.model, Thinking: l.thinking})
	if err != nil || change == nil {
		return err
	}
	l.apply(change.Context, change.Model, change.Thinking)
	return nil
}

func (l *loop) apply(c *Context, model *ai.Model, thinking *ai.ThinkingLevel) {
	if c != nil {
		l.c = Context{SystemPrompt: c.SystemPrompt, Messages: slices.Clone(c.Messages), Tools: slices.Clone(c.Tools)}
	}
	if model != nil {
		l.model = model
	}
	if thinking != nil {
		l.thinking = *thinking
	}
}

// endTurn lets the hooks decide and closes the turn.
func (l *loop) endTurn(ctx context.Context, answer *ai.AssistantMessage, results []*ai.ToolResultMessage, next sequel) (sequel, error) {
	l.turn = &Turn{Message: answer, ToolResults: results}
	action := TurnGoOn
	if finish := l.cfg.Hooks.FinishTurn; finish != nil {
		var err error
		if action, err = finish(ctx, l.turnNow()); err != nil {
			return stop, err
		}
	}
	if results == nil {
		results = []*ai.ToolResultMessage{}
	}
	if err := l.emit(ctx, &TurnEnd{Message: answer, ToolResults: results}); err != nil {
		return stop, err
	}
	if answer.Failed() {
		return stop, nil
	}
	if ask := l.cfg.Hooks.ShouldStopAfterTurn; ask != nil {
		if end, err := ask(ctx, l.turnNow()); err != nil || end {
			return stop, err
		}
	}
	switch {
	case action == TurnEndRun:
		return stop, nil
	case action == TurnContinue && next == idle:
		return oneMore, nil
	}
	return next, nil
}

func (l *loop) turnNow() *Turn {
	t := *l.turn
	t.Context = l.context()
	t.NewMessages = slices.Clip(l.added)
	return &t
}

// context returns what hooks see. The message list is shared, not copied: a copy for
// each call of a large batch would be quadratic.
func (l *loop) context() *Context {
	return &Context{SystemPrompt: l.c.SystemPrompt, Messages: slices.Clip(l.c.Messages), Tools: slices.Clip(l.c.Tools)}
}

// declare adds to the pending messages what changed about the tools since the last
// request.
func (l *loop) declare(pending []Message) []Message {
	switch l.cfg.Transcript {
	case TranscriptPlain:
		return pending
	case TranscriptSelfContained:
		l.declared = declaredTools(nil, l.c.Messages)
	case TranscriptToolChanges:
	}
	added, removed := toolChanges(declaredTools(l.declared, pending), l.c.Tools)
	pending = declare(pending, added, removed)
	l.declared = declaredTools(l.declared, pending)
	return pending
}

func (l *loop) addAll(ctx context.Context, messages []Message) error {
	for _, m := range messages {
		if _, err := l.announce(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// announce adds a message that is complete from its start on.
func (l *loop) announce(ctx context.Context, m Message) (Message, error) {
	events := &messageEvents{start: MessageStart{Message: m}}
	if err := l.emit(ctx, &events.start); err != nil {
		return nil, err
	}
	return l.add(ctx, m, events)
}

// add makes m part of the transcript. It returns the message that a listener may have
// put in its place.
func (l *loop) add(ctx context.Context, m Message, events *messageEvents) (Message, error) {
	l.c.Messages = append(l.c.Messages, m)
	l.added = append(l.added, m)
	events.slot = messageSlot{loop: l, message: m, at: len(l.c.Messages) - 1, from: len(l.added) - 1}
	events.end = MessageEnd{Message: m, slot: &events.slot}
	err := l.emit(ctx, &events.end)
	return events.slot.message, err
}

// messageEvents are the events around one message, allocated at once.
type messageEvents struct {
	start MessageStart
	end   MessageEnd
	slot  messageSlot
}

// messageSlot is the place of a message that has ended.
type messageSlot struct {
	loop     *loop
	message  Message // what is in the place now
	at, from int     // where it stands in the context and among the added messages
	agent    *Agent  // nil outside of one
	run      *run
}

// replace puts another message in the place. Lists that hooks and events were given keep
// the old one.
func (s *messageSlot) replace(m Message) {
	if s.agent != nil {
		s.agent.replaceLast(s.run, s.message, m)
	}
	s.message = m
	s.loop.c.Messages = append(slices.Clone(s.loop.c.Messages[:s.at]), m)
	s.loop.added = append(slices.Clone(s.loop.added[:s.from]), m)
}

func poll(ctx context.Context, queue func(context.Context) ([]Message, error)) ([]Message, error) {
	if queue == nil {
		return nil, nil
	}
	return queue(ctx)
}

// panicError makes an error of what a listener or hook panicked with.
func panicError(who string, p any) error {
	if err, ok := p.(error); ok {
		return fmt.Errorf("%s panicked: %w", who, err)
	}
	return fmt.Errorf("%s panicked: %v", who, p)
}
