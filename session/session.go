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

// Session is a conversation that is kept: an agent, the store of its entries, and the
// policy around them. All methods may be called from any goroutine.
//
// It is made of parts, each with its own state and its own lock. Locks are taken in this order,
// and none is held while extensions or subscribers are called: scheduler, the states of a series,
// commands, toolbox, instructions, choice, queue, results, compactor, meter, names, retry,
// fallback, binding, writer, recovery log, dispatcher.
type Session struct {
	opts      *Options
	events    *dispatcher
	scheduler *scheduler // what is worked on
	conductor *conductor // carries it out
	intake    *intake    // what a prompt becomes
	navigator *navigator // moves in the tree
	names     *names
	binding   *binding // to the extensions
	readers   *readers // of events, that may be slow
	questions *questions
}

// New opens a session over a store: a new one, or one to go on with. The session owns the
// store from then on and closes it. It returns [ErrNoStream] without a stream, and refuses
// options that contradict one another.
func New(store transcript.Store, opts *Options) (*Session, error) {
	if store == nil {
		return nil, errors.New("open a session: there is no store; use transcript/memory or transcript/jsonl")
	}
	own := Options{}
	if opts != nil {
		own = *opts
	}
	if err := own.check(); err != nil {
		return nil, err
	}
	past, now, err := restore(store, &own)
	if err != nil {
		return nil, err
	}
	return assemble(store, &own, past, now), nil
}

// assemble makes the parts and connects them.
func assemble(store transcript.Store, opts *Options, past *transcript.Projection, now selection) *Session {
	ext := opts.Extensions
	w, events := &writer{store: store}, newDispatcher()
	images := imageGate{keepSize: opts.KeepImageSize}
	b := &binding{ext: ext, images: images}
	text := &instructions{cwd: opts.CWD, resources: opts.Resources, parts: opts.Prompt, text: opts.SystemPrompt}
	tools := newToolbox(opts, w, text)
	pick := &choice{opts: opts, writer: w, events: events, notify: b.notifySelection, now: now}
	q := &queue{events: events}
	sched := newScheduler(q, pick)
	m := &meter{choice: pick, store: store}
	again := &retry{policy: opts.Retry, failures: opts.Failures, off: opts.Retry.Disabled}
	comp := &compactor{
		opts: opts, scheduler: sched, events: events, writer: w, choice: pick, meter: m, retry: again, ext: ext, off: opts.Compaction.Disabled,
	}
	cmds := &commands{
		options: opts.Bash, cwd: opts.CWD, scheduler: sched, events: events, writer: w, log: &recoveryLog{store: store}, ext: ext,
		running: make(map[*commandRun]struct{}),
	}
	c := &conductor{
		scheduler: sched, events: events, writer: w, choice: pick, tools: tools, instructions: text, commands: cmds, retry: again,
		fallback: &fallback{opts: opts}, compactor: comp, binding: b, budget: opts.Budget,
	}
	asks := &questions{events: events}
	c.approval = asks.approve(opts.Approve)
	comp.resume = func(a *series) { c.start(a, nil) }
	a := newAgent(c, opts, past, store.Header().ID)
	c.agent, comp.agent, cmds.agent, m.agent, q.agent, pick.agent, tools.agent, text.agent = a, a, a, a, a, a, a, a
	a.Subscribe(c.onAgentEvent)
	s := &Session{
		opts: opts, events: events, scheduler: sched, conductor: c, binding: b, names: &names{writer: w, events: events, ext: ext},
		readers: &readers{events: events}, questions: asks,
		intake:    &intake{scheduler: sched, instructions: text, ext: ext, images: images},
		navigator: &navigator{scheduler: sched, conductor: c, agent: a, events: events, writer: w, choice: pick, compactor: comp, ext: ext},
	}
	if store, ok := store.(interface{ OnProblem(func(error)) }); ok {
		store.OnProblem(func(err error) {
			problem := &event.StoreProblem{Message: err.Error()}
			if moved, ok := errors.AsType[*transcript.FileError](err); ok {
				problem.SessionFile = moved.Now
			}
			events.post(problem)
		})
	}
	if ext != nil {
		ext.Bind(extended{entryReader{store}, s})
	}
	return s
}

// newAgent makes the agent of a session.
func newAgent(c *conductor, opts *Options, past *transcript.Projection, id string) *agent.Agent {
	style := agent.TranscriptToolChanges
	if opts.PlainTools {
		style = agent.TranscriptPlain
	}
	request := c.binding.request(opts.Request)
	if request.SessionID == "" {
		request.SessionID = id
	}
	list := opts.Tools
	if c.binding.ext != nil {
		_, active := c.tools.selected()
		list = c.tools.withHidden(active)
		c.instructions.toolsChanged(active)
	}
	prompt, _ := c.instructions.current()
	now := c.choice.current()
	stream := func(ctx context.Context, req *ai.Request) *ai.Stream {
		return c.binding.observed(ctx, c.compactor.stream(ctx, req))
	}
	return agent.New(stream, &agent.Options{
		SystemPrompt: prompt, Model: now.model, Thinking: now.thinking, Tools: list, Messages: past.Messages,
		Hooks: c.hooks(opts.Hooks), ToolExecution: opts.ToolExecution, Transcript: style, Request: request,
		SteeringMode: opts.SteeringMode, FollowUpMode: opts.FollowUpMode, AbortGrace: opts.AbortGrace,
	})
}

// restore chooses model and level, brings in what a crashed run left, and records the
// settings of a new session.
func restore(store transcript.Store, opts *Options) (past *transcript.Projection, now selection, err error) {
	fresh := store.Leaf() == ""
	if err := recoverRun(store); err != nil {
		return nil, now, err
	}
	if past, err = transcript.Project(store, store.Leaf()); err != nil {
		return nil, now, fmt.Errorf("read session %s: %w", store.Path(), err)
	}
	now = initialSelection(opts, past)
	entries := now.differences(past, fresh)
	if past.ThinkingLevel == "" && !fresh {
		entries = append(entries, &transcript.ThinkingLevelEntry{ThinkingLevel: now.thinking})
	}
	if len(entries) == 0 {
		return past, now, nil
	}
	return past, now, store.Append(entries...)
}

// Store returns the session's store, for reading.
func (s *Session) Store() transcript.Store { return s.conductor.writer.store }

// ID returns the session's id.
func (s *Session) ID() string { return s.Store().Header().ID }

// Extensions returns the session's extensions; nil if it has none.
func (s *Session) Extensions() *extension.Runner { return s.binding.ext }

// Messages returns the transcript that the agent works with. The list must not be
// changed.
func (s *Session) Messages() []agent.Message { return s.conductor.agent.State().Messages }

// LastAnswer returns the newest answer of the transcript; nil if there is none.
func (s *Session) LastAnswer() *ai.AssistantMessage { return newestAnswer(s.Messages()) }

// Subscribe adds a subscriber, which gets every event of the session, one at a time and
// in order, before it is stored. The agent waits until it returns. The returned function
// removes it.
func (s *Session) Subscribe(fn func(event.Event)) (unsubscribe func()) {
	return s.events.subscribe(&subscriber{fn: fn})
}

// SubscribeStored is Subscribe for what passes events on to another program: the end of a
// message or a call comes when it has been stored, so that no crash can take back what has
// been shown. If it could not be stored, it comes all the same, and the run's failure
// follows.
func (s *Session) SubscribeStored(fn func(event.Event)) (unsubscribe func()) {
	return s.events.subscribe(&subscriber{fn: fn, afterStore: true})
}

// State is what a session looks like at one moment.
type State struct {
	Model        *ai.Model
	Thinking     ai.ThinkingLevel
	Busy         bool // between the acceptance of a prompt and its settlement
	SteeringMode agent.QueueMode
	FollowUpMode agent.QueueMode
	Messages     int // in the transcript
	Pending      int // queued messages
	// Retrying says that a repetition of a failed request is being waited for, Compacting
	// that a compaction is under way.
	Retrying, Compacting bool
	// AutoRetry and AutoCompaction are switches of the session.
	AutoRetry, AutoCompaction bool
}

// State returns the session's state.
func (s *Session) State() State {
	st, sched, now := s.conductor.agent.State(), s.scheduler.state(), s.conductor.choice.current()
	return State{
		Model: now.model, Thinking: now.thinking, Busy: sched.current != nil,
		SteeringMode: st.SteeringMode, FollowUpMode: st.FollowUpMode,
		Messages: len(st.Messages), Pending: s.scheduler.queue.length(),
		Retrying: sched.current != nil && sched.current.retry.planned() != nil, Compacting: sched.compacting,
		AutoRetry: s.conductor.retry.enabled(), AutoCompaction: s.conductor.compactor.enabled(),
	}
}

// Stats returns the session's numbers. The first call reads the session; later ones read
// what has been added since.
func (s *Session) Stats() (*transcript.Stats, error) { return s.conductor.compactor.meter.stats() }

// ContextUsage returns how full the context of the selected model is, or nil if that cannot
// be known. The cost is that of reading what came after the newest answer.
func (s *Session) ContextUsage() (*transcript.ContextUsage, error) {
	return s.conductor.compactor.meter.contextUsage()
}
