package config

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
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

// Settings are the user's settings, with the names of Pi 0.85. Each field is one row of the table
// of settings: its tags say all that the check of files, /settings, the documentation and the
// command line know of it.
//
//   - default is the value of a file that does not name it, as JSON or as plain text
//   - values are the texts that it may have; min:"0" wants a whole number of 0 or more, kind:"url"
//     an address, kind:"models" models (provider/id, or * for all) with patterns
//   - scope:"user" is for settings that a project cannot change
//   - strict:"true" stops the program for a wrong value, where any other value would be unsafe;
//     elsewhere a wrong value is told and the default counts
//   - help says what it does, in a few words, and more the rest; see names a page about it; shown
//     is the default in words, where it depends on other things
type Settings struct {
	Theme                  string           `json:"theme" help:"colours" more:"of the terminal: the name of a theme, or of two for light and dark terminals, as day/night"`
	HideThinkingBlock      bool             `json:"hideThinkingBlock" default:"true" help:"fold what the model thinks" more:"to one line in the terminal"`
	DefaultThinkingLevel   ai.ThinkingLevel `json:"defaultThinkingLevel" values:"levels" shown:"medium" help:"how much a model thinks at first" more:"a model that does not know the level gets the nearest that it knows"`
	SteeringMode           agent.QueueMode  `json:"steeringMode" default:"one-at-a-time" values:"one-at-a-time all" help:"steering messages that are delivered together"`
	FollowUpMode           agent.QueueMode  `json:"followUpMode" default:"one-at-a-time" values:"one-at-a-time all" help:"follow-ups that are delivered together"`
	Compaction             Compaction       `json:"compaction"`
	Retry                  Retry            `json:"retry"`
	BranchSummary          BranchSummary    `json:"branchSummary"`
	DoubleEscapeAction     string           `json:"doubleEscapeAction" default:"tree" values:"tree fork none" help:"what escape opens when it is pressed twice"`
	AutocompleteMaxVisible int              `json:"autocompleteMaxVisible" default:"5" min:"0" choices:"3 5 10 20" help:"suggestions that are seen at once"`
	Terminal               Terminal         `json:"terminal"`
	TUIMode                string           `json:"tuiMode" default:"regular" values:"regular fullscreen" help:"screen" more:"regular keeps the scrollback of the terminal, fullscreen takes all of it" see:"terminal.md#full-screen"`
	FullscreenExitOutput   string           `json:"fullscreenExitOutput" default:"transcript" values:"transcript resume-hint" help:"what the full screen leaves behind" more:"the conversation, or only how to go on"`
	Images                 Images           `json:"images"`
	ToolChanges            string           `json:"toolChanges" default:"on" values:"on off" help:"record changes of the tools" more:"in the conversation; off as in Pi 0.85"`
	DefaultProjectTrust    string           `json:"defaultProjectTrust" default:"ask" values:"ask always never" scope:"user" help:"whether the files of a project count" more:"only the terminal can ask; elsewhere that means no" see:"resources.md#trust"`
	QuietStartup           bool             `json:"quietStartup" default:"false" help:"say nothing at the start"`

	DefaultProvider     string                      `json:"defaultProvider" help:"provider of the model to start with, if it has a key"`
	DefaultModel        string                      `json:"defaultModel" help:"model to start with"`
	ModelThinkingLevels map[string]ai.ThinkingLevel `json:"modelThinkingLevels" values:"levels" help:"how much single models think at first, by provider/id"`
	ModelFallbacks      map[string][]string         `json:"modelFallbacks" kind:"models" help:"models that take over from one that cannot answer, by provider/id or *" see:"models.md#when-a-model-cannot-answer"`
	EnabledModels       []string                    `json:"enabledModels" shown:"all that have a key" help:"models to switch between, as --models takes them"`
	ThinkingBudgets     map[ai.ThinkingLevel]int    `json:"thinkingBudgets" min:"0" shown:"1024, 2048, 8192, 16384" help:"tokens of the levels minimal, low, medium and high, for models that are given a budget"`
	DefaultTools        []string                    `json:"defaultTools" shown:"read, bash, edit, write" help:"tools to offer; +name and -name change the default, * stands for any characters"`
	ExternalEditor      string                      `json:"externalEditor" shown:"$VISUAL or $EDITOR" help:"program that ctrl+g opens"`
	HTTPProxy           string                      `json:"httpProxy" kind:"url" scope:"user" strict:"true" help:"proxy for requests, if the environment names none"`
	HTTPIdleTimeoutMs   int                         `json:"httpIdleTimeoutMs" default:"300000" min:"0" help:"how long a provider may be silent in the middle of an answer; 0 is for ever"`
	ShellPath           string                      `json:"shellPath" shown:"/bin/bash, or bash or sh of the PATH" help:"shell for commands"`
	ShellCommandPrefix  string                      `json:"shellCommandPrefix" help:"line before each command of the bash tool"`
	SessionDir          string                      `json:"sessionDir" help:"one folder for all sessions, without a folder for each project"`
	CredentialStore     string                      `json:"credentialStore" default:"file" values:"file keyring" scope:"user" strict:"true" help:"where rondo auth login keeps keys and tokens: auth.json, or the system's keyring"`
}

// Compaction says when the older part of a conversation is replaced by a summary.
type Compaction struct {
	Enabled          bool `json:"enabled" default:"true" help:"sum up what no longer fits" more:"the older part of a conversation is replaced by a summary before the context window is full, or when a request was too long"`
	ReserveTokens    int  `json:"reserveTokens" default:"16384" min:"0" help:"how much of the window is kept free for the answer; half of it at most"`
	KeepRecentTokens int  `json:"keepRecentTokens" default:"20000" min:"0" help:"how much of the newest messages stays as it is; less if a request is too long otherwise"`
}

// BranchSummary says how a branch that is left is summed up.
type BranchSummary struct {
	ReserveTokens int  `json:"reserveTokens" default:"16384" min:"0" help:"how much of the window is kept free when a branch that is left is summed up"`
	SkipPrompt    bool `json:"skipPrompt" default:"false" help:"leave a branch without a question" more:"whether to sum it up"`
}

// Retry says how a failed request is repeated.
type Retry struct {
	Enabled     bool          `json:"enabled" default:"true" help:"repeat requests that have failed" more:"only where the reason may pass"`
	MaxRetries  int           `json:"maxRetries" default:"3" min:"0" help:"how often"`
	BaseDelayMs int           `json:"baseDelayMs" default:"2000" min:"0" help:"the first delay; it doubles each time, up to a minute"`
	Provider    ProviderRetry `json:"provider"`
}

// ProviderRetry bounds a single request.
type ProviderRetry struct {
	TimeoutMs       int `json:"timeoutMs" default:"0" min:"0" help:"how long to wait for a response to begin; 0 is for ever"`
	MaxRetries      int `json:"maxRetries" default:"0" min:"0" help:"how often a request is sent again before anything has come back"`
	MaxRetryDelayMs int `json:"maxRetryDelayMs" default:"60000" min:"0" help:"the longest delay that a server may ask for; a request for which it asks more is not repeated. 0 is no bound"`
}

// Images says what happens to images.
type Images struct {
	AutoResize  bool `json:"autoResize" default:"true" help:"scale images down" more:"to what providers take"`
	BlockImages bool `json:"blockImages" default:"false" help:"send no images" more:"a note stands in the place of each"`
}

// Terminal says what a terminal shows.
type Terminal struct {
	ShowImages      bool          `json:"showImages" default:"true" help:"show images, where the terminal can" see:"terminal.md#images"`
	ImageWidthCells int           `json:"imageWidthCells" default:"60" min:"0" choices:"40 60 80 120" help:"columns that an image takes at most"`
	Images          ImageProtocol `json:"images" default:"auto" values:"auto kitty iterm2 none" help:"how the terminal is sent images; auto goes by the environment, or by RONDO_IMAGE_PROTOCOL, and false is none"`
}

// lists are settings of one file that are not merged with those of others.
type lists struct {
	Skills               []string                  `json:"skills" shown:"[]" help:"more skills, and filters" see:"resources.md#lists-in-the-settings"`
	Prompts              []string                  `json:"prompts" shown:"[]" help:"more prompt templates, and filters" see:"resources.md#lists-in-the-settings"`
	Themes               []string                  `json:"themes" shown:"[]" help:"more theme files and folders of them, and filters" see:"resources.md#lists-in-the-settings"`
	Extensions           []string                  `json:"extensions" shown:"[]" help:"more extensions, and filters" see:"extensions.md#loading"`
	ExtensionPermissions map[string]jsontext.Value `json:"extensionPermissions" strict:"true" help:"what the code of extensions may do, by name or path" see:"extensions.md#permissions"`
	ExtensionHosts       map[string]string         `json:"extensionHosts" values:"node bun" scope:"user" help:"extensions that are to run in node or bun, by name or path" see:"extensions.md#node-and-bun"`
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
