package session

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
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

// CompactionReason says why a conversation is compacted.
type CompactionReason string

// The reasons.
const (
	// CompactionManual: somebody asked for it.
	CompactionManual CompactionReason = "manual"
	// CompactionThreshold: too little of the context window is left.
	CompactionThreshold CompactionReason = "threshold"
	// CompactionOverflow: a request was larger than the context window.
	CompactionOverflow CompactionReason = "overflow"
)

// CompactionResult is what a compaction came to.
type CompactionResult struct {
	// Summary stands for what was compacted.
	Summary string `json:"summary"`
	// FirstKeptEntryID is the oldest entry that the model still sees as it is.
	FirstKeptEntryID transcript.EntryID `json:"firstKeptEntryId"`
	// TokensBefore is the size of the context before; EstimatedTokensAfter is an estimate of
	// its messages afterwards.
	TokensBefore         int `json:"tokensBefore"`
	EstimatedTokensAfter int `json:"estimatedTokensAfter"`
	// Usage is what the requests for the summary took.
	Usage *ai.Usage `json:"usage,omitzero"`
	// Details are a [CompactionDetails], or what an extension has put there.
	Details jsontext.Value `json:"details,omitzero"`
}

// CompactionDetails are the files that the compacted part of a conversation has dealt with,
// in alphabetical order. A file that was read and changed counts as changed.
type CompactionDetails struct {
	ReadFiles     []string `json:"readFiles"`
	ModifiedFiles []string `json:"modifiedFiles"`
}

type (
	// AutoRetryStart says that a failed request will be repeated after a delay.
	AutoRetryStart struct {
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
		Success bool `json:"success"`
		Attempt int  `json:"attempt"`
		// FinalError tells why there is no answer.
		FinalError string `json:"finalError,omitzero"`
	}
	// CompactionStart says that the older part of the conversation is being replaced by a
	// summary.
	CompactionStart struct {
		Reason CompactionReason `json:"reason"`
	}
	// CompactionEnd says what came of it. It also comes without a [CompactionStart], when a
	// request is still too long after it was compacted once.
	CompactionEnd struct {
		Reason CompactionReason `json:"reason"`
		// Result is nil if there is none.
		Result  *CompactionResult `json:"result,omitzero"`
		Aborted bool              `json:"aborted"`
		// WillRetry says that the request that was interrupted follows.
		WillRetry bool `json:"willRetry"`
		// ErrorMessage tells why there is no result; it is empty after an abort.
		ErrorMessage string `json:"errorMessage,omitzero"`
	}
	// SummarizationRetryScheduled says that a failed request for a summary will be repeated
	// after a delay; its fields are those of [AutoRetryStart].
	SummarizationRetryScheduled struct {
		Attempt      int    `json:"attempt"`
		MaxAttempts  int    `json:"maxAttempts"`
		DelayMs      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
	}
	// SummarizationRetryAttemptStart says that a request for a summary is repeated now.
	SummarizationRetryAttemptStart struct {
		// Source is compaction or branchSummary; Reason is empty for a branch summary.
		Source string           `json:"source"`
		Reason CompactionReason `json:"reason,omitzero"`
	}
	// SummarizationRetryFinished says that no more repetition of a request for a summary
	// follows, whether it has succeeded or not.
	SummarizationRetryFinished struct{}
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
