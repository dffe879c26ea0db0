package catalogue

import (
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// extra is a model that the data of catwalk do not have.
type extra struct {
	id, name       string
	window, output int
	price          ai.Pricing // zero where it is not known, or paid by subscription
	images         bool
	levels         string // see levelMap; "plain" does not think, empty stands for the usual ones
}

func price(input, output, cacheRead, cacheWrite float64) ai.Pricing {
	return ai.Pricing{Input: input, Output: output, CacheRead: cacheRead, CacheWrite: cacheWrite}
}

const (
	plain    = "plain"
	lowToTop = "-off low medium high"
	highMax  = "high max"
)

var (
	mimo = []extra{
		{"mimo-v2.5-pro", "MiMo-V2.5-Pro", 1_048_576, 131_072, ai.Pricing{}, false, ""},
		{"mimo-v2.5", "MiMo-V2.5", 1_048_576, 131_072, ai.Pricing{}, true, ""},
	}
	qwenPlan = []extra{
		{"qwen3.7-max", "Qwen3.7 Max", 1_000_000, 131_072, ai.Pricing{}, false, ""},
		{"qwen3.7-plus", "Qwen3.7 Plus", 1_000_000, 65_536, ai.Pricing{}, true, ""},
		{"qwen3.6-flash", "Qwen3.6 Flash", 1_000_000, 65_536, ai.Pricing{}, true, ""},
		{"deepseek-v4-pro", "DeepSeek V4 Pro", 1_000_000, 384_000, ai.Pricing{}, false, "-off " + highMax},
		{"glm-5.2", "GLM-5.2", 1_000_000, 131_072, ai.Pricing{}, false, "-off " + highMax},
	}
)

// extras are by provider, in the order in which they are listed.
var extras = map[string][]extra{
	"anthropic": {
		{"claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, price(1, 5, 0.1, 1.25), true, ""},
	},
	"google": {
		{"gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview", 1_048_576, 65_536, price(2, 12, 0.2, 0), true, "-off low high"},
	},
	"xai": {
		{"grok-4.6", "Grok 4.6", 500_000, 50_000, price(2, 6, 0.5, 0), true, "-off low medium high xhigh"},
	},
	"groq": {
		{"openai/gpt-oss-120b", "GPT OSS 120B", 131_072, 65_536, price(0.15, 0.6, 0.075, 0), false, lowToTop},
		{"openai/gpt-oss-20b", "GPT OSS 20B", 131_072, 65_536, price(0.075, 0.3, 0.0375, 0), false, lowToTop},
		{"llama-3.3-70b-versatile", "Llama 3.3 70B", 131_072, 32_768, price(0.59, 0.79, 0, 0), false, plain},
	},
	"zai": {
		{"glm-5.3", "GLM-5.3", 1_000_000, 131_072, ai.Pricing{}, false, "none high max"},
	},
	"zai-coding-cn": {
		{"glm-5.3", "GLM-5.3", 1_000_000, 131_072, ai.Pricing{}, false, "none high max"},
	},
	"mistral": {
		{"devstral-medium-latest", "Devstral 2 (latest)", 262_144, 262_144, price(0.4, 2, 0.04, 0), false, plain},
		{"mistral-large-latest", "Mistral Large (latest)", 262_144, 262_144, price(0.5, 1.5, 0.05, 0), true, plain},
		{"mistral-medium-latest", "Mistral Medium (latest)", 262_144, 262_144, price(1.5, 7.5, 0.15, 0), true, ""},
		{"mistral-small-latest", "Mistral Small (latest)", 256_000, 256_000, price(0.15, 0.6, 0.015, 0), true, ""},
		{"magistral-medium-latest", "Magistral Medium (latest)", 128_000, 16_384, price(2, 5, 0.2, 0), false, ""},
		{"codestral-latest", "Codestral (latest)", 256_000, 4_096, price(0.3, 0.9, 0.03, 0), false, plain},
	},
	"together": {
		{"moonshotai/Kimi-K2.6", "Kimi K2.6", 262_144, 131_000, price(1.2, 4.5, 0.2, 0), true, "high"},
		{"moonshotai/Kimi-K3", "Kimi K3", 1_048_576, 131_072, price(3, 15, 0.3, 0), true, "high"},
		{"deepseek-ai/DeepSeek-V4-Pro", "DeepSeek V4 Pro", 512_000, 384_000, price(1.74, 3.48, 0.2, 0), false, "high"},
		{"zai-org/GLM-5.3", "GLM-5.3", 1_048_576, 262_144, price(1.4, 4.4, 0.26, 0), false, "high"},
		{"MiniMaxAI/MiniMax-M3", "MiniMax-M3", 524_288, 250_000, price(0.3, 1.2, 0.06, 0), true, "high"},
		{"openai/gpt-oss-120b", "GPT OSS 120B", 131_072, 131_072, price(0.15, 0.6, 0, 0), false, lowToTop},
	},
	"nvidia": {
		{"nvidia/nemotron-3-ultra-550b-a55b", "Nemotron 3 Ultra 550B A55B", 1_000_000, 65_536, price(0.5, 2.5, 0.15, 0), false, ""},
		{"moonshotai/kimi-k2.6", "Kimi K2.6", 262_144, 262_144, ai.Pricing{}, true, ""},
		{"openai/gpt-oss-20b", "GPT OSS 20B", 131_072, 32_768, ai.Pricing{}, false, ""},
	},
	"cloudflare-workers-ai": {
		{"@cf/moonshotai/kimi-k2.6", "Kimi K2.6", 262_144, 256_000, price(0.95, 4, 0.16, 0), true, lowToTop},
		{"@cf/zai-org/glm-5.2", "GLM-5.2", 262_144, 256_000, price(1.4, 4.4, 0.26, 0), false, lowToTop},
		{"@cf/openai/gpt-oss-120b", "GPT OSS 120B", 128_000, 16_384, price(0.35, 0.75, 0, 0), false, lowToTop},
	},
	"cloudflare-ai-gateway": {
		{"workers-ai/@cf/moonshotai/kimi-k2.6", "Kimi K2.6", 262_144, 256_000, price(0.95, 4, 0.16, 0), true, ""},
		{"workers-ai/@cf/zai-org/glm-5.2", "GLM-5.2", 262_144, 256_000, price(1.4, 4.4, 0.26, 0), false, ""},
		{"workers-ai/@cf/openai/gpt-oss-120b", "GPT OSS 120B", 128_000, 16_384, price(0.35, 0.75, 0, 0), false, ""},
	},
	"ant-ling": {
		{"Ring-2.6-1T", "Ring 2.6 1T", 262_144, 65_536, price(0.06, 0.25, 0, 0), false, "-off high xhigh"},
		{"Ling-2.6-1T", "Ling 2.6 1T", 262_144, 65_536, price(0.06, 0.25, 0, 0), false, plain},
		{"Ling-2.6-flash", "Ling 2.6 Flash", 262_144, 65_536, price(0.01, 0.02, 0, 0), false, plain},
	},
	"qwen-token-plan": qwenPlan, "qwen-token-plan-cn": qwenPlan, "qwen-token-plan-individual": qwenPlan,
	"xiaomi": {
		{"mimo-v2.5-pro", "MiMo-V2.5-Pro", 1_048_576, 131_072, price(0.435, 0.87, 0.0036, 0), false, ""},
		{"mimo-v2.5", "MiMo-V2.5", 1_048_576, 131_072, price(0.14, 0.28, 0.0028, 0), true, ""},
	},
	"xiaomi-token-plan-cn": mimo, "xiaomi-token-plan-ams": mimo, "xiaomi-token-plan-sgp": mimo,
}

// model returns the record.
func (e *extra) model(p *Provider) *ai.Model {
	api, base := p.wire(e.id)
	record := &ai.Model{
		ID: e.id, Name: e.name, API: api, Provider: p.ID, BaseURL: base, Reasoning: e.levels != plain,
		Input: []string{ai.InputText}, Cost: e.price, ContextWindow: e.window, MaxTokens: e.output,
	}
	if e.images {
		record.Input = append(record.Input, ai.InputImage)
	}
	if record.Reasoning && e.levels != "" {
		record.ThinkingLevelMap = levelMap(strings.Fields(e.levels))
	}
	return record
}
