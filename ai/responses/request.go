package responses

import (
	"cmp"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// minOutputTokens is the least limit that the service accepts.
const minOutputTokens = 16

// Retentions of Options.CacheRetention.
const (
	cacheNone = "none"
	cacheLong = "long"
)

// body is a request's body.
type body struct {
	Model                string     `json:"model"`
	Input                []any      `json:"input"`
	Stream               bool       `json:"stream"`
	Store                bool       `json:"store"`
	MaxOutputTokens      int        `json:"max_output_tokens,omitzero"`
	Temperature          *float64   `json:"temperature,omitzero"`
	Tools                []tool     `json:"tools,omitempty"`
	ToolChoice           string     `json:"tool_choice,omitzero"`
	Reasoning            *reasoning `json:"reasoning,omitzero"`
	Include              []string   `json:"include,omitempty"`
	PromptCacheKey       string     `json:"prompt_cache_key,omitzero"`
	PromptCacheRetention string     `json:"prompt_cache_retention,omitzero"`

	PromptCacheOptions *cacheOptions `json:"prompt_cache_options,omitzero"`

	// Of Codex alone.
	Instructions      string      `json:"instructions,omitzero"`
	Text              *textConfig `json:"text,omitzero"`
	ParallelToolCalls bool        `json:"parallel_tool_calls,omitzero"`
}

// cacheOptions say what is to be kept; in explicit mode it is nothing that is not marked.
type cacheOptions struct {
	Mode string `json:"mode"`
}

type textConfig struct {
	Verbosity string `json:"verbosity"`
}

// includeReasoning asks for the reasoning in encrypted form.
const includeReasoning = "reasoning.encrypted_content"

type tool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters"`
	Strict      jsontext.Value `json:"strict,omitzero"`
}

type reasoning struct {
	Effort  string `json:"effort"`
	Summary string `json:"summary,omitzero"`
}

// builder makes one request.
type builder struct {
	req        *ai.Request
	model      *ai.Model
	compat     compat
	deployment string // by which the model is known at the service; empty means its id
	codex      bool
}

func newBuilder(req *ai.Request) (*builder, error) {
	c, err := compatOf(req.Model)
	if err != nil {
		return nil, err
	}
	return &builder{req: req, model: req.Model, compat: c}, nil
}

// build returns the request's body as JSON.
func (b *builder) build() (jsontext.Value, error) {
	fold := ai.FoldAll
	if b.compat.MidConvo {
		fold = ai.Fold
	}
	c := fold(b.req.Context)
	estimate, prompt := ai.EstimateTokens(c), c.SystemPrompt
	if b.codex {
		c.SystemPrompt = ""
	}
	p := &body{
		Model:           cmp.Or(b.deployment, b.model.ID),
		Input:           b.input(c),
		Stream:          true,
		MaxOutputTokens: ai.ClampMaxTokens(b.model, b.req.Options.MaxTokens, estimate),
		Temperature:     b.req.Options.Temperature,
		Tools:           tools(c.Tools),
		PromptCacheKey:  b.cacheKey(),
	}
	switch {
	case !b.compat.MaxOutput:
		p.MaxOutputTokens = 0
	case p.MaxOutputTokens > 0:
		p.MaxOutputTokens = max(p.MaxOutputTokens, minOutputTokens)
	}
	if len(p.Tools) > 0 {
		p.ToolChoice = b.req.Options.ToolChoice
	}
	switch retention := b.req.Options.CacheRetention; {
	case retention == cacheLong && b.compat.LongCache:
		p.PromptCacheRetention = "24h"
	case retention == cacheNone && b.compat.ExplicitCache:
		p.PromptCacheOptions = &cacheOptions{Mode: "explicit"}
	}
	b.think(p)
	if b.codex {
		b.forCodex(p, prompt)
	}
	raw, err := wire.Marshal(p)
	if err != nil {
		return nil, err
	}
	return wire.Override(raw, b.samplingParams())
}

// samplingParams merges those of the model and, over them, of the request.
func (b *builder) samplingParams() map[string]jsontext.Value {
	if len(b.model.SamplingParams) == 0 {
		return b.req.Options.SamplingParams
	}
	params := maps.Clone(b.model.SamplingParams)
	maps.Copy(params, b.req.Options.SamplingParams)
	return params
}

// tier returns the service tier that is asked for; empty if none is.
func (b *builder) tier() string {
	var tier string
	if raw, ok := b.samplingParams()["service_tier"]; ok && json.Unmarshal(raw, &tier) != nil {
		return ""
	}
	return tier
}

// stored reports whether the service is asked to keep the answers, and so knows their items.
func (b *builder) stored() bool { return string(b.samplingParams()["store"]) == "true" }

// cacheKey returns what groups the requests of a session in the prompt cache.
func (b *builder) cacheKey() string {
	key := b.req.Options.SessionID
	if b.req.Options.CacheRetention == cacheNone {
		return ""
	}
	return wire.CacheKey(key)
}

// think sets how much the model reasons. Off has a word of its own, since a model reasons
// unless it is told not to.
func (b *builder) think(p *body) {
	if !b.model.Reasoning {
		return
	}
	level := b.model.ClampThinking(b.req.Options.Thinking)
	effort := string(level)
	if word := b.model.ThinkingLevelMap[level]; word != nil {
		effort = *word
	} else if level == ai.ThinkingOff {
		effort = "none"
	}
	switch {
	case level != ai.ThinkingOff:
		p.Reasoning = &reasoning{Effort: effort, Summary: "auto"}
		p.Include = []string{includeReasoning}
	case b.model.Supports(ai.ThinkingOff):
		p.Reasoning = &reasoning{Effort: effort}
	}
}

func tools(decls []ai.ToolDecl) []tool {
	out := make([]tool, len(decls))
	for i, d := range decls {
		out[i] = tool{Type: "function", Name: d.Name, Description: d.Description, Parameters: d.Parameters}
		if len(d.Parameters) == 0 {
			out[i].Parameters = jsontext.Value(`{"type":"object","properties":{}}`)
		}
	}
	return out
}
