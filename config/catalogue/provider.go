package catalogue

import "slices"

// Provider is what is known about a provider beside its models.
type Provider struct {
	// ID and Name are for the command line and for people.
	ID, Name string
	// API is the wire that most of its models speak, and BaseURL where. A wire that finds
	// its own address has none.
	API, BaseURL string
	// Env are the environment variables that hold its key, in the order in which they
	// count. Pi 0.85 documents those of the providers that it knows.
	Env []string
	// Default is the model to start with.
	Default string

	sources []string // in the data of catwalk
}

// The wires, as models.json names them (Pi 0.85).
const (
	apiAnthropic   = "anthropic-messages"
	apiAzure       = "azure-openai-responses"
	apiBedrock     = "bedrock-converse-stream"
	apiCodex       = "openai-codex-responses"
	apiCompletions = "openai-completions"
	apiGoogle      = "google-generative-ai"
	apiMistral     = "mistral-conversations"
	apiResponses   = "openai-responses"
	apiVertex      = "google-vertex"
)

// from names the source of models in catwalk's data.
func from(ids ...string) []string { return ids }

// env names variables.
func env(names ...string) []string { return names }

// providers lists all that are known, in the order in which a model to start with is looked
// for. The first part are those of Pi 0.85 with its default models, the second those that
// catwalk knows beside them.
var providers = []Provider{
	{"amazon-bedrock", "Amazon Bedrock", apiBedrock, "", env("AWS_BEARER_TOKEN_BEDROCK"), "us.anthropic.claude-opus-4-6-v1", from("bedrock", "bedrock-europe")},
	{"anthropic", "Anthropic", apiAnthropic, "https://api.anthropic.com", env("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"), "claude-opus-4-8", from("anthropic")},
	{"openai", "OpenAI", apiResponses, "https://api.openai.com/v1", env("OPENAI_API_KEY"), "gpt-5.5", from("openai")},
	{"azure-openai-responses", "Azure OpenAI", apiAzure, "", env("AZURE_OPENAI_API_KEY"), "gpt-5.4", from("openai")},
	{"openai-codex", "OpenAI Codex (ChatGPT)", apiCodex, "https://chatgpt.com/backend-api", nil, "gpt-5.5", from("openai")},
	{"deepseek", "DeepSeek", apiCompletions, "https://api.deepseek.com", env("DEEPSEEK_API_KEY"), "deepseek-v4-pro", from("deepseek")},
	{"google", "Google Gemini", apiGoogle, "https://generativelanguage.googleapis.com/v1beta", env("GEMINI_API_KEY"), "gemini-3.1-pro-preview", from("gemini")},
	{"google-vertex", "Google Vertex AI", apiVertex, "", env("GOOGLE_CLOUD_API_KEY"), "gemini-3.1-pro-preview", from("vertexai")},
	{"github-copilot", "GitHub Copilot", apiCompletions, "https://api.individual.githubcopilot.com", env("COPILOT_GITHUB_TOKEN"), "gpt-5.4", from("copilot")},
	{"openrouter", "OpenRouter", apiCompletions, "https://openrouter.ai/api/v1", env("OPENROUTER_API_KEY"), "moonshotai/kimi-k2.6", from("openrouter")},
	{"vercel-ai-gateway", "Vercel AI Gateway", apiAnthropic, "https://ai-gateway.vercel.sh", env("AI_GATEWAY_API_KEY"), "anthropic/claude-opus-4.8", from("vercel")},
	{"xai", "xAI", apiResponses, "https://api.x.ai/v1", env("XAI_API_KEY"), "grok-4.6", from("xai")},
	{"groq", "Groq", apiCompletions, "https://api.groq.com/openai/v1", env("GROQ_API_KEY"), "openai/gpt-oss-120b", from("groq")},
	{"cerebras", "Cerebras", apiCompletions, "https://api.cerebras.ai/v1", env("CEREBRAS_API_KEY"), "gpt-oss-120b", from("cerebras")},
	{"zai", "Z.ai coding plan", apiCompletions, "https://api.z.ai/api/coding/paas/v4", env("ZAI_API_KEY"), "glm-5.3", from("zai")},
	{"zai-coding-cn", "Z.ai coding plan (China)", apiCompletions, "https://open.bigmodel.cn/api/coding/paas/v4", env("ZAI_CODING_CN_API_KEY"), "glm-5.3", from("zhipu-coding")},
	{"mistral", "Mistral", apiMistral, "https://api.mistral.ai", env("MISTRAL_API_KEY"), "devstral-medium-latest", nil},
	{"minimax", "MiniMax", apiAnthropic, "https://api.minimax.io/anthropic", env("MINIMAX_API_KEY"), "MiniMax-M3", from("minimax")},
	{"minimax-cn", "MiniMax (China)", apiAnthropic, "https://api.minimaxi.com/anthropic", env("MINIMAX_CN_API_KEY"), "MiniMax-M3", from("minimax-china")},
	{"moonshotai", "Moonshot AI", apiCompletions, "https://api.moonshot.ai/v1", env("MOONSHOT_API_KEY"), "kimi-k2.6", from("moonshot")},
	{"moonshotai-cn", "Moonshot AI (China)", apiCompletions, "https://api.moonshot.cn/v1", env("MOONSHOT_API_KEY"), "kimi-k2.6", from("moonshot")},
	{"huggingface", "Hugging Face", apiCompletions, "https://router.huggingface.co/v1", env("HF_TOKEN"), "moonshotai/Kimi-K2.6:fireworks-ai", from("huggingface")},
	{"fireworks", "Fireworks AI", apiCompletions, "https://api.fireworks.ai/inference/v1", env("FIREWORKS_API_KEY"), "accounts/fireworks/models/kimi-k2p6", from("fireworks")},
	{"together", "Together AI", apiCompletions, "https://api.together.ai/v1", env("TOGETHER_API_KEY"), "moonshotai/Kimi-K2.6", nil},
	{"baseten", "Baseten", apiCompletions, "https://inference.baseten.co/v1", env("BASETEN_API_KEY"), "deepseek-ai/DeepSeek-V4-Pro", from("baseten")},
	{"nvidia", "NVIDIA NIM", apiCompletions, "https://integrate.api.nvidia.com/v1", env("NVIDIA_API_KEY"), "nvidia/nemotron-3-ultra-550b-a55b", nil},
	{"opencode", "OpenCode Zen", apiCompletions, "https://opencode.ai/zen/v1", env("OPENCODE_API_KEY"), "claude-opus-4-8", from("opencode-zen")},
	{"opencode-go", "OpenCode Go", apiCompletions, "https://opencode.ai/zen/go/v1", env("OPENCODE_API_KEY"), "kimi-k2.6", from("opencode-go")},
	{"kimi-coding", "Kimi for coding", apiAnthropic, "https://api.kimi.com/coding", env("KIMI_API_KEY"), "kimi-for-coding", from("kimi-coding")},
	{"cloudflare-workers-ai", "Cloudflare Workers AI", apiCompletions, "https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1", env("CLOUDFLARE_API_KEY"), "@cf/moonshotai/kimi-k2.6", nil},
	{"cloudflare-ai-gateway", "Cloudflare AI Gateway", apiCompletions, "https://gateway.ai.cloudflare.com/v1/{CLOUDFLARE_ACCOUNT_ID}/{CLOUDFLARE_GATEWAY_ID}/compat", env("CLOUDFLARE_API_KEY"), "workers-ai/@cf/moonshotai/kimi-k2.6", nil},
	{"qwen-token-plan", "Qwen token plan", apiCompletions, "https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1", env("QWEN_TOKEN_PLAN_API_KEY"), "qwen3.7-max", nil},
	{"qwen-token-plan-cn", "Qwen token plan (China)", apiCompletions, "https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1", env("QWEN_TOKEN_PLAN_CN_API_KEY"), "qwen3.7-max", nil},
	{"qwen-token-plan-individual", "Qwen token plan (individual)", apiCompletions, "https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1", env("QWEN_TOKEN_PLAN_API_KEY"), "qwen3.7-max", nil},
	{"xiaomi", "Xiaomi MiMo", apiCompletions, "https://api.xiaomimimo.com/v1", env("XIAOMI_API_KEY"), "mimo-v2.5-pro", nil},
	{"xiaomi-token-plan-cn", "Xiaomi MiMo token plan (China)", apiCompletions, "https://token-plan-cn.xiaomimimo.com/v1", env("XIAOMI_TOKEN_PLAN_CN_API_KEY"), "mimo-v2.5-pro", nil},
	{"xiaomi-token-plan-ams", "Xiaomi MiMo token plan (Amsterdam)", apiCompletions, "https://token-plan-ams.xiaomimimo.com/v1", env("XIAOMI_TOKEN_PLAN_AMS_API_KEY"), "mimo-v2.5-pro", nil},
	{"xiaomi-token-plan-sgp", "Xiaomi MiMo token plan (Singapore)", apiCompletions, "https://token-plan-sgp.xiaomimimo.com/v1", env("XIAOMI_TOKEN_PLAN_SGP_API_KEY"), "mimo-v2.5-pro", nil},
	{"ant-ling", "Ant Ling", apiCompletions, "https://api.ant-ling.com/v1", env("ANT_LING_API_KEY"), "Ring-2.6-1T", nil},

	{"synthetic", "Synthetic", apiCompletions, "https://api.synthetic.new/openai/v1", env("SYNTHETIC_API_KEY"), "syn:large:text", from("synthetic")},
	{"aihubmix", "AIHubMix", apiCompletions, "https://aihubmix.com/v1", env("AIHUBMIX_API_KEY"), "gpt-5", from("aihubmix")},
	{"alibaba-singapore", "Alibaba Cloud (Singapore)", apiCompletions, "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", env("ALIBABA_SINGAPORE_API_KEY"), "qwen3.6-plus", from("alibaba-singapore")},
	{"alibaba-us", "Alibaba Cloud (United States)", apiCompletions, "https://dashscope-us.aliyuncs.com/compatible-mode/v1", env("ALIBABA_US_API_KEY"), "deepseek-v4-pro-us", from("alibaba-us")},
	{"atlascloud", "Atlas Cloud", apiCompletions, "https://api.atlascloud.ai/v1", env("ATLASCLOUD_API_KEY"), "zai-org/glm-5.2", from("atlascloud")},
	{"avian", "Avian", apiCompletions, "https://api.avian.io/v1", env("AVIAN_API_KEY"), "moonshotai/kimi-k2.5", from("avian")},
	{"chutes", "Chutes", apiCompletions, "https://llm.chutes.ai/v1", env("CHUTES_API_KEY"), "moonshotai/Kimi-K2.6-TEE", from("chutes")},
	{"cortecs", "Cortecs", apiCompletions, "https://api.cortecs.ai/v1", env("CORTECS_API_KEY"), "qwen3-coder-30b-a3b-instruct", from("cortecs")},
	{"ionet", "io.net", apiCompletions, "https://api.intelligence.io.solutions/api/v1", env("IONET_API_KEY"), "moonshotai/Kimi-K2.5", from("ionet")},
	{"nebius", "Nebius Token Factory", apiCompletions, "https://api.tokenfactory.nebius.com/v1", env("NEBIUS_API_KEY"), "moonshotai/Kimi-K2.5", from("nebius")},
	{"neuralwatt", "Neuralwatt", apiCompletions, "https://api.neuralwatt.com/v1", env("NEURALWATT_API_KEY"), "glm-5.2", from("neuralwatt")},
	{"qiniucloud", "Qiniu Cloud", apiCompletions, "https://api.qnaigc.com/v1", env("QINIUCLOUD_API_KEY"), "minimax/minimax-m2.5", from("qiniucloud")},
	{"scaleway", "Scaleway", apiCompletions, "https://api.scaleway.ai/v1", env("SCW_SECRET_KEY"), "qwen3.6-35b-a3b", from("scaleway")},
	{"venice", "Venice", apiCompletions, "https://api.venice.ai/api/v1", env("VENICE_API_KEY"), "zai-org-glm-5", from("venice")},
	{"zhipu", "Zhipu", apiCompletions, "https://open.bigmodel.cn/api/paas/v4", env("ZHIPU_API_KEY"), "glm-4.7", from("zhipu")},
}

// Providers lists the providers that are known, in the order in which one of their models is
// taken to start with. It must not be changed.
func Providers() []Provider { return providers }

// Find returns the provider with this id.
func Find(id string) (*Provider, bool) {
	i := slices.IndexFunc(providers, func(p Provider) bool { return p.ID == id })
	if i < 0 {
		return nil, false
	}
	return &providers[i], true
}
