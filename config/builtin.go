package config

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// The wires, as models.json names them (Pi 0.85).
var apis = []string{
	"anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai",
	"azure-openai-responses", "openai-codex-responses", "google-vertex", "bedrock-converse-stream",
	"mistral-conversations", "pi-messages",
}

// builtin is a provider that works as soon as it has a key.
type builtin struct {
	id, name, api, baseURL string
	models                 []builtinModel
}

type builtinModel struct {
	id, name       string
	window, output int
	price          ai.Pricing // zero where it is not known for sure
	images         bool
	levels         map[ai.ThinkingLevel]*string // nil means the usual ones
	plain          bool                         // does not think
	compat         string
}

// The levels that differ from the usual ones: the provider's word, or nil for none.
var (
	word       = func(s string) *string { return &s }
	toMax      = map[ai.ThinkingLevel]*string{ai.ThinkingMinimal: nil, ai.ThinkingXHigh: word("xhigh"), ai.ThinkingMax: word("max")}
	maxNoXHigh = map[ai.ThinkingLevel]*string{ai.ThinkingMinimal: nil, ai.ThinkingMax: word("max")}
	toXHigh    = map[ai.ThinkingLevel]*string{ai.ThinkingMinimal: nil, ai.ThinkingXHigh: word("xhigh")}
	threeUp    = map[ai.ThinkingLevel]*string{ai.ThinkingMinimal: nil}
)

const adaptive = `{"forceAdaptiveThinking":true}`

func price(input, output, cacheRead, cacheWrite float64) ai.Pricing {
	return ai.Pricing{Input: input, Output: output, CacheRead: cacheRead, CacheWrite: cacheWrite}
}

// builtins are the providers that are known without models.json.
var builtins = []builtin{
	{"anthropic", "Anthropic", "anthropic-messages", "https://api.anthropic.com", []builtinModel{
		{id: "claude-opus-4-8", name: "Claude Opus 4.8", window: 1_000_000, output: 128_000, price: price(5, 25, 0.5, 6.25), images: true, levels: toMax, compat: adaptive},
		{id: "claude-sonnet-4-6", name: "Claude Sonnet 4.6", window: 200_000, output: 128_000, price: price(3, 15, 0.3, 3.75), images: true, levels: maxNoXHigh, compat: adaptive},
		{id: "claude-haiku-4-5", name: "Claude Haiku 4.5", window: 200_000, output: 64_000, price: price(1, 5, 0.1, 1.25), images: true},
	}},
	{"openai", "OpenAI", "openai-completions", "https://api.openai.com/v1", []builtinModel{
		{id: "gpt-5.5", name: "GPT-5.5", window: 1_050_000, output: 128_000, price: price(5, 30, 0.5, 0), images: true, levels: toXHigh},
		{id: "gpt-5.4", name: "GPT-5.4", window: 1_050_000, output: 128_000, price: price(2.5, 15, 0.25, 0), images: true, levels: toXHigh},
		{id: "gpt-5.4-mini", name: "GPT-5.4 Mini", window: 400_000, output: 128_000, price: price(0.75, 4.5, 0.075, 0), images: true, levels: toXHigh},
	}},
	{"deepseek", "DeepSeek", "openai-completions", "https://api.deepseek.com/v1", []builtinModel{
		{id: "deepseek-v4-pro", name: "DeepSeek V4 Pro", window: 1_000_000, output: 384_000},
	}},
	{"openrouter", "OpenRouter", "openai-completions", "https://openrouter.ai/api/v1", []builtinModel{
		{id: "moonshotai/kimi-k2.6", name: "Kimi K2.6", window: 262_144, output: 32_768, images: true},
	}},
	{"xai", "xAI", "openai-completions", "https://api.x.ai/v1", []builtinModel{
		{id: "grok-4.6", name: "Grok 4.6", window: 200_000, output: 20_000, price: price(2, 6, 0.5, 0), images: true, plain: true},
	}},
	{"groq", "Groq", "openai-completions", "https://api.groq.com/openai/v1", []builtinModel{
		{id: "openai/gpt-oss-120b", name: "GPT OSS 120B", window: 131_072, output: 32_768, levels: threeUp},
	}},
	{"cerebras", "Cerebras", "openai-completions", "https://api.cerebras.ai/v1", []builtinModel{
		{id: "gpt-oss-120b", name: "GPT OSS 120B", window: 131_072, output: 25_000, price: price(0.35, 0.75, 0, 0), levels: threeUp},
	}},
	{"zai", "Z.ai", "openai-completions", "https://api.z.ai/api/coding/paas/v4", []builtinModel{
		{id: "glm-5.3", name: "GLM-5.3", window: 1_000_000, output: 131_072},
	}},
	{"moonshotai", "Moonshot AI", "openai-completions", "https://api.moonshot.ai/v1", []builtinModel{
		{id: "kimi-k2.6", name: "Kimi K2.6", window: 262_144, output: 32_768, images: true},
	}},
	{"together", "Together AI", "openai-completions", "https://api.together.xyz/v1", []builtinModel{
		{id: "openai/gpt-oss-120b", name: "GPT OSS 120B", window: 131_072, output: 32_768, levels: threeUp},
	}},
	{"fireworks", "Fireworks AI", "openai-completions", "https://api.fireworks.ai/inference/v1", []builtinModel{
		{id: "accounts/fireworks/models/kimi-k2p6", name: "Kimi K2.6", window: 262_000, output: 32_768, images: true},
	}},
}

// defaultModels is the model of each provider to start with, in the order in which
// [Config.DefaultModel] tries them (Pi 0.85).
var defaultModels = []struct{ provider, model string }{
	{"amazon-bedrock", "us.anthropic.claude-opus-4-6-v1"},
	{"anthropic", "claude-opus-4-8"},
	{"openai", "gpt-5.5"},
	{"azure-openai-responses", "gpt-5.4"},
	{"openai-codex", "gpt-5.5"},
	{"radius", "auto"},
	{"deepseek", "deepseek-v4-pro"},
	{"google", "gemini-3.1-pro-preview"},
	{"google-vertex", "gemini-3.1-pro-preview"},
	{"github-copilot", "gpt-5.4"},
	{"openrouter", "moonshotai/kimi-k2.6"},
	{"xai", "grok-4.6"},
	{"groq", "openai/gpt-oss-120b"},
	{"cerebras", "gpt-oss-120b"},
	{"zai", "glm-5.3"},
	{"mistral", "devstral-medium-latest"},
	{"moonshotai", "kimi-k2.6"},
	{"together", "openai/gpt-oss-120b"},
	{"fireworks", "accounts/fireworks/models/kimi-k2p6"},
}

// model returns the record of a built-in model.
func (b *builtin) model(m *builtinModel) *ai.Model {
	record := &ai.Model{
		ID: m.id, Name: m.name, API: b.api, Provider: b.id, BaseURL: b.baseURL,
		Reasoning: !m.plain, ThinkingLevelMap: m.levels, Input: []string{ai.InputText},
		Cost: m.price, ContextWindow: m.window, MaxTokens: m.output,
	}
	if m.images {
		record.Input = append(record.Input, ai.InputImage)
	}
	if m.compat != "" {
		record.Compat = jsontext.Value(m.compat)
	}
	return record
}
