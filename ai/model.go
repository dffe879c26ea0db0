package ai

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Model is a record of a model: how it is reached, what it can do and what it costs. Its
// JSON form is that of models.json and of the RPC protocol.
type Model struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// API names the wire, such as openai-completions.
	API      string `json:"api"`
	Provider string `json:"provider"`
	BaseURL  string `json:"baseUrl"`
	// Reasoning says that the model can think before it answers.
	Reasoning bool `json:"reasoning"`
	// ThinkingLevelMap gives the provider's word for a level. A null entry says that the
	// level is not supported; xhigh and max need an entry that is not null.
	ThinkingLevelMap map[ThinkingLevel]*string `json:"thinkingLevelMap,omitzero"`
	// Input lists what the model reads: text, image.
	Input []string `json:"input"`
	Cost  Pricing  `json:"cost"`
	// ContextWindow is the most tokens of input and output together.
	ContextWindow int `json:"contextWindow"`
	// MaxTokens is the most tokens of one answer.
	MaxTokens int               `json:"maxTokens"`
	Headers   map[string]string `json:"headers,omitzero"`
	// SamplingParams are sent with every request, as they are.
	SamplingParams map[string]jsontext.Value `json:"samplingParams,omitzero"`
	// Compat says how a server differs from the wire's standard. Each wire documents
	// the switches that it knows.
	Compat  jsontext.Value `json:"compat,omitzero"`
	Unknown jsontext.Value `json:",embed"`
}

// The kinds of input that a model may read.
const (
	InputText  = "text"
	InputImage = "image"
)

// Reads reports whether the model reads this kind of input.
func (m *Model) Reads(kind string) bool { return slices.Contains(m.Input, kind) }

// ThinkingLevel says how much a model thinks before it answers.
type ThinkingLevel string

// The levels from least to most.
const (
	ThinkingOff     ThinkingLevel = "off"
	ThinkingMinimal ThinkingLevel = "minimal"
	ThinkingLow     ThinkingLevel = "low"
	ThinkingMedium  ThinkingLevel = "medium"
	ThinkingHigh    ThinkingLevel = "high"
	ThinkingXHigh   ThinkingLevel = "xhigh"
	ThinkingMax     ThinkingLevel = "max"
)

// ThinkingLevels lists all levels from least to most.
var ThinkingLevels = []ThinkingLevel{
	ThinkingOff, ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXHigh, ThinkingMax,
}

// Supports reports whether the model can think at this level. Every model supports off,
// unless its map says otherwise; one that does not reason supports nothing else.
func (m *Model) Supports(level ThinkingLevel) bool {
	if !slices.Contains(ThinkingLevels, level) {
		return false
	}
	if !m.Reasoning {
		return level == ThinkingOff
	}
	word, mapped := m.ThinkingLevelMap[level]
	switch level {
	case ThinkingXHigh, ThinkingMax:
		return mapped && word != nil
	default:
		return !mapped || word != nil
	}
}

// SupportedThinkingLevels lists the levels that the model can think at.
func (m *Model) SupportedThinkingLevels() []ThinkingLevel {
	var levels []ThinkingLevel
	for _, level := range ThinkingLevels {
		if m.Supports(level) {
			levels = append(levels, level)
		}
	}
	return levels
}

// ClampThinking returns the level nearest to the wanted one that the model supports,
// looking upward first.
func (m *Model) ClampThinking(want ThinkingLevel) ThinkingLevel {
	at := slices.Index(ThinkingLevels, want)
	if at < 0 {
		return ThinkingOff
	}
	for _, level := range ThinkingLevels[at:] {
		if m.Supports(level) {
			return level
		}
	}
	for i := at - 1; i >= 0; i-- {
		if m.Supports(ThinkingLevels[i]) {
			return ThinkingLevels[i]
		}
	}
	return ThinkingOff
}

// ToolDecl tells a model about a tool.
type ToolDecl struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters is the JSON Schema of the arguments, an object schema.
	Parameters jsontext.Value `json:"parameters"`
	Unknown    jsontext.Value `json:",embed"`
}
