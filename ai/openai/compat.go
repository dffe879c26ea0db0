package openai

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Compat says how a server differs from OpenAI's. Its JSON form is the compat object of a
// model (names of Pi 0.85).
type Compat struct {
	// SupportsStore: the request says store:false.
	SupportsStore bool `json:"supportsStore"`
	// SupportsDeveloperRole: the prompt of a reasoning model has the role developer.
	SupportsDeveloperRole bool `json:"supportsDeveloperRole"`
	// SupportsReasoningEffort: the level is sent as reasoning_effort, where the
	// thinking format has a place for it.
	SupportsReasoningEffort bool `json:"supportsReasoningEffort"`
	// SupportsUsageInStreaming: the request asks for usage in the stream.
	SupportsUsageInStreaming bool `json:"supportsUsageInStreaming"`
	// SupportsFinishReason: an answer without a finish reason is incomplete. Where a
	// server never sends one, an answer is complete with [DONE], and stop or toolUse is
	// taken from the content.
	SupportsFinishReason bool `json:"supportsFinishReason"`
	// SupportsStrictMode: tools say strict:false.
	SupportsStrictMode bool `json:"supportsStrictMode"`
	// SupportsLongCacheRetention: a prompt can be kept for a day, or for an hour where
	// CacheControlFormat is set.
	SupportsLongCacheRetention bool `json:"supportsLongCacheRetention"`
	// SupportsMidConvoSystemMessages: instructions may come in the middle of a
	// conversation; otherwise they are added to the prompt (Pi 1.6).
	SupportsMidConvoSystemMessages bool `json:"supportsMidConvoSystemMessages"`
	// MaxTokensField is max_completion_tokens or max_tokens.
	MaxTokensField string `json:"maxTokensField"`

	// RequiresToolResultName: tool messages carry the name of their tool.
	RequiresToolResultName bool `json:"requiresToolResultName"`
	// RequiresAssistantAfterToolResult: a user message must not follow a tool message.
	RequiresAssistantAfterToolResult bool `json:"requiresAssistantAfterToolResult"`
	// RequiresThinkingAsText: earlier thinking is sent as the first text of an answer.
	RequiresThinkingAsText bool `json:"requiresThinkingAsText"`
	// RequiresReasoningContent: every answer of a reasoning model must come back with
	// reasoning_content, if only an empty one.
	RequiresReasoningContent bool `json:"requiresReasoningContentOnAssistantMessages"`

	// ThinkingFormat says with which fields thinking is switched on: openai, openrouter,
	// deepseek, together, baseten, zai, qwen, chat-template, qwen-chat-template,
	// string-thinking or ant-ling.
	ThinkingFormat string `json:"thinkingFormat"`
	// ChatTemplateKwargs is sent as chat_template_kwargs by the format chat-template. A
	// value {"$var": NAME} stands for thinking.enabled, thinking.effort or
	// thinking.budget; with "omitWhenOff": true it is left out when thinking is off.
	ChatTemplateKwargs map[string]jsontext.Value `json:"chatTemplateKwargs"`
	// ChatTemplateArgs is the same, sent as chat_template_args by the format baseten.
	ChatTemplateArgs map[string]jsontext.Value `json:"chatTemplateArgs"`
	// ThinkingTokenBudgetField names the field for the tokens to think for.
	ThinkingTokenBudgetField string `json:"thinkingTokenBudgetField"`
	// SupportsThinkingTokenBudget: that field is thinking_token_budget.
	SupportsThinkingTokenBudget bool `json:"supportsThinkingTokenBudget"`

	// OpenRouterRouting is sent as provider.
	OpenRouterRouting jsontext.Value `json:"openRouterRouting"`
	// VercelGatewayRouting is sent as providerOptions.gateway.
	VercelGatewayRouting jsontext.Value `json:"vercelGatewayRouting"`
	// ZaiToolStream: the request says tool_stream:true.
	ZaiToolStream bool `json:"zaiToolStream"`
	// VLLMPriority is sent as priority.
	VLLMPriority *int `json:"vllmPriority"`
	// CacheControlFormat is anthropic where parts of the request are marked with
	// cache_control.
	CacheControlFormat string `json:"cacheControlFormat"`
	// SendSessionAffinityHeaders: headers name the session, so that its requests reach
	// the same machine.
	SendSessionAffinityHeaders bool `json:"sendSessionAffinityHeaders"`
	// SessionAffinityFormat says which headers: openai (session_id, x-client-request-id,
	// x-session-affinity), openai-nosession (the same without session_id) or openrouter
	// (x-session-id).
	SessionAffinityFormat string `json:"sessionAffinityFormat"`
}

// CompatOf returns the switches for a model: those that its provider and base URL imply,
// and over them the model's own. An error means that the model's compat object does not
// have the right form.
func CompatOf(model *ai.Model) (Compat, error) {
	c := Compat{
		SupportsStore: true, SupportsDeveloperRole: true, SupportsReasoningEffort: true,
		SupportsUsageInStreaming: true, SupportsFinishReason: true, SupportsStrictMode: true,
		SupportsLongCacheRetention: true, MaxTokensField: "max_completion_tokens",
		ThinkingFormat: "openai", SessionAffinityFormat: "openai",
	}
	host := hostOf(model.BaseURL)
	for _, s := range servers {
		if s.matches(model.Provider, host) {
			s.adjust(&c, model)
			break
		}
	}
	if len(model.Compat) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(model.Compat, &c); err != nil {
		return c, fmt.Errorf("compat of model %s/%s: %w", model.Provider, model.ID, err)
	}
	return c, nil
}

func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// server is what is known about the servers of one maker.
type server struct {
	providers []string // ids; one that ends with * is a prefix
	hosts     []string // ends of host names
	adjust    func(c *Compat, m *ai.Model)
}

func (s server) matches(provider, host string) bool {
	byName := func(name string) bool {
		if prefix, ok := strings.CutSuffix(name, "*"); ok {
			return strings.HasPrefix(provider, prefix)
		}
		return provider == name
	}
	byHost := func(end string) bool { return host == end || strings.HasSuffix(host, "."+end) }
	return slices.ContainsFunc(s.providers, byName) || slices.ContainsFunc(s.hosts, byHost)
}

// plainServer takes away what only OpenAI's own server is known to accept.
func plainServer(c *Compat, _ *ai.Model) {
	c.SupportsStore, c.SupportsDeveloperRole = false, false
}

// basicServer is a plainServer with the older token limit and no levels of thinking.
func basicServer(c *Compat, m *ai.Model) {
	plainServer(c, m)
	c.MaxTokensField = "max_tokens"
	c.SupportsReasoningEffort, c.SupportsStrictMode, c.SupportsLongCacheRetention = false, false, false
}

// servers lists the makers; the first that matches counts. What stands here is from
// their documentation.
var servers = []server{
	{[]string{"openai"}, []string{"api.openai.com"}, func(c *Compat, _ *ai.Model) {
		c.SupportsMidConvoSystemMessages = true
	}},
	{[]string{"openrouter"}, []string{"openrouter.ai"}, func(c *Compat, m *ai.Model) {
		plainServer(c, m)
		c.ThinkingFormat, c.SessionAffinityFormat = "openrouter", "openrouter"
		if strings.HasPrefix(m.ID, "anthropic/") {
			c.CacheControlFormat = "anthropic"
		}
	}},
	{[]string{"deepseek"}, []string{"deepseek.com"}, func(c *Compat, m *ai.Model) {
		plainServer(c, m)
		c.ThinkingFormat, c.MaxTokensField = "deepseek", "max_tokens"
		c.RequiresReasoningContent = true
	}},
	{[]string{"zai*"}, []string{"z.ai", "bigmodel.cn"}, func(c *Compat, m *ai.Model) {
		basicServer(c, m)
		c.ThinkingFormat = "zai"
	}},
	{[]string{"together"}, []string{"together.ai", "together.xyz"}, func(c *Compat, m *ai.Model) {
		basicServer(c, m)
		c.ThinkingFormat = "together"
	}},
	{[]string{"baseten"}, []string{"baseten.co"}, func(c *Compat, m *ai.Model) {
		plainServer(c, m)
		c.ThinkingFormat = "baseten"
	}},
	{[]string{"qwen-token-plan*"}, []string{"aliyuncs.com"}, func(c *Compat, m *ai.Model) {
		basicServer(c, m)
		c.ThinkingFormat = "qwen"
	}},
	{[]string{"xiaomi*"}, []string{"xiaomimimo.com"}, func(c *Compat, m *ai.Model) {
		basicServer(c, m)
		c.ThinkingFormat, c.RequiresReasoningContent = "deepseek", true
	}},
	{[]string{"ant-ling"}, nil, func(c *Compat, m *ai.Model) {
		basicServer(c, m)
		c.ThinkingFormat = "ant-ling"
	}},
	{[]string{"xai"}, []string{"api.x.ai"}, func(c *Compat, m *ai.Model) {
		plainServer(c, m)
		c.SupportsReasoningEffort = false
	}},
	{[]string{"mistral"}, []string{"mistral.ai"}, func(c *Compat, m *ai.Model) {
		basicServer(c, m)
		c.RequiresThinkingAsText = true
	}},
	{[]string{"nvidia"}, []string{"integrate.api.nvidia.com"}, func(c *Compat, m *ai.Model) {
		basicServer(c, m)
		c.SupportsFinishReason = false
	}},
	{[]string{"moonshotai*", "cloudflare-*"}, []string{
		"moonshot.ai", "moonshot.cn", "cloudflare.com", "chutes.ai",
	}, basicServer},
	{[]string{"cerebras", "groq", "fireworks", "huggingface", "opencode*", "vercel-ai-gateway", "github-copilot", "minimax*"}, []string{
		"cerebras.ai", "groq.com", "fireworks.ai", "huggingface.co", "opencode.ai", "ai-gateway.vercel.sh", "githubcopilot.com",
	}, plainServer},
}
