package proto

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Model is a model as the catalogue describes it.
type Model = ai.Model

type (
	// PromptAnswer says what has become of a prompt: started, queued, or handled by an
	// extension. Only a prompt that asks gets it.
	PromptAnswer struct {
		Disposition string `json:"disposition"`
	}
	// Queues are the texts of the messages that wait.
	Queues struct {
		Steering []string `json:"steering"`
		FollowUp []string `json:"followUp"`
	}
	// State is what the agent looks like.
	State struct {
		Model         *ai.Model        `json:"model,omitzero"` // nil if none is selected
		ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel"`
		// IsStreaming is true from the acceptance of a prompt until it has settled.
		IsStreaming  bool      `json:"isStreaming"`
		IsCompacting bool      `json:"isCompacting"`
		SteeringMode QueueMode `json:"steeringMode"`
		FollowUpMode QueueMode `json:"followUpMode"`
		// SessionFile is empty for a session in memory.
		SessionFile           string `json:"sessionFile,omitzero"`
		SessionID             string `json:"sessionId"`
		SessionName           string `json:"sessionName,omitzero"`
		AutoCompactionEnabled bool   `json:"autoCompactionEnabled"`
		MessageCount          int    `json:"messageCount"`
		PendingMessageCount   int    `json:"pendingMessageCount"`
	}
	// Messages are the conversation.
	Messages struct {
		Messages []Message `json:"messages"`
	}
	// LastAnswer has the text of the newest answer; empty if there is none.
	LastAnswer struct {
		Text string `json:"text,omitzero"`
	}
	// Models are those that can be asked.
	Models struct {
		Models []*ai.Model `json:"models"`
	}
	// CycledModel is what a step to the next model has come to; nil where there is no other.
	CycledModel struct {
		Model         *ai.Model        `json:"model"`
		ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel"`
		// IsScoped says that the model is one of those that the settings enable.
		IsScoped bool `json:"isScoped"`
	}
	// ThinkingLevels are those that the model knows.
	ThinkingLevels struct {
		Levels []ai.ThinkingLevel `json:"levels"`
	}
	// BashResult is how a command of the user's has ended.
	BashResult struct {
		// Output is the text of both streams; if it was truncated, its end.
		Output string `json:"output"`
		// ExitCode is nil if the command was stopped.
		ExitCode  *int `json:"exitCode,omitzero"`
		Cancelled bool `json:"cancelled"`
		Truncated bool `json:"truncated"`
		// FullOutputPath is a file with all of the output, where Truncated.
		FullOutputPath string `json:"fullOutputPath,omitzero"`
	}
	// PromptCommands are what a prompt may begin with, behind a slash.
	PromptCommands struct {
		Commands []PromptCommand `json:"commands"`
	}
	// PromptCommand is one of them.
	PromptCommand struct {
		Name        string `json:"name"`
		Description string `json:"description,omitzero"`
		// Source is extension, prompt or skill.
		Source     string     `json:"source"`
		SourceInfo SourceInfo `json:"sourceInfo"`
	}
	// SourceInfo says where a command comes from.
	SourceInfo struct {
		Path   string `json:"path"`
		Source string `json:"source"`
		// Scope is user, project or temporary; Origin is package or top-level.
		Scope   string `json:"scope"`
		Origin  string `json:"origin"`
		BaseDir string `json:"baseDir,omitzero"`
	}
	// CompactionResult is what a compaction has come to.
	CompactionResult struct {
		Summary          string `json:"summary"`
		FirstKeptEntryID string `json:"firstKeptEntryId"`
		// TokensBefore is the size of the context before; EstimatedTokensAfter is an estimate
		// of its messages afterwards.
		TokensBefore         int            `json:"tokensBefore"`
		EstimatedTokensAfter int            `json:"estimatedTokensAfter"`
		Usage                *ai.Usage      `json:"usage,omitzero"`
		Details              jsontext.Value `json:"details,omitzero"`
	}
	// Replacement is the answer of the commands that replace the session.
	Replacement struct {
		// Cancelled says that an extension has called the replacement off.
		Cancelled bool `json:"cancelled"`
	}
	// ForkAnswer is that of a fork.
	ForkAnswer struct {
		// Text is that of the message that the fork begins before; nil if it was called off.
		Text *string `json:"text,omitzero"`
		Replacement
	}
	// ForkMessages are those that a fork may begin at.
	ForkMessages struct {
		Messages []ForkMessage `json:"messages"`
	}
	// ForkMessage is one of them.
	ForkMessage struct {
		EntryID string `json:"entryId"`
		Text    string `json:"text"`
	}
	// Entries are entries of the session in the order of their addition, as its file has
	// them; package transcript decodes them.
	Entries struct {
		Entries []jsontext.Value `json:"entries"`
		// LeafID is the entry that the conversation goes on from; nil in an empty session.
		LeafID *string `json:"leafId"`
	}
	// Tree has the roots of the tree of entries. The tree of a session with more than about
	// 4000 entries on one branch is too deep to be decoded; use [GetEntries] for it.
	Tree struct {
		Tree   []*Node `json:"tree"`
		LeafID *string `json:"leafId"`
	}
	// Node is an entry and those below it.
	Node struct {
		Entry          jsontext.Value `json:"entry"`
		Children       []*Node        `json:"children"`
		Label          string         `json:"label,omitzero"`
		LabelTimestamp string         `json:"labelTimestamp,omitzero"`
	}
	// Stats are numbers of the session. They count all branches and what was compacted.
	Stats struct {
		SessionFile       string      `json:"sessionFile,omitzero"`
		SessionID         string      `json:"sessionId"`
		UserMessages      int         `json:"userMessages"`
		AssistantMessages int         `json:"assistantMessages"`
		ToolCalls         int         `json:"toolCalls"`
		ToolResults       int         `json:"toolResults"`
		TotalMessages     int         `json:"totalMessages"`
		Tokens            TokenCounts `json:"tokens"`
		// Cost is in US dollars.
		Cost float64 `json:"cost"`
		// ContextUsage is nil if no model is selected or its context window is not known.
		ContextUsage *ContextUsage `json:"contextUsage,omitzero"`
	}
	// TokenCounts are tokens of answers, of tools that ask models themselves, and of summaries.
	TokenCounts struct {
		Input      int `json:"input"`
		Output     int `json:"output"`
		CacheRead  int `json:"cacheRead"`
		CacheWrite int `json:"cacheWrite"`
		// Total is the sum of the others.
		Total int `json:"total"`
	}
	// ContextUsage says how full the model's context is.
	ContextUsage struct {
		// Tokens is nil from a compaction until the next answer.
		Tokens        *int `json:"tokens"`
		ContextWindow int  `json:"contextWindow"`
		// Percent is the share of the window; nil where Tokens is.
		Percent *float64 `json:"percent"`
	}
	// Exported names the file that was written.
	Exported struct {
		Path string `json:"path"`
	}
)
