package extension

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

type (
	// ProjectTrust asks whether the files of a project may count. Only extensions of the
	// user's own are asked; the first yes or no counts.
	ProjectTrust struct {
		CWD string `json:"cwd"`
	}
	// ResourcesDiscover asks for further folders and files of skills, prompt templates and
	// themes. The answers add up.
	ResourcesDiscover struct {
		CWD    string `json:"cwd"`
		Reason string `json:"reason"` // startup or reload
	}
	// SessionStart says that the extensions work with a session from now on.
	SessionStart struct {
		Reason StartReason `json:"reason"`
		// PreviousSessionFile is the file of the session before, where there was one.
		PreviousSessionFile string `json:"previousSessionFile,omitzero"`
	}
	// SessionInfoChanged says that the session has another name.
	SessionInfoChanged struct {
		Name string `json:"name"`
	}
	// SessionBeforeSwitch asks before the session is replaced by a new or another one.
	SessionBeforeSwitch struct {
		Reason            StartReason `json:"reason"` // new or resume
		TargetSessionFile string      `json:"targetSessionFile,omitzero"`
	}
	// SessionBeforeFork asks before a session is made of a part of this one.
	SessionBeforeFork struct {
		EntryID  string `json:"entryId"`
		Position string `json:"position"` // before or at
	}
	// SessionBeforeCompact asks before the conversation is compacted. A handler may make the
	// summary itself.
	SessionBeforeCompact struct {
		Preparation   *CompactionPreparation `json:"preparation"`
		BranchEntries []jsontext.Value       `json:"branchEntries"`
		// CustomInstructions are those of the user.
		CustomInstructions string `json:"customInstructions,omitzero"`
		Reason             string `json:"reason"` // manual, threshold or overflow
		WillRetry          bool   `json:"willRetry"`
	}
	// SessionCompact says that the conversation was compacted.
	SessionCompact struct {
		CompactionEntry jsontext.Value `json:"compactionEntry"`
		FromExtension   bool           `json:"fromExtension"`
		Reason          string         `json:"reason"`
		WillRetry       bool           `json:"willRetry"`
	}
	// SessionCompactFailed says that it was not.
	SessionCompactFailed struct {
		Reason string `json:"reason"`
		// ErrorMessage is absent if the compaction was aborted.
		ErrorMessage  string `json:"errorMessage,omitzero"`
		Aborted       bool   `json:"aborted"`
		WillRetry     bool   `json:"willRetry"`
		FromExtension bool   `json:"fromExtension"`
	}
	// SessionShutdown says that this instance of the extension ends.
	SessionShutdown struct {
		Reason            StartReason `json:"reason"` // quit, reload, new, resume or fork
		TargetSessionFile string      `json:"targetSessionFile,omitzero"`
	}
	// SessionBeforeTree asks before the session goes to another place in its tree.
	SessionBeforeTree struct {
		Preparation *TreePreparation `json:"preparation"`
	}
	// SessionTree says that it has gone there.
	SessionTree struct {
		NewLeafID     *string        `json:"newLeafId"`
		OldLeafID     *string        `json:"oldLeafId"`
		SummaryEntry  jsontext.Value `json:"summaryEntry,omitzero"`
		FromExtension bool           `json:"fromExtension,omitzero"`
	}
	// ModelSelect says that another model answers from now on.
	ModelSelect struct {
		Model         *ai.Model `json:"model"`
		PreviousModel *ai.Model `json:"previousModel,omitzero"`
		Source        string    `json:"source"` // set, cycle or restore
	}
	// ThinkingLevelSelect says that the model thinks at another level from now on.
	ThinkingLevelSelect struct {
		Level         ai.ThinkingLevel `json:"level"`
		PreviousLevel ai.ThinkingLevel `json:"previousLevel"`
	}
	// UIPromptStart says that the program waits for a person; UIPromptEnd that it does not
	// any more. Of dialogs inside of dialogs only the outermost counts. Both are told at
	// best effort and are no barriers (law X4).
	UIPromptStart struct {
		Reason string `json:"reason"` // ui_prompt
		Prompt string `json:"kind"`   // select, confirm, input, editor or custom
		Title  string `json:"title,omitzero"`
	}
	// UIPromptEnd says that a person is not waited for any more; see UIPromptStart.
	UIPromptEnd struct {
		Reason string `json:"reason"`
		Prompt string `json:"kind"`
		Title  string `json:"title,omitzero"`
	}
)

// StartReason says why a session starts or ends for an extension.
type StartReason string

// The reasons.
const (
	ReasonStartup StartReason = "startup"
	ReasonReload  StartReason = "reload"
	ReasonNew     StartReason = "new"
	ReasonResume  StartReason = "resume"
	ReasonFork    StartReason = "fork"
	ReasonQuit    StartReason = "quit"
)

// CompactionPreparation is what a compaction would work with.
type CompactionPreparation struct {
	FirstKeptEntryID    string          `json:"firstKeptEntryId"`
	MessagesToSummarize []agent.Message `json:"messagesToSummarize"`
	// TurnPrefixMessages are the beginning of a turn that is cut; IsSplitTurn says that
	// there is one.
	TurnPrefixMessages []agent.Message `json:"turnPrefixMessages"`
	IsSplitTurn        bool            `json:"isSplitTurn"`
	// TokensBefore is the size of the context.
	TokensBefore int `json:"tokensBefore"`
	// PreviousSummary is that of the compaction before.
	PreviousSummary string             `json:"previousSummary,omitzero"`
	FileOps         FileOps            `json:"fileOps"`
	Settings        CompactionSettings `json:"settings"`
}

// FileOps are the files that the messages to sum up name.
type FileOps struct {
	Read    []string `json:"read"`
	Written []string `json:"written"`
	Edited  []string `json:"edited"`
}

// CompactionSettings are the user's.
type CompactionSettings struct {
	Enabled          bool `json:"enabled"`
	ReserveTokens    int  `json:"reserveTokens"`
	KeepRecentTokens int  `json:"keepRecentTokens"`
}

// TreePreparation is what a walk through the tree would work with.
type TreePreparation struct {
	TargetID            string           `json:"targetId"`
	OldLeafID           *string          `json:"oldLeafId"`
	CommonAncestorID    *string          `json:"commonAncestorId"`
	EntriesToSummarize  []jsontext.Value `json:"entriesToSummarize"`
	UserWantsSummary    bool             `json:"userWantsSummary"`
	CustomInstructions  string           `json:"customInstructions,omitzero"`
	ReplaceInstructions bool             `json:"replaceInstructions,omitzero"`
	Label               string           `json:"label,omitzero"`
}

type (
	// ProjectTrustResult is an answer to [ProjectTrust].
	ProjectTrustResult struct {
		Trusted string `json:"trusted"` // yes, no or undecided
		// Remember keeps the answer for later runs.
		Remember bool `json:"remember,omitzero"`
	}
	// ResourcesDiscoverResult names files and folders.
	ResourcesDiscoverResult struct {
		SkillPaths  []string `json:"skillPaths,omitzero"`
		PromptPaths []string `json:"promptPaths,omitzero"`
		ThemePaths  []string `json:"themePaths,omitzero"`
	}
	// SwitchResult may keep the session.
	SwitchResult struct {
		Cancel bool `json:"cancel,omitzero"`
	}
	// ForkResult may keep the session.
	ForkResult struct {
		Cancel bool `json:"cancel,omitzero"`
	}
	// CompactResult may prevent a compaction, or be one.
	CompactResult struct {
		Cancel     bool              `json:"cancel,omitzero"`
		Compaction *CustomCompaction `json:"compaction,omitzero"`
	}
	// CustomCompaction is a compaction that an extension has made.
	CustomCompaction struct {
		Summary          string         `json:"summary"`
		FirstKeptEntryID string         `json:"firstKeptEntryId"`
		TokensBefore     int            `json:"tokensBefore"`
		Usage            *ai.Usage      `json:"usage,omitzero"`
		Details          jsontext.Value `json:"details,omitzero"`
	}
	// TreeResult may keep the session where it is, give the summary, or change what the
	// model is asked for one. A nil field changes nothing.
	TreeResult struct {
		Cancel              bool           `json:"cancel,omitzero"`
		Summary             *BranchSummary `json:"summary,omitzero"`
		CustomInstructions  *string        `json:"customInstructions,omitzero"`
		ReplaceInstructions *bool          `json:"replaceInstructions,omitzero"`
		Label               *string        `json:"label,omitzero"`
	}
	// BranchSummary is a summary that an extension has made.
	BranchSummary struct {
		Summary string         `json:"summary"`
		Details jsontext.Value `json:"details,omitzero"`
		Usage   *ai.Usage      `json:"usage,omitzero"`
	}
)
