package google

import (
	"maps"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// body is a request's body.
type body struct {
	Contents          []turn         `json:"contents"`
	SystemInstruction *turn          `json:"systemInstruction,omitzero"`
	Tools             []toolGroup    `json:"tools,omitempty"`
	ToolConfig        *toolConfig    `json:"toolConfig,omitzero"`
	GenerationConfig  jsontext.Value `json:"generationConfig,omitzero"`
}

type generationConfig struct {
	MaxOutputTokens int             `json:"maxOutputTokens,omitzero"`
	Temperature     *float64        `json:"temperature,omitzero"`
	ThinkingConfig  *thinkingConfig `json:"thinkingConfig,omitzero"`
}

type toolGroup struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

type declaration struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parametersJsonSchema"`
}

type toolConfig struct {
	FunctionCallingConfig callingConfig `json:"functionCallingConfig"`
}

type callingConfig struct {
	Mode string `json:"mode"`
}

// builder makes one request.
type builder struct {
	req    *ai.Request
	model  *ai.Model
	family family
	compat compat
}

func newBuilder(req *ai.Request) (*builder, error) {
	c, err := compatOf(req.Model)
	if err != nil {
		return nil, err
	}
	return &builder{req: req, model: req.Model, family: familyOf(req.Model.ID), compat: c}, nil
}

// build returns the request's body as JSON. The wire takes instructions at the start only.
func (b *builder) build() (jsontext.Value, error) {
	c := ai.FoldAll(b.req.Context)
	p := body{Contents: b.turns(c.Messages)}
	if strings.TrimSpace(c.SystemPrompt) != "" {
		p.SystemInstruction = &turn{"user", []part{{Text: &c.SystemPrompt}}}
	}
	if len(c.Tools) > 0 {
		p.Tools = []toolGroup{{declarations(c.Tools)}}
		if b.req.Options.ToolChoice == "none" {
			p.ToolConfig = &toolConfig{callingConfig{"NONE"}}
		}
	}
	var err error
	if p.GenerationConfig, err = b.generation(c); err != nil {
		return nil, err
	}
	return wire.Marshal(p)
}

// generation returns the settings of the answer; nil if there are none.
func (b *builder) generation(c ai.Context) (jsontext.Value, error) {
	raw, err := wire.Marshal(generationConfig{
		MaxOutputTokens: ai.ClampMaxTokens(b.model, b.req.Options.MaxTokens, ai.EstimateTokens(c)),
		Temperature:     b.req.Options.Temperature,
		ThinkingConfig:  b.think(),
	})
	if err != nil {
		return nil, err
	}
	params := maps.Clone(b.model.SamplingParams)
	if params == nil {
		params = make(map[string]jsontext.Value)
	}
	maps.Copy(params, b.req.Options.SamplingParams)
	if raw, err = wire.Override(raw, params); err != nil || string(raw) == "{}" {
		return nil, err
	}
	return raw, nil
}

func declarations(tools []ai.ToolDecl) []declaration {
	out := make([]declaration, len(tools))
	for i, t := range tools {
		out[i] = declaration{t.Name, t.Description, schema(t.Parameters)}
	}
	return out
}
