package event

import (
	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/compaction"
)

// The discriminants of the events about retry and compaction.
const (
	EventAutoRetryStart                 = "auto_retry_start"
	EventAutoRetryEnd                   = "auto_retry_end"
	EventCompactionStart                = "compaction_start"
	EventCompactionEnd                  = "compaction_end"
	EventSummarizationRetryScheduled    = "summarization_retry_scheduled"
	EventSummarizationRetryAttemptStart = "summarization_retry_attempt_start"
	EventSummarizationRetryFinished     = "summarization_retry_finished"
)

type (
	// AutoRetryStart says that a failed request will be repeated after a delay.
	AutoRetryStart struct {
		agent.Sealed `json:"-"`

		// Attempt counts the repetitions from 1 on.
		Attempt     int `json:"attempt"`
		MaxAttempts int `json:"maxAttempts"`
		// DelayMs is the longest that the wait takes.
		DelayMs      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
	}
	// AutoRetryEnd comes once after one or more [AutoRetryStart]: when an answer has come,
	// when the attempts are used up, or when they are given up.
	AutoRetryEnd struct {
		agent.Sealed `json:"-"`

		Success bool `json:"success"`
		Attempt int  `json:"attempt"`
		// FinalError tells why there is no answer.
		FinalError string `json:"finalError,omitzero"`
	}
	// CompactionStart says that the older part of the conversation is being replaced by a
	// summary.
	CompactionStart struct {
		agent.Sealed `json:"-"`

		Reason compaction.Reason `json:"reason"`
	}
	// CompactionEnd says what came of it. It also comes without a [CompactionStart], when a
	// request is still too long after it was compacted once.
	CompactionEnd struct {
		agent.Sealed `json:"-"`

		Reason compaction.Reason `json:"reason"`
		// Result is nil if there is none.
		Result  *compaction.Result `json:"result,omitzero"`
		Aborted bool               `json:"aborted"`
		// WillRetry says that the request that was interrupted follows.
		WillRetry bool `json:"willRetry"`
		// ErrorMessage tells why there is no result; it is empty after an abort.
		ErrorMessage string `json:"errorMessage,omitzero"`
	}
	// SummarizationRetryScheduled says that a failed request for a summary will be repeated
	// after a delay; its fields are those of [AutoRetryStart].
	SummarizationRetryScheduled struct {
		agent.Sealed `json:"-"`

		Attempt      int    `json:"attempt"`
		MaxAttempts  int    `json:"maxAttempts"`
		DelayMs      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
	}
	// SummarizationRetryAttemptStart says that a request for a summary is repeated now.
	SummarizationRetryAttemptStart struct {
		agent.Sealed `json:"-"`

		// Source is compaction or branchSummary; Reason is empty for a branch summary.
		Source string            `json:"source"`
		Reason compaction.Reason `json:"reason,omitzero"`
	}
	// SummarizationRetryFinished says that no more repetition of a request for a summary
	// follows, whether it has succeeded or not.
	SummarizationRetryFinished struct {
		agent.Sealed `json:"-"`
	}
)

// Type returns "auto_retry_start".
func (*AutoRetryStart) Type() string { return EventAutoRetryStart }

// AppendJSON implements [Event].
func (e *AutoRetryStart) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "auto_retry_end".
func (*AutoRetryEnd) Type() string { return EventAutoRetryEnd }

// AppendJSON implements [Event].
func (e *AutoRetryEnd) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "compaction_start".
func (*CompactionStart) Type() string { return EventCompactionStart }

// AppendJSON implements [Event].
func (e *CompactionStart) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "compaction_end".
func (*CompactionEnd) Type() string { return EventCompactionEnd }

// AppendJSON implements [Event].
func (e *CompactionEnd) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "summarization_retry_scheduled".
func (*SummarizationRetryScheduled) Type() string { return EventSummarizationRetryScheduled }

// AppendJSON implements [Event].
func (e *SummarizationRetryScheduled) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "summarization_retry_attempt_start".
func (*SummarizationRetryAttemptStart) Type() string { return EventSummarizationRetryAttemptStart }

// AppendJSON implements [Event].
func (e *SummarizationRetryAttemptStart) AppendJSON(dst []byte) []byte { return appendEvent(dst, e) }

// Type returns "summarization_retry_finished".
func (*SummarizationRetryFinished) Type() string { return EventSummarizationRetryFinished }

// AppendJSON implements [Event].
func (*SummarizationRetryFinished) AppendJSON(dst []byte) []byte {
	return append(dst, `{"type":"summarization_retry_finished"}`...)
}
