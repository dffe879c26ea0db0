package proto

import (
	"github.com/go-json-experiment/json/jsontext"
)

type (
	// AgentSettled says that nothing automatic remains of a prompt: no retry, no compaction,
	// no queued message.
	AgentSettled struct {
		line `json:"-"`
	}
	// QueueUpdate lists the messages that wait, after each change.
	QueueUpdate struct {
		line `json:"-"`

		Queues
	}
	// ThinkingLevelChanged says at which level the model thinks from now on.
	ThinkingLevelChanged struct {
		line `json:"-"`

		Thinking
	}
	// EntryAppended says that an entry was added that no other event shows; package transcript
	// decodes it.
	EntryAppended struct {
		line `json:"-"`

		Entry jsontext.Value `json:"entry"`
	}
	// SessionInfoChanged says that the session was given another name.
	SessionInfoChanged struct {
		line `json:"-"`

		Name string `json:"name"`
	}
	// BashExecutionUpdate is output of a command of the user's. ID is that of the client's
	// command, as JSON; nil if it had none.
	BashExecutionUpdate struct {
		line `json:"-"`

		ID    jsontext.Value `json:"id,omitzero"`
		Delta string         `json:"delta"`
	}
	// BudgetReached says that a run was ended because a budget was used up. It is an addition
	// to Pi 0.85.
	BudgetReached struct {
		line `json:"-"`

		// Budget is turns, tokens, cost (in US dollars) or time (in seconds).
		Budget string  `json:"budget"`
		Limit  float64 `json:"limit"`
		Spent  float64 `json:"spent"`
	}
	// StoreProblem says that another program has deleted, emptied or replaced the session's
	// file, and where the session is now. It is an addition to Pi 0.85.
	StoreProblem struct {
		line `json:"-"`

		SessionFile string `json:"sessionFile"`
		Message     string `json:"message"`
	}
	// Question asks the person at the other end; Kind is confirm, select, input or approval. A Go
	// program answers with session.Session.Answer.
	Question struct {
		line `json:"-"`

		ID         string         `json:"id"`
		Kind       string         `json:"kind"`
		Title      string         `json:"title"`
		Message    string         `json:"message,omitzero"`
		Options    []string       `json:"options,omitzero"`
		ToolCallID string         `json:"toolCallId,omitzero"`
		ToolName   string         `json:"toolName,omitzero"`
		Args       jsontext.Value `json:"args,omitzero"`
	}
	// QuestionEnd says that a question needs no answer any more.
	QuestionEnd struct {
		line `json:"-"`

		ID       string `json:"id"`
		Answered bool   `json:"answered"`
	}
	// RetryDelay says that a failed request will be repeated after a delay.
	RetryDelay struct {
		// Attempt counts the repetitions from 1 on.
		Attempt     int `json:"attempt"`
		MaxAttempts int `json:"maxAttempts"`
		// DelayMs is the longest that the wait takes, in milliseconds.
		DelayMs      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
	}
	// AutoRetryStart says that a failed request to the model will be repeated.
	AutoRetryStart struct {
		line `json:"-"`

		RetryDelay
	}
	// AutoRetryEnd comes once after one or more [AutoRetryStart].
	AutoRetryEnd struct {
		line `json:"-"`

		Success bool `json:"success"`
		Attempt int  `json:"attempt"`
		// FinalError says why there is no answer.
		FinalError string `json:"finalError,omitzero"`
	}
	// CompactionStart says that the older part of the conversation is being replaced by a
	// summary. Reason is manual, threshold or overflow.
	CompactionStart struct {
		line `json:"-"`

		Reason string `json:"reason"`
	}
	// CompactionEnd says what came of it.
	CompactionEnd struct {
		line `json:"-"`

		Reason  string            `json:"reason"`
		Result  *CompactionResult `json:"result,omitzero"` // nil if there is none
		Aborted bool              `json:"aborted"`
		// WillRetry says that the request that was interrupted follows.
		WillRetry bool `json:"willRetry"`
		// ErrorMessage says why there is no result; it is empty after an abort.
		ErrorMessage string `json:"errorMessage,omitzero"`
	}
	// SummarizationRetryScheduled says that a failed request for a summary will be repeated.
	SummarizationRetryScheduled struct {
		line `json:"-"`

		RetryDelay
	}
	// SummarizationRetryAttemptStart says that a request for a summary is repeated now.
	SummarizationRetryAttemptStart struct {
		line `json:"-"`

		// Source is compaction or branchSummary; Reason is empty for a branch summary.
		Source string `json:"source"`
		Reason string `json:"reason,omitzero"`
	}
	// SummarizationRetryFinished says that no more repetition of a request for a summary
	// follows.
	SummarizationRetryFinished struct {
		line `json:"-"`
	}
	// ModelFallback says that another model takes over, for the rest of a prompt. It is an
	// addition to Pi 0.85.
	ModelFallback struct {
		line `json:"-"`

		From ModelName `json:"from"`
		To   ModelName `json:"to"`
		// Reason is overload, quota or outage.
		Reason string `json:"reason"`
		// ErrorMessage is what the model that cannot answer has failed with.
		ErrorMessage string `json:"errorMessage"`
	}
	// ModelRestored says that the chosen model is that of the session again. It is an
	// addition to Pi 0.85.
	ModelRestored struct {
		line `json:"-"`

		From ModelName `json:"from"`
		To   ModelName `json:"to"`
	}
)

// Type returns "agent_settled".
func (*AgentSettled) Type() string { return "agent_settled" }

// Type returns "queue_update".
func (*QueueUpdate) Type() string { return "queue_update" }

// Type returns "thinking_level_changed".
func (*ThinkingLevelChanged) Type() string { return "thinking_level_changed" }

// Type returns "entry_appended".
func (*EntryAppended) Type() string { return "entry_appended" }

// Type returns "session_info_changed".
func (*SessionInfoChanged) Type() string { return "session_info_changed" }

// Type returns "bash_execution_update".
func (*BashExecutionUpdate) Type() string { return "bash_execution_update" }

// Type returns "budget_reached".
func (*BudgetReached) Type() string { return "budget_reached" }

// Type returns "store_problem".
func (*StoreProblem) Type() string { return "store_problem" }

// Type returns "question".
func (*Question) Type() string { return "question" }

// Type returns "question_end".
func (*QuestionEnd) Type() string { return "question_end" }

// Type returns "auto_retry_start".
func (*AutoRetryStart) Type() string { return "auto_retry_start" }

// Type returns "auto_retry_end".
func (*AutoRetryEnd) Type() string { return "auto_retry_end" }

// Type returns "compaction_start".
func (*CompactionStart) Type() string { return "compaction_start" }

// Type returns "compaction_end".
func (*CompactionEnd) Type() string { return "compaction_end" }

// Type returns "summarization_retry_scheduled".
func (*SummarizationRetryScheduled) Type() string { return "summarization_retry_scheduled" }

// Type returns "summarization_retry_attempt_start".
func (*SummarizationRetryAttemptStart) Type() string { return "summarization_retry_attempt_start" }

// Type returns "summarization_retry_finished".
func (*SummarizationRetryFinished) Type() string { return "summarization_retry_finished" }

// Type returns "model_fallback".
func (*ModelFallback) Type() string { return "model_fallback" }

// Type returns "model_restored".
func (*ModelRestored) Type() string { return "model_restored" }
