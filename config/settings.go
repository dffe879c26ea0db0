package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// QueueMode says how many queued messages are delivered at one point.
type QueueMode string

// The queue modes.
const (
	OneAtATime QueueMode = "one-at-a-time"
	All        QueueMode = "all"
)

// The values of Settings.ToolChanges.
const (
	ToolChangesOn  = "on"
	ToolChangesOff = "off"
)

// The values of Settings.DefaultProjectTrust.
const (
	TrustAsk    = "ask"
	TrustAlways = "always"
	TrustNever  = "never"
)

// Settings are the user's settings, with the names and defaults of Pi 0.85. Durations are in
// milliseconds, as in the file.
type Settings struct {
	// DefaultProvider and DefaultModel name the model to start with.
	DefaultProvider string `json:"defaultProvider"`
	DefaultModel    string `json:"defaultModel"`
	// DefaultThinkingLevel is the level to start with; empty stands for medium.
	DefaultThinkingLevel ai.ThinkingLevel `json:"defaultThinkingLevel"`
	// ModelThinkingLevels are levels to start with for a model, by provider/id.
	ModelThinkingLevels map[string]ai.ThinkingLevel `json:"modelThinkingLevels"`
	// ThinkingBudgets are the tokens of a level, for models that are given a budget.
	ThinkingBudgets map[ai.ThinkingLevel]int `json:"thinkingBudgets"`
	// ModelFallbacks are the models that take over from one that cannot answer, by
	// provider/id, or * for those that have none of their own. It is a setting of Rondo's
	// own; the patterns are those of [Config.Find].
	ModelFallbacks map[string][]string `json:"modelFallbacks"`
	// EnabledModels are the models to cycle through.
	EnabledModels []string `json:"enabledModels"`

	// SteeringMode and FollowUpMode are one-at-a-time by default.
	SteeringMode QueueMode `json:"steeringMode"`
	FollowUpMode QueueMode `json:"followUpMode"`
	// ToolChanges says whether a change of the tools during a session becomes a message of
	// the transcript: on (default), or off as in Pi 0.85. It is a setting of Rondo's own.
	ToolChanges string `json:"toolChanges"`

	// HTTPProxy is the proxy for requests where the environment names none. Only the user's
	// own file may set it.
	HTTPProxy string `json:"httpProxy"`
	// HTTPIdleTimeoutMs bounds the silence of a provider (300000); 0 is no bound.
	HTTPIdleTimeoutMs int           `json:"httpIdleTimeoutMs"`
	Compaction        Compaction    `json:"compaction"`
	BranchSummary     BranchSummary `json:"branchSummary"`
	Retry             Retry         `json:"retry"`
	Images            Images        `json:"images"`

	// ShellPath is the shell that runs commands; empty is the system's.
	ShellPath string `json:"shellPath"`
	// ShellCommandPrefix is put before each command of the bash tool.
	ShellCommandPrefix string `json:"shellCommandPrefix"`
	// DefaultTools are the tools to start with; nil means the built-in choice.
	DefaultTools []string `json:"defaultTools"`
	// CredentialStore says where rondo auth login keeps keys and tokens: file, which is
	// auth.json (default), or keyring, the system's. It is a setting of Rondo's own, and
	// only the user's own file may set it.
	CredentialStore string `json:"credentialStore"`
	// SessionDir is the folder of all sessions; see [Config.SessionDir].
	SessionDir string `json:"sessionDir"`

	// HideThinkingBlock folds what models think in the terminal (true; Pi 0.85 shows it).
	HideThinkingBlock bool `json:"hideThinkingBlock"`
	// Theme is the name of the terminal's colours, or of two, for light and dark terminals,
	// with a slash between them.
	Theme string `json:"theme"`
	// QuietStartup leaves out what the terminal says first.
	QuietStartup bool `json:"quietStartup"`
	// DoubleEscapeAction is what pressing escape twice opens in the terminal: tree (default),
	// fork or none.
	DoubleEscapeAction string `json:"doubleEscapeAction"`
	// ExternalEditor is the program to write long texts in, before $VISUAL and $EDITOR.
	ExternalEditor string `json:"externalEditor"`
	// AutocompleteMaxVisible is how many suggestions are seen at once (5).
	AutocompleteMaxVisible int      `json:"autocompleteMaxVisible"`
	Terminal               Terminal `json:"terminal"`
	// TUIMode is regular (default), or fullscreen, which takes the whole screen of the terminal.
	TUIMode string `json:"tuiMode"`
	// FullscreenExitOutput is what the full screen leaves behind: transcript (default), or
	// resume-hint, which is only how to go on.
	FullscreenExitOutput string `json:"fullscreenExitOutput"`

	// DefaultProjectTrust says whether the files of a project count where nothing else
	// decides: ask (default), always or never. Only the user's own file may set it.
	DefaultProjectTrust string `json:"defaultProjectTrust"`
}

// Compaction says when the older part of a conversation is replaced by a summary.
type Compaction struct {
	Enabled bool `json:"enabled"` // default true
	// ReserveTokens are kept free for the answer (16384).
	ReserveTokens int `json:"reserveTokens"`
	// KeepRecentTokens of the newest messages stay as they are (20000).
	KeepRecentTokens int `json:"keepRecentTokens"`
}

// BranchSummary says how a branch that is left is summed up.
type BranchSummary struct {
	// ReserveTokens are kept free for the summary (16384).
	ReserveTokens int `json:"reserveTokens"`
	// SkipPrompt leaves out the question whether to sum up.
	SkipPrompt bool `json:"skipPrompt"`
}

// Retry says how a failed request is repeated.
type Retry struct {
	Enabled bool `json:"enabled"` // default true
	// MaxRetries is how often (3).
	MaxRetries int `json:"maxRetries"`
	// BaseDelayMs is the first delay (2000); it doubles each time.
	BaseDelayMs int           `json:"baseDelayMs"`
	Provider    ProviderRetry `json:"provider"`
}

// ProviderRetry bounds a single request.
type ProviderRetry struct {
	// TimeoutMs bounds the wait for a response; 0 is no bound.
	TimeoutMs int `json:"timeoutMs"`
	// MaxRetries before the first byte, unseen by the session (0).
	MaxRetries int `json:"maxRetries"`
	// MaxRetryDelayMs is the longest delay that a server may ask for (60000).
	MaxRetryDelayMs int `json:"maxRetryDelayMs"`
}

// Images says what happens to images.
type Images struct {
	AutoResize  bool `json:"autoResize"`  // default true
	BlockImages bool `json:"blockImages"` // never send images
}

// Terminal says what a terminal shows.
type Terminal struct {
	ShowImages bool `json:"showImages"` // default true
	// ImageWidthCells is how many columns an image takes at most (60).
	ImageWidthCells int `json:"imageWidthCells"`
	// Images is how the terminal is sent images: kitty, iterm2, none, or auto (default), as
	// its variables say.
	Images ImageProtocol `json:"images"`
}

// ImageProtocol is a text, or false for none (Pi 0.85).
type ImageProtocol string

// UnmarshalJSON reads the text, or false.
func (p *ImageProtocol) UnmarshalJSON(data []byte) error {
	var off bool
	if err := json.Unmarshal(data, &off); err == nil {
		*p = "auto"
		if !off {
			*p = "none"
		}
		return nil
	}
	return json.Unmarshal(data, (*string)(p))
}

// DefaultSettings returns the settings of an empty file.
func DefaultSettings() *Settings {
	return &Settings{
		SteeringMode:        OneAtATime,
		FollowUpMode:        OneAtATime,
		ToolChanges:         ToolChangesOn,
		DefaultProjectTrust: TrustAsk,

		HideThinkingBlock: true, DoubleEscapeAction: "tree", AutocompleteMaxVisible: 5,
		TUIMode: "regular", FullscreenExitOutput: "transcript",

		CredentialStore:   StoreFile,
		HTTPIdleTimeoutMs: 300_000,
		Compaction:        Compaction{Enabled: true, ReserveTokens: 16_384, KeepRecentTokens: 20_000},
		BranchSummary:     BranchSummary{ReserveTokens: 16_384},
		Retry:             Retry{Enabled: true, MaxRetries: 3, BaseDelayMs: 2_000, Provider: ProviderRetry{MaxRetryDelayMs: 60_000}},
		Images:            Images{AutoResize: true},
		Terminal:          Terminal{ShowImages: true, ImageWidthCells: 60, Images: "auto"},
	}
}

// check looks at what the types do not say.
func (s *Settings) check(doc *document) error {
	modes := []string{string(OneAtATime), string(All)}
	for _, c := range []struct {
		key, value string
		allowed    []string
	}{
		{"/steeringMode", string(s.SteeringMode), modes},
		{"/followUpMode", string(s.FollowUpMode), modes},
		{"/toolChanges", s.ToolChanges, []string{ToolChangesOn, ToolChangesOff}},
		{"/credentialStore", s.CredentialStore, []string{StoreFile, StoreKeyring}},
		{"/doubleEscapeAction", s.DoubleEscapeAction, []string{"tree", "fork", "none"}},
		{"/tuiMode", s.TUIMode, []string{"regular", "fullscreen"}},
		{"/fullscreenExitOutput", s.FullscreenExitOutput, []string{"transcript", "resume-hint"}},
		{"/terminal/images", string(s.Terminal.Images), []string{"auto", "kitty", "iterm2", "none"}},
		{"/defaultProjectTrust", s.DefaultProjectTrust, []string{TrustAsk, TrustAlways, TrustNever}},
		{"/defaultThinkingLevel", string(s.DefaultThinkingLevel), append(levelNames(), "")},
	} {
		if err := doc.oneOf(jsontext.Pointer(c.key), c.value, c.allowed); err != nil {
			return err
		}
	}
	if err := doc.checkURL("/httpProxy", s.HTTPProxy); err != nil {
		return err
	}
	for model, level := range s.ModelThinkingLevels {
		if err := doc.oneOf(jsontext.Pointer("/modelThinkingLevels").AppendToken(model), string(level), levelNames()); err != nil {
			return err
		}
	}
	for model, patterns := range s.ModelFallbacks {
		at := jsontext.Pointer("/modelFallbacks").AppendToken(model)
		if model != allModels && !strings.Contains(model, "/") {
			return doc.wrong(at, "names no model", `write provider/id, or "*" for all models`)
		}
		for i, pattern := range patterns {
			if strings.TrimSpace(pattern) == "" {
				return doc.wrong(at.AppendToken(strconv.Itoa(i)), "is empty", "write a model as for --model")
			}
		}
	}
	for _, c := range []struct {
		key   string
		value int
	}{
		{"/httpIdleTimeoutMs", s.HTTPIdleTimeoutMs},
		{"/autocompleteMaxVisible", s.AutocompleteMaxVisible},
		{"/terminal/imageWidthCells", s.Terminal.ImageWidthCells},
		{"/compaction/reserveTokens", s.Compaction.ReserveTokens},
		{"/compaction/keepRecentTokens", s.Compaction.KeepRecentTokens},
		{"/branchSummary/reserveTokens", s.BranchSummary.ReserveTokens},
		{"/retry/maxRetries", s.Retry.MaxRetries},
		{"/retry/baseDelayMs", s.Retry.BaseDelayMs},
		{"/retry/provider/timeoutMs", s.Retry.Provider.TimeoutMs},
		{"/retry/provider/maxRetries", s.Retry.Provider.MaxRetries},
		{"/retry/provider/maxRetryDelayMs", s.Retry.Provider.MaxRetryDelayMs},
	} {
		if c.value < 0 {
			return doc.wrong(jsontext.Pointer(c.key), "is negative", "write 0 or more")
		}
	}
	return nil
}

func (d *document) oneOf(at jsontext.Pointer, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	named := slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return s == "" })
	return d.wrong(at, "is "+quote(value), "write "+alternatives(named))
}

func levelNames() []string {
	names := make([]string, len(ai.ThinkingLevels))
	for i, level := range ai.ThinkingLevels {
		names[i] = string(level)
	}
	return names
}

func quote(text string) string { return `"` + text + `"` }

// alternatives writes "a", "b" or "c".
func alternatives(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	last := len(quoted) - 1
	if last < 1 {
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
