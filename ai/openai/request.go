package openai

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// body is a request's body.
type body struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitzero"`
	Store               *bool          `json:"store,omitzero"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitzero"`
	MaxTokens           int            `json:"max_tokens,omitzero"`
	Temperature         *float64       `json:"temperature,omitzero"`
	Tools               []tool         `json:"tools,omitempty"`
	ToolChoice          string         `json:"tool_choice,omitzero"`
	ToolStream          bool           `json:"tool_stream,omitzero"`

	thinkingFields

	PromptCacheKey       string           `json:"prompt_cache_key,omitzero"`
	PromptCacheRetention string           `json:"prompt_cache_retention,omitzero"`
	Provider             jsontext.Value   `json:"provider,omitzero"`
	ProviderOptions      *providerOptions `json:"providerOptions,omitzero"`
	Priority             *int             `json:"priority,omitzero"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type providerOptions struct {
	Gateway jsontext.Value `json:"gateway"`
}

type tool struct {
	Type         string        `json:"type"`
	Function     toolFunction  `json:"function"`
	CacheControl *cacheControl `json:"cache_control,omitzero"`
}

type toolFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters"`
	Strict      *bool          `json:"strict,omitzero"`
}

// builder makes the body of one request.
type builder struct {
	req    *ai.Request
	model  *ai.Model
	compat Compat
}

// build returns the request's body as JSON.
func (b *builder) build() (jsontext.Value, error) {
	fold := ai.FoldAll
	if b.compat.SupportsMidConvoSystemMessages {
		fold = ai.Fold
	}
	c := fold(b.req.Context)
	maxTokens := ai.ClampMaxTokens(b.model, b.req.Options.MaxTokens, ai.EstimateTokens(c))
	r := &body{
		Model:       b.model.ID,
		Messages:    b.messages(c),
		Stream:      true,
		Temperature: b.req.Options.Temperature,
		Tools:       b.tools(c.Tools),
		Priority:    b.compat.VLLMPriority,
	}
	if b.compat.SupportsUsageInStreaming {
		r.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if b.compat.SupportsStore {
		r.Store = new(false)
	}
	if b.compat.MaxTokensField == "max_tokens" {
		r.MaxTokens = maxTokens
	} else {
		r.MaxCompletionTokens = maxTokens
	}
	if len(r.Tools) > 0 {
		r.ToolChoice, r.ToolStream = b.req.Options.ToolChoice, b.compat.ZaiToolStream
	}
	if hasMembers(b.compat.OpenRouterRouting) {
		r.Provider = b.compat.OpenRouterRouting
	}
	if hasMembers(b.compat.VercelGatewayRouting) {
		r.ProviderOptions = &providerOptions{b.compat.VercelGatewayRouting}
	}
	late := make(map[string]jsontext.Value)
	b.think(r, maxTokens, late)
	b.cache(r)
	raw, err := wire.Marshal(r)
	if err != nil {
		return nil, err
	}
	maps.Copy(late, b.model.SamplingParams)
	maps.Copy(late, b.req.Options.SamplingParams)
	return wire.Override(raw, late)
}

func (b *builder) tools(decls []ai.ToolDecl) []tool {
	tools := make([]tool, len(decls))
	for i, d := range decls {
		f := toolFunction{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
		if len(f.Parameters) == 0 {
			f.Parameters = jsontext.Value(`{"type":"object","properties":{}}`)
		}
		if b.compat.SupportsStrictMode {
			f.Strict = new(false)
		}
		tools[i] = tool{Type: "function", Function: f}
	}
	return tools
}

func hasMembers(object jsontext.Value) bool {
	return object.Kind() == '{' && len(object) > len("{}")
}
