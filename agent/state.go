package agent

import (
	"slices"

	"github.com/rondo-agent/rondo/ai"
)

// State is what an agent looks like at one moment. Its lists must not be changed.
type State struct {
	SystemPrompt string
	Model        *ai.Model
	Thinking     ai.ThinkingLevel
	Tools        []*Tool
	Messages     []Message
	// Streaming says that a run is under way, from before agent_start until after the
	// last listener has returned from agent_end.
	Streaming bool
	// PendingToolCalls are the ids of calls that have started and not ended, in the
	// order of their start.
	PendingToolCalls []string
	// Error is the message of the latest run's failure; empty if there was none.
	Error        string
	SteeringMode QueueMode
	FollowUpMode QueueMode
}

// State returns the agent's state. The cost does not depend on the length of the
// transcript.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return State{
		SystemPrompt: a.prompt, Model: a.model, Thinking: a.thinking,
		Tools: slices.Clip(a.tools), Messages: slices.Clip(a.messages),
		Streaming: a.run != nil, PendingToolCalls: a.pending.list(), Error: a.lastError,
		SteeringMode: mode(a.steering.mode), FollowUpMode: mode(a.followUps.mode),
	}
}

func mode(m QueueMode) QueueMode {
	if m == "" {
		return OneAtATime
	}
	return m
}

// StreamingMessage returns the message that is between its start and its end, as far as
// it has come; nil if there is none. An answer is built when asked for.
func (a *Agent) StreamingMessage() Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.streaming.now()
}

// SetSystemPrompt changes the prompt from the next run on.
func (a *Agent) SetSystemPrompt(prompt string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prompt = prompt
	if sys := a.leadingSystem(); a.transcript == TranscriptSelfContained && sys != nil {
		changed := *sys
		changed.Content = prompt
		a.messages = slices.Clone(a.messages)
		a.messages[0] = &changed
	}
}

// SetModel changes the model from the next run on.
func (a *Agent) SetModel(m *ai.Model) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.model = m
}

// SetThinking changes the thinking level from the next run on.
func (a *Agent) SetThinking(level ai.ThinkingLevel) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.thinking = level
}

// SetTools changes the tools from the next run on.
func (a *Agent) SetTools(tools []*Tool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tools = slices.Clone(tools)
}

// SetMessages replaces the transcript. A run under way keeps working on what it began
// with; what it still adds is added to the new transcript.
func (a *Agent) SetMessages(messages []Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.messages = slices.Clone(messages)
}

// Append adds messages to the transcript without running it. A run under way does not see
// them.
func (a *Agent) Append(messages ...Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.messages = append(a.messages, messages...)
}

// SetRequest changes the template of every request's options from the next run on.
func (a *Agent) SetRequest(options ai.Options) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.request = options
}

// SetHooks changes the hooks from the next run on.
func (a *Agent) SetHooks(hooks Hooks) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hooks = hooks
}

// SetQueueModes changes how many messages are delivered at one point, from the next such
// point on. An empty mode changes nothing.
func (a *Agent) SetQueueModes(steering, followUp QueueMode) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if steering != "" {
		a.steering.mode = steering
	}
	if followUp != "" {
		a.followUps.mode = followUp
	}
}

// pendingCalls is the set of calls that have started and not ended. A list of it is made
// when asked for, not at each change: a batch of n calls would cost n².
type pendingCalls struct {
	order  []pendingCall
	open   int
	at     map[string]int // places in order; only of sets that are too large to search
	listed []string
}

type pendingCall struct {
	id    string
	ended bool
}

// searchable is up to how many calls a search is quicker than a map.
const searchable = 32

func (p *pendingCalls) add(id string) {
	p.order = append(p.order, pendingCall{id: id})
	p.open++
	p.listed = nil
	if len(p.order) <= searchable {
		return
	}
	if p.at == nil {
		p.at = make(map[string]int)
		for i, call := range p.order {
			p.at[call.id] = i
		}
	}
	p.at[id] = len(p.order) - 1
}

// find returns the place of a call that has not ended, or -1.
func (p *pendingCalls) find(id string) int {
	i, ok := p.at[id]
	if !ok && p.at == nil {
		i = slices.IndexFunc(p.order, func(c pendingCall) bool { return c.id == id && !c.ended })
		ok = i >= 0
	}
	if !ok || p.order[i].ended {
		return -1
	}
	return i
}

func (p *pendingCalls) remove(id string) {
	i := p.find(id)
	if i < 0 {
		return
	}
	p.order[i].ended = true
	p.listed = nil
	if p.open--; p.open == 0 {
		p.order, p.at = p.order[:0], nil
	}
}

func (p *pendingCalls) has(id string) bool { return p.find(id) >= 0 }

func (p *pendingCalls) clear() { *p = pendingCalls{} }

func (p *pendingCalls) list() []string {
	if p.listed == nil && p.open > 0 {
		p.listed = make([]string, 0, p.open)
		for _, call := range p.order {
			if !call.ended {
				p.listed = append(p.listed, call.id)
			}
		}
	}
	return p.listed
}
