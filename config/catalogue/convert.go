package catalogue

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// adaptive is the compat object of models that decide by themselves how long they think.
const adaptive = `{"forceAdaptiveThinking":true}`

// shortContext is where OpenAI begins to ask more for the tokens of a request. The window of
// its models ends there, as in Pi 0.85; modelOverrides can widen it.
const shortContext = 272_000

// convert returns the record of a model of catwalk, or nil if the provider's wire cannot
// reach it.
func (p *Provider) convert(m *catwalk.Model) *ai.Model {
	api, base := p.wire(m.ID)
	if api == "" || m.ContextWindow <= 0 {
		return nil
	}
	record := &ai.Model{
		ID: m.ID, Name: m.Name, API: api, Provider: p.ID, BaseURL: base,
		Reasoning: m.CanReason, Input: []string{ai.InputText}, Cost: pricing(m),
		ContextWindow: int(m.ContextWindow), MaxTokens: int(min(m.DefaultMaxTokens, m.ContextWindow)),
	}
	if record.Name == "" {
		record.Name = m.ID
	}
	if record.MaxTokens <= 0 {
		record.MaxTokens = min(record.ContextWindow, 16_384)
	}
	if m.SupportsImages {
		record.Input = append(record.Input, ai.InputImage)
	}
	if p.ID == "github-copilot" { // of which the data do not say it
		record.Reasoning = strings.HasPrefix(m.ID, "claude-") || openAIThinks().MatchString(m.ID)
	}
	p.thinking(record, m.ReasoningLevels)
	switch {
	case api == apiCodex:
		record.ContextWindow = min(record.ContextWindow, shortContext)
	case p.ID == "openai" && strings.HasPrefix(m.ID, "gpt-5") && record.ContextWindow > 1_000_000:
		shorten(record)
	}
	return record
}

// shorten ends the window where the price rises, and says how it does for who widens it: for
// all of a request, twice for input and one and a half times for output.
func shorten(m *ai.Model) {
	m.ContextWindow = shortContext
	c := m.Cost
	m.Cost.Tiers = []ai.PricingTier{{InputTokensAbove: shortContext, Input: 2 * c.Input, Output: 1.5 * c.Output, CacheRead: 2 * c.CacheRead, CacheWrite: 2 * c.CacheWrite}}
}

// thinking says at which levels a model thinks.
func (p *Provider) thinking(record *ai.Model, given []string) {
	if !record.Reasoning {
		return
	}
	levels, ok := p.levels(record.ID, given)
	ofClaude := record.API == apiAnthropic || record.API == apiBedrock
	switch {
	case !ok:
		record.Reasoning = false // it cannot be told how much
	case p.ID == "kimi-coding":
		record.Compat = jsontext.Value(`{"allowEmptySignature":true,"forceAdaptiveThinking":true}`) // Pi 0.85
	case ofClaude && isAdaptive(record.ID):
		record.Compat = jsontext.Value(adaptive)
		if len(levels) == 0 {
			levels = []string{"low", "medium", "high", "max"}
			if thinksHarder().MatchString(record.ID) {
				levels = append(levels, "xhigh")
			}
		}
		if alwaysThinks().MatchString(record.ID) {
			levels = append(levels, "-off")
		}
		record.ThinkingLevelMap = levelMap(levels)
	case ofClaude, len(levels) == 0: // tokens to think for, which every level has
	default:
		record.ThinkingLevelMap = levelMap(levels)
	}
}

// thinksHarder are Claude's models with the level xhigh: Opus from 4.7 on, and version 5.
var thinksHarder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`claude-(?:opus-4[-.][7-9]|[a-z]+-[5-9])(?:\D|$)`)
})

// alwaysThinks are Claude's models that cannot do without.
var alwaysThinks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`claude-(?:fable|mythos)`) })

// adaptiveClaude are Claude's models that are told an effort and no number of tokens:
// those of version 5, and Opus and Sonnet from 4.6 on.
var adaptiveClaude = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`claude-(?:(?:opus|sonnet)-4[-.][6-9]|[a-z]+-[5-9])(?:\D|$)`)
})

func isAdaptive(id string) bool { return adaptiveClaude().MatchString(id) }

// levelMap returns the map of a model that thinks at these levels, each of which is written
// as the level or as level=word. The level none is off, and -off cannot be switched off.
func levelMap(levels []string) map[ai.ThinkingLevel]*string {
	words := make(map[ai.ThinkingLevel]*string)
	for _, level := range ai.ThinkingLevels[1:] {
		if level != ai.ThinkingXHigh && level != ai.ThinkingMax {
			words[level] = nil
		}
	}
	for _, level := range levels {
		name, word, given := strings.Cut(level, "=")
		if !given {
			word = name
		}
		switch name {
		case "none":
			words[ai.ThinkingOff] = &word
		case "-off":
			words[ai.ThinkingOff] = nil
		case string(ai.ThinkingXHigh), string(ai.ThinkingMax):
			words[ai.ThinkingLevel(name)] = &word
		default:
			delete(words, ai.ThinkingLevel(name)) // a word that is the level's name need not be told
			if given {
				words[ai.ThinkingLevel(name)] = &word
			}
		}
	}
	return words
}

// pricing returns the prices in dollars per million tokens. The data do not say which of the
// prices of cached tokens is for reading and which for writing: writing costs more than fresh
// input, reading less. A price below zero says that it is not known.
func pricing(m *catwalk.Model) ai.Pricing {
	price := ai.Pricing{Input: max(m.CostPer1MIn, 0), Output: max(m.CostPer1MOut, 0)}
	for _, cached := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		switch {
		case cached <= 0:
		case cached <= price.Input && (price.CacheRead == 0 || cached < price.CacheRead):
			price.CacheRead = cached
		case cached > price.Input && cached <= 2*price.Input:
			price.CacheWrite = cached
		}
	}
	return price
}

// codexModels are the models of OpenAI that a ChatGPT account reaches.
var codexModels = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^gpt-5\.(?:[3-9])(?:-codex|-mini|-sol|-terra|-luna)?$`)
})

// wire returns how a model of the provider is reached: most as the provider says, those of
// gateways each by the wire of its maker (Pi 0.85). The wire is empty for one that cannot be.
func (p *Provider) wire(model string) (api, base string) {
	switch p.ID {
	case "openai-codex":
		if !codexModels().MatchString(model) {
			return "", ""
		}
	case "google-vertex":
		if !strings.HasPrefix(model, "gemini") {
			return "", ""
		}
	case "github-copilot":
		return makersWire(model, apiCompletions), p.BaseURL
	case "opencode":
		switch api := makersWire(model, apiCompletions); {
		case strings.HasPrefix(model, "gemini"):
			return apiGoogle, p.BaseURL
		case api == apiAnthropic:
			return api, strings.TrimSuffix(p.BaseURL, "/v1")
		default:
			return api, p.BaseURL
		}
	case "opencode-go":
		if api := makersWire(model, apiCompletions); api != apiAnthropic {
			return api, p.BaseURL
		}
	}
	return p.API, p.BaseURL
}

// makersWire returns the wire that a maker speaks, or byDefault.
func makersWire(model, byDefault string) string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(model, name) })
	}
	switch {
	case has("claude-"):
		return apiAnthropic
	case has("gpt-5", "grok-"):
		return apiResponses
	}
	return byDefault
}
