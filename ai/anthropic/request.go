package anthropic

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// defaultMaxTokens bounds the answer of a model whose record has no limit; the service
// insists on one.
const defaultMaxTokens = 16384

// maxToolName is the longest name of a tool that the service accepts.
const maxToolName = 128

// payload is the body of a request.
type payload struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	Stream       bool          `json:"stream"`
	System       []block       `json:"system,omitempty"`
	Messages     []turn        `json:"messages"`
	Tools        []toolDecl    `json:"tools,omitempty"`
	ToolChoice   *typed        `json:"tool_choice,omitzero"`
	Thinking     *thinkingWire `json:"thinking,omitzero"`
	OutputConfig *outputConfig `json:"output_config,omitzero"`
	Temperature  *float64      `json:"temperature,omitzero"`
	Metadata     *metadata     `json:"metadata,omitzero"`
}

type typed struct {
	Type string `json:"type"`
}

type thinkingWire struct {
	Type         string `json:"type"`
	BudgetTokens int    `json:"budget_tokens,omitzero"`
	Display      string `json:"display,omitzero"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type metadata struct {
	UserID string `json:"user_id"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitzero"`
}

type toolDecl struct {
	Name           string         `json:"name"`
	Description    string         `json:"description"`
	InputSchema    jsontext.Value `json:"input_schema"`
	EagerStreaming bool           `json:"eager_input_streaming,omitzero"`
	CacheControl   *cacheControl  `json:"cache_control,omitzero"`
}

// turn is one message of the wire: of the user or of the assistant.
type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a content block of any type; the fields that its type does not have are left
// out.
type block struct {
	Type         string         `json:"type"`
	Text         string         `json:"text,omitzero"`
	Thinking     *string        `json:"thinking,omitzero"`
	Signature    *string        `json:"signature,omitzero"`
	Data         string         `json:"data,omitzero"`
	Source       *imageSource   `json:"source,omitzero"`
	ID           string         `json:"id,omitzero"`
	Name         string         `json:"name,omitzero"`
	Input        jsontext.Value `json:"input,omitzero"`
	ToolUseID    string         `json:"tool_use_id,omitzero"`
	Content      any            `json:"content,omitzero"` // of a tool result: a string or blocks
	IsError      *bool          `json:"is_error,omitzero"`
	CacheControl *cacheControl  `json:"cache_control,omitzero"`
}

type imageSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// builder makes one request.
type builder struct {
	req      *ai.Request
	context  ai.Context // what of the request's the model can be shown
	compat   compat
	thinking thinking
	cache    *cacheControl // nil: no cache marks
}

func newBuilder(req *ai.Request) (*builder, error) {
	c, err := compatOf(req.Model)
	if err != nil {
		return nil, err
	}
	b := &builder{req: req, compat: c, context: ai.FoldAll(req.Context)}
	b.context.Messages = ai.Transform(req.Model, b.context.Messages, &ai.TransformOptions{CallID: wire.CallID, ToolName: wire.ToolName(maxToolName, "")})
	b.thinking = think(req.Model, &req.Options, c.Adaptive, ai.EstimateTokens(b.context))
	if req.Options.CacheRetention != "none" {
		b.cache = &cacheControl{Type: "ephemeral"}
		if req.Options.CacheRetention == "long" && c.LongCache {
			b.cache.TTL = "1h"
		}
	}
	return b, nil
}

// payload makes the body.
func (b *builder) payload() (any, error) {
	opts := &b.req.Options
	p := payload{
		Model:     b.req.Model.ID,
		MaxTokens: b.thinking.maxTokens,
		Stream:    true,
		Messages:  b.turns(),
		Tools:     b.tools(),
	}
	if p.MaxTokens <= 0 {
		p.MaxTokens = defaultMaxTokens
	}
	if system := b.context.SystemPrompt; !blank(system) {
		p.System = []block{{Type: "text", Text: system, CacheControl: b.cache}}
	}
	if opts.ToolChoice != "" && opts.ToolChoice != "auto" && len(p.Tools) > 0 {
		p.ToolChoice = &typed{opts.ToolChoice}
	}
	if id := opts.Metadata["user_id"]; id != "" {
		p.Metadata = &metadata{id}
	}
	b.setThinking(&p)
	params := maps.Clone(b.req.Model.SamplingParams)
	if params == nil {
		params = opts.SamplingParams
	} else {
		maps.Copy(params, opts.SamplingParams)
	}
	if len(params) == 0 {
		return p, nil
	}
	raw, err := wire.Marshal(p)
	if err != nil {
		return nil, err
	}
	return wire.Override(raw, params)
}

// setThinking says how to think. The service accepts no temperature with it.
func (b *builder) setThinking(p *payload) {
	switch t := b.thinking; {
	case t.budget > 0:
		p.Thinking = &thinkingWire{Type: "enabled", BudgetTokens: t.budget, Display: "summarized"}
		return
	case t.effort != "":
		p.Thinking = &thinkingWire{Type: "adaptive", Display: "summarized"}
		p.OutputConfig = &outputConfig{t.effort}
		return
	case t.disabled:
		p.Thinking = &thinkingWire{Type: "disabled"}
	}
	if b.compat.Temperature {
		p.Temperature = b.req.Options.Temperature
	}
}

// tools declares the tools; the last one carries the cache mark for all.
func (b *builder) tools() []toolDecl {
	decls := make([]toolDecl, len(b.context.Tools))
	for i, tool := range b.context.Tools {
		decls[i] = toolDecl{
			Name:           tool.Name,
			Description:    tool.Description,
			InputSchema:    inputSchema(tool.Parameters),
			EagerStreaming: b.compat.EagerToolInput,
		}
	}
	if n := len(decls); n > 0 && b.compat.CacheOnTools {
		decls[n-1].CacheControl = b.cache
	}
	return decls
}

// objectSchema is what the service reads of a tool's schema (Pi 0.85), and the
// definitions that the properties may refer to.
type objectSchema struct {
	Type        string         `json:"type"`
	Properties  jsontext.Value `json:"properties"`
	Required    jsontext.Value `json:"required"`
	Defs        jsontext.Value `json:"$defs,omitzero"`
	Definitions jsontext.Value `json:"definitions,omitzero"`
}

// inputSchema cuts a schema to what the service reads. What is no object schema is as
// good as none: the model then sends {}.
func inputSchema(parameters jsontext.Value) jsontext.Value {
	var parts map[string]jsontext.Value
	if len(parameters) > 0 {
		_ = json.Unmarshal(parameters, &parts, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	}
	s := objectSchema{
		Type:        "object",
		Properties:  jsontext.Value("{}"),
		Required:    jsontext.Value("[]"),
		Defs:        parts["$defs"],
		Definitions: parts["definitions"],
	}
	if p := parts["properties"]; p.Kind() == '{' {
		s.Properties = p
	}
	if r := parts["required"]; r.Kind() == '[' {
		s.Required = r
	}
	raw, err := wire.Marshal(s)
	if err != nil {
		return jsontext.Value(`{"type":"object","properties":{},"required":[]}`)
	}
	return raw
}

// markLastUser puts the cache mark on the last block of the last user turn, so that the
// next request finds all of this one in the cache.
func (b *builder) markLastUser(turns []turn) {
	if b.cache == nil {
		return
	}
	for _, t := range slices.Backward(turns) {
		if t.Role == "user" {
			t.Content[len(t.Content)-1].CacheControl = b.cache
			return
		}
	}
}
