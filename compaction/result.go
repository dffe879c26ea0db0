package compaction

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Reason says why a conversation is compacted.
type Reason string

// The reasons.
const (
	// Manual: somebody asked for it.
	Manual Reason = "manual"
	// Threshold: too little of the context window is left.
	Threshold Reason = "threshold"
	// Overflow: a request was larger than the context window.
	Overflow Reason = "overflow"
)

// Result is what a compaction came to.
type Result struct {
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
	// Details are a [Details], or what an extension has put there.
	Details jsontext.Value `json:"details,omitzero"`
}

// Details are the files that the compacted part of a conversation has dealt with,
// in alphabetical order. A file that was read and changed counts as changed.
type Details struct {
	ReadFiles     []string `json:"readFiles"`
	ModifiedFiles []string `json:"modifiedFiles"`
}
