package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/transcript"
)

// Options are the settings of a [Session]. Stream and Model are needed for a prompt; all
// else may be left out.
type Options struct {
	// CWD is the folder that the session works in.
	CWD string
	// Stream asks the model. It finds the key itself; see package config.
	Stream ai.StreamFunc
	// Model answers. If it is nil, a resumed session goes on with its own model only
	// when FindModel knows it.
	Model *ai.Model
	// Thinking is clamped to what the model supports; empty means off, or what a resumed
	// session had.
	Thinking ai.ThinkingLevel
	// DefaultThinking returns the level to begin with where neither the options nor the
	// session name one; nil means off.
	DefaultThinking func(*ai.Model) ai.ThinkingLevel
	// FindModel looks up the model that a resumed session names; nil if there is none.
	FindModel func(provider, id string) *ai.Model
	// LevelFor returns the thinking level that the user prefers for a model, when it is
	// switched to; empty keeps the level. Nil always keeps it.
	LevelFor func(*ai.Model) ai.ThinkingLevel
	// Scope are the models that the user switches between; without any, those of Available
	// are, which lists the models that can be asked.
	Scope     []ScopedModel
	Available func() []*ai.Model
	// Ready reports why a model cannot be asked, for instance since there is no key. A
	// prompt is refused with that error.
	Ready func(*ai.Model) error

	Tools        []*agent.Tool
	SystemPrompt string
	// Resources are the skills and templates that a prompt may name; nil if there are none.
	Resources     *resource.Set
	Hooks         agent.Hooks
	ToolExecution agent.ExecutionMode
	SteeringMode  agent.QueueMode
	FollowUpMode  agent.QueueMode
	// PlainTools leaves tool changes out of the transcript, as Pi 0.85 does; by default
	// they are recorded (law L11).
	PlainTools bool
	// Retry says how failed requests are repeated, Compaction when the conversation is
	// compacted. Their zero values are useful.
	Retry           Retry
	Compaction      Compaction
	BranchSummaries BranchSummaries
	// Failures tells failures of providers apart, for both.
	Failures ai.Classifier
	// Successors lists the models that take over from one whose provider is overloaded or
	// broken, or whose quota is used up, the first that can be asked first. nil, or an
	// empty list, leaves the failure as it is. See [ModelFallback].
	Successors func(*ai.Model) []ScopedModel
	// Request is the template of every request's options.
	Request ai.Options
	// AbortGrace is how long an abort waits for what ignores it; 0 means
	// [agent.DefaultAbortGrace].
	AbortGrace time.Duration
	// KeepImageSize sends images as large as they are, instead of within the limits of
	// providers.
	KeepImageSize bool
	// Bash runs the user's own commands; nil means the local shell.
	Bash *bash.Options

	// Extensions are those of this session, which owns them from then on; nil if there are
	// none. Program is what they ask of the program.
	Extensions *extension.Runner
	Program    Program
	// Toolbox are the tools that extensions can switch to, beside Tools. ToolAllowed says
	// which of the extensions' own tools may be active from the start; nil allows all.
	Toolbox     []tools.Definition
	ToolAllowed func(name string) bool
	// Prompt, if set, is what SystemPrompt is made of, so that it can be made again for
	// other tools.
	Prompt *SystemPrompt
}

// Errors of a session that refuses.
var (
	// ErrBusy means that a prompt is being worked on.
	ErrBusy = errors.New("the agent is working: queue the message as steering (for its next request) or as a follow-up (for when it would stop), or abort first")
	// ErrNoModel means that no model is selected.
	ErrNoModel = errors.New("no model is selected; choose one with --model, or set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY")
)

// Session is a conversation that is kept: an agent, the store of its entries, and the
// policy around them. All methods may be called from any goroutine.
type Session struct {
	store transcript.Store
	agent *agent.Agent
	opts  Options
	hub   *hub

	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc

	// mu guards what follows. Events that belong to a change are posted to the hub
	// while it is held, so that their order is that of the changes.
	mu       sync.Mutex
	model    *ai.Model
	thinking ai.ThinkingLevel
	activity *Activity // nil when idle
	latest   *Activity // the same, or the one before; its subscribers may still be told
	queued   []*queuedMessage
	bashes   map[*bashRun]struct{}
	deferred []*transcript.BashExecution // records that wait for the end of the run
	closed   bool                        // no work begins any more
	sealed   bool                        // nothing is stored any more but what is owed; set after closed
	moved    bool                        // the leaf was moved, and nothing has been said there yet
	name     *string                     // nil until somebody asks

	front    Front
	shutdown chan struct{} // closed when the program knows that an extension ends it; nil if none does
	runtime  *Runtime      // nil if there is none
	toolbox  toolbox
	nextTurn []agent.Message // of extensions, for the next prompt of the user
	sends    []chan struct{} // of messages that are on their way
	override *string         // the system prompt of the run under way; nil for the usual one

	stood   *chosen         // what the user has chosen, while another model stands in
	resting map[string]rest // models that have failed, by provider/id

	retryOff, compactionOff bool
	compacting              *CompactionRun // nil if none is under way or asked for
	density                 density

	sent        atomic.Pointer[ai.Request] // the newest request of the agent
	requestSize atomic.Int64               // of the next one, in tokens; 0 is unknown

	ext *extension.Runner // nil if there are none
	// Of the agent's goroutine: the number of the turn, whether its end has been told, and
	// which tools the run knows.
	turns     int
	toldTurn  bool
	toolsSeen int

	tally   transcript.Tally
	ledger  ledger
	turn    journal        // what has happened in the run under way and no entry holds yet
	running sync.WaitGroup // of activities and commands
}

// New opens a session over a store: a new one, or one to go on with. The session owns the
// store from then on and closes it.
func New(store transcript.Store, opts *Options) (*Session, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Session{
		store: store, opts: *opts, hub: newHub(), bashes: make(map[*bashRun]struct{}),
		retryOff: opts.Retry.Disabled, compactionOff: opts.Compaction.Disabled,
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.ledger.store, s.ext = store, s.opts.Extensions
	past, err := s.restore()
	if err != nil {
		return nil, err
	}
	style := agent.TranscriptToolChanges
	if opts.PlainTools {
		style = agent.TranscriptPlain
	}
	request := s.extensionRequest(opts.Request)
	if request.SessionID == "" {
		request.SessionID = store.Header().ID
	}
	s.fillToolbox()
	toolList := opts.Tools
	if s.ext != nil {
		active := s.activeTools()
		toolList = s.withHidden(active)
		if opts.Prompt != nil {
			s.opts.SystemPrompt = opts.Prompt.with(active)
		}
	}
	s.agent = agent.New(s.ask, &agent.Options{
		SystemPrompt: s.opts.SystemPrompt, Model: s.model, Thinking: s.thinking, Tools: toolList, Messages: past.Messages,
		Hooks: s.hooks(), ToolExecution: opts.ToolExecution, Transcript: style, Request: request,
		SteeringMode: opts.SteeringMode, FollowUpMode: opts.FollowUpMode, AbortGrace: opts.AbortGrace,
	})
	s.agent.Subscribe(s.onAgentEvent)
	if s.ext != nil {
		s.ext.Bind(extended{entryReader{store}, s})
	}
	return s, nil
}

// restore chooses model and level, brings in what a crashed run left, and records the
// settings of a new session.
func (s *Session) restore() (past *transcript.Projection, err error) {
	fresh := s.store.Leaf() == ""
	if err := s.recoverRun(); err != nil {
		return nil, err
	}
	if past, err = transcript.Project(s.store, s.store.Leaf()); err != nil {
		return nil, fmt.Errorf("read session %s: %w", s.store.Path(), err)
	}
	s.model = s.opts.Model
	if s.model == nil && s.opts.FindModel != nil && past.ModelID != "" {
		s.model = s.opts.FindModel(past.Provider, past.ModelID)
	}
	s.thinking = s.opts.Thinking
	if s.thinking == "" {
		s.thinking = past.ThinkingLevel
	}
	if s.thinking == "" && s.model != nil && s.opts.DefaultThinking != nil {
		s.thinking = s.opts.DefaultThinking(s.model)
	}
	if s.thinking == "" {
		s.thinking = ai.ThinkingOff
	}
	if s.model != nil {
		s.thinking = s.model.ClampThinking(s.thinking)
	}
	entries := s.changes(past, fresh)
	if past.ThinkingLevel == "" && !fresh {
		entries = append(entries, &transcript.ThinkingLevelEntry{ThinkingLevel: s.thinking})
	}
	if len(entries) == 0 {
		return past, nil
	}
	return past, s.store.Append(entries...)
}

// hooks are the product's, around those of the options.
func (s *Session) hooks() agent.Hooks {
	h := s.opts.Hooks
	if h.ConvertToLLM == nil {
		h.ConvertToLLM = func(_ context.Context, messages []agent.Message) ([]ai.Message, error) {
			return transcript.ForModel(messages), nil
		}
	}
	h = s.extensionHooks(h)
	finish := h.FinishTurn
	h.FinishTurn = func(ctx context.Context, t *agent.Turn) (agent.TurnAction, error) {
		action := agent.TurnGoOn
		if finish != nil {
			var err error
			if action, err = finish(ctx, t); err != nil {
				return action, err
			}
		}
		if ctx.Err() != nil && (s.agent.Queued() || s.isClosed()) {
			// After an abort the run ends with an answer that says so, without a request.
			// Queued messages may not go there, and nobody reads the end of a session.
			return agent.TurnEndRun, nil
		}
		return action, nil
	}
	return s.policyHooks(h)
}

// Subscribe adds a subscriber, which gets every event of the session, one at a time and
// in order, before it is stored. The agent waits until it returns. The returned function
// removes it.
func (s *Session) Subscribe(fn func(event.Event)) (unsubscribe func()) {
	return s.hub.subscribe(&subscriber{fn: fn})
}

// SubscribeStored is Subscribe for what passes events on to another program: the end of a
// message or a call comes when it has been stored, so that no crash can take back what has
// been shown. If it could not be stored, it comes all the same, and the run's failure
// follows.
func (s *Session) SubscribeStored(fn func(event.Event)) (unsubscribe func()) {
	return s.hub.subscribe(&subscriber{fn: fn, late: true})
}

// Store returns the session's store, for reading.
func (s *Session) Store() transcript.Store { return s.store }

// ID returns the session's id.
func (s *Session) ID() string { return s.store.Header().ID }

// Messages returns the transcript that the agent works with. The list must not be
// changed.
func (s *Session) Messages() []agent.Message { return s.agent.State().Messages }

// LastAnswer returns the newest answer of the transcript; nil if there is none.
func (s *Session) LastAnswer() *ai.AssistantMessage {
	for _, m := range slices.Backward(s.Messages()) {
		if answer, ok := m.(*ai.AssistantMessage); ok {
			return answer
		}
	}
	return nil
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
	st := s.agent.State()
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{
		Model: s.model, Thinking: s.thinking, Busy: s.activity != nil,
		SteeringMode: st.SteeringMode, FollowUpMode: st.FollowUpMode,
		Messages: len(st.Messages), Pending: len(s.queued),
		Retrying: s.activity != nil && s.activity.retry != nil, Compacting: s.compacting != nil,
		AutoRetry: !s.retryOff, AutoCompaction: !s.compactionOff,
	}
}

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
