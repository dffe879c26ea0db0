package event

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Event is one step of a session: an event of package agent, with [*AgentEnd] in the place of
// agent's, or one of [*AgentSettled], [*QueueUpdate], [*ThinkingLevelChanged],
// [*EntryAppended], [*InfoChanged], [*BashExecutionUpdate], [*BudgetReached], [*StoreProblem], [*Question], [*QuestionEnd],
// [*AutoRetryStart],
// [*AutoRetryEnd], [*CompactionStart], [*CompactionEnd], [*SummarizationRetryScheduled],
// [*SummarizationRetryAttemptStart], [*SummarizationRetryFinished], [*ModelFallback],
// [*ModelRestored]. [Kinds] lists them with their discriminants.
type Event = agent.Event

// The discriminants of the events that a session adds.
const (
	EventAgentSettled         = "agent_settled"
	EventQueueUpdate          = "queue_update"
	EventThinkingLevelChanged = "thinking_level_changed"
	EventEntryAppended        = "entry_appended"
	EventInfoChanged          = "session_info_changed"
	EventBashExecutionUpdate  = "bash_execution_update"
	EventBudgetReached        = "budget_reached"
	EventStoreProblem         = "store_problem"
)

type (
	// AgentEnd closes one run.
	AgentEnd struct {
		agent.AgentEnd
		// WillRetry says that another run follows to repeat the failed request.
		WillRetry bool
	}
	// AgentSettled says that nothing automatic remains of a prompt: no retry, no
	// compaction, no queued message.
	AgentSettled struct {
		agent.Sealed `json:"-"`
	}
	// QueueUpdate lists the messages that wait, after each change.
	QueueUpdate struct {
		agent.Sealed `json:"-"`

		Steering []string `json:"steering"`
		FollowUp []string `json:"followUp"`
	}
	// ThinkingLevelChanged says at which level the model thinks from now on.
	ThinkingLevelChanged struct {
		agent.Sealed `json:"-"`

		Level ai.ThinkingLevel `json:"level"`
	}
	// EntryAppended says that an entry was added that no other event shows.
	EntryAppended struct {
		agent.Sealed `json:"-"`

		Entry transcript.Entry `json:"entry"`
	}
	// InfoChanged says that the session was given another name.
	InfoChanged struct {
		agent.Sealed `json:"-"`

		Name string `json:"name"`
	}
	// BashExecutionUpdate is output of a command of the user's.
	BashExecutionUpdate struct {
		agent.Sealed `json:"-"`

		// ID is the id of the client's command, as JSON; nil if it had none.
		ID    jsontext.Value `json:"id,omitzero"`
		Delta string         `json:"delta"`
	}
	// BudgetReached says that a run was ended since a budget was used up. It comes before
	// [AgentSettled], and only where a budget was set. It is an addition of Rondo's.
	BudgetReached struct {
		agent.Sealed `json:"-"`

		// Budget is turns, tokens, cost (in US dollars) or time (in seconds).
		Budget string  `json:"budget"`
		Limit  float64 `json:"limit"`
		Spent  float64 `json:"spent"`
	}
	// StoreProblem says that another program has deleted, emptied or replaced the session's
	// file, and where the session is now. It is an addition of Rondo's.
	StoreProblem struct {
		agent.Sealed `json:"-"`

		SessionFile string `json:"sessionFile"`
		Message     string `json:"message"`
	}
)

// AppendJSON implements [Event].
func (e *AgentEnd) AppendJSON(dst []byte) []byte { return e.AppendRetry(dst, e.WillRetry) }

// Type returns "agent_settled".
func (*AgentSettled) Type() string { return EventAgentSettled }

// AppendJSON implements [Event].
func (*AgentSettled) AppendJSON(dst []byte) []byte {
	return append(dst, `{"type":"agent_settled"}`...)
}

// Type returns "queue_update".
func (*QueueUpdate) Type() string { return EventQueueUpdate }

// AppendJSON implements [Event].
func (e *QueueUpdate) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "thinking_level_changed".
func (*ThinkingLevelChanged) Type() string { return EventThinkingLevelChanged }

// AppendJSON implements [Event].
func (e *ThinkingLevelChanged) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "entry_appended".
func (*EntryAppended) Type() string { return EventEntryAppended }

// AppendJSON implements [Event].
func (e *EntryAppended) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "session_info_changed".
func (*InfoChanged) Type() string { return EventInfoChanged }

// AppendJSON implements [Event].
func (e *InfoChanged) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "bash_execution_update".
func (*BashExecutionUpdate) Type() string { return EventBashExecutionUpdate }

// AppendJSON implements [Event].
func (e *BashExecutionUpdate) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "budget_reached".
func (*BudgetReached) Type() string { return EventBudgetReached }

// AppendJSON implements [Event].
func (e *BudgetReached) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "store_problem".
func (*StoreProblem) Type() string { return EventStoreProblem }

// AppendJSON implements [Event].
func (e *StoreProblem) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// appendEvent writes the type before the fields of an event that is rare enough for
// reflection.
func appendEvent[T Event](dst []byte, e T) []byte {
	body, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
	if err != nil || len(body) < 2 || body[0] != '{' {
		body = []byte("{}")
	}
	dst = append(dst, `{"type":"`...)
	dst = append(dst, e.Type()...)
	dst = append(dst, '"')
	if len(body) > 2 {
		dst = append(dst, ',')
	}
	return append(dst, body[1:]...)
}
