package mistral

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// body is a request's body.
type body struct {
	Model           string    `json:"model"`
	Messages        []message `json:"messages"`
	Stream          bool      `json:"stream"`
	Tools           []tool    `json:"tools,omitempty"`
	ToolChoice      string    `json:"tool_choice,omitzero"`
	Temperature     *float64  `json:"temperature,omitzero"`
	MaxTokens       int       `json:"max_tokens,omitzero"`
	PromptMode      string    `json:"prompt_mode,omitzero"`
	ReasoningEffort string    `json:"reasoning_effort,omitzero"`
	PromptCacheKey  string    `json:"prompt_cache_key,omitzero"`
}

type message struct {
	Role       string `json:"role"`
	Name       string `json:"name,omitzero"`
	Content    any    `json:"content,omitzero"` // a string or []part
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitzero"`
}

// part is a piece of content; the fields that its type does not have are left out.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	Thinking []part `json:"thinking,omitempty"`
	ImageURL string `json:"image_url,omitzero"`
}

type call struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters"`
	Strict      bool           `json:"strict"`
}

// maxToolName is the longest name of a tool that the service accepts.
const maxToolName = 64

// builder makes one request.
type builder struct {
	req   *ai.Request
	model *ai.Model
}

// build returns the request's body as JSON. The wire takes instructions at the start only.
func (b *builder) build() (jsontext.Value, error) {
	c := ai.FoldAll(b.req.Context)
	opts := &b.req.Options
	p := body{
		Model: b.model.ID, Stream: true,
		Messages:    b.messages(c),
		Tools:       tools(c.Tools),
		Temperature: opts.Temperature,
		MaxTokens:   ai.ClampMaxTokens(b.model, opts.MaxTokens, ai.EstimateTokens(c)),
	}
	if len(p.Tools) > 0 {
		p.ToolChoice = opts.ToolChoice
	}
	if b.keeps() {
		p.PromptCacheKey = wire.CacheKey(opts.SessionID)
	}
	b.think(&p)
	raw, err := wire.Marshal(p)
	if err != nil {
		return nil, err
	}
	params := maps.Clone(b.model.SamplingParams)
	if params == nil {
		params = opts.SamplingParams
	} else {
		maps.Copy(params, opts.SamplingParams)
	}
	return wire.Override(raw, params)
}

// byEffort are the models that take reasoning_effort (Pi 0.85); it has two steps, none and
// high. The others that reason have a mode for it.
var byEffort = []string{"mistral-small-latest", "mistral-small-2603", "mistral-medium-3.5"}

// think tells the model to reason.
func (b *builder) think(p *body) {
	level := b.model.ClampThinking(b.req.Options.Thinking)
	if !b.model.Reasoning || b.req.Options.Thinking == "" || level == ai.ThinkingOff {
		return
	}
	if !slices.Contains(byEffort, b.model.ID) {
		p.PromptMode = "reasoning"
		return
	}
	p.ReasoningEffort = "high"
	if word := b.model.ThinkingLevelMap[level]; word != nil && *word != "" {
		p.ReasoningEffort = *word
	}
}

func tools(decls []ai.ToolDecl) []tool {
	out := make([]tool, len(decls))
	for i, d := range decls {
		f := toolFunction{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
		if len(f.Parameters) == 0 {
			f.Parameters = jsontext.Value(`{"type":"object","properties":{}}`)
		}
		out[i] = tool{"function", f}
	}
	return out
}

// messages converts the prompt and the conversation.
func (b *builder) messages(c ai.Context) []message {
	out := make([]message, 0, len(c.Messages)+1)
	if strings.TrimSpace(c.SystemPrompt) != "" {
		out = append(out, message{Role: "system", Content: c.SystemPrompt})
	}
	for _, m := range ai.Transform(b.model, c.Messages, &ai.TransformOptions{CallID: callID, ToolName: wire.ToolName(maxToolName, "")}) {
		switch m := m.(type) {
		case *ai.UserMessage:
			out = append(out, message{Role: "user", Content: plain(parts(m.Content))})
		case *ai.AssistantMessage:
			if converted, ok := answer(m); ok {
				out = append(out, converted)
			}
		case *ai.ToolResultMessage:
			out = append(out, message{Role: "tool", Name: m.ToolName, ToolCallID: m.ToolCallID, Content: result(m)})
		case *ai.SystemMessage, *ai.UnknownMessage:
		}
	}
	return out
}

// plain returns a single text as a string.
func plain(list []part) any {
	if len(list) == 1 && list[0].Type == "text" {
		return list[0].Text
	}
	return list
}

// parts converts texts and images.
func parts(content ai.Content) []part {
	out := make([]part, 0, len(content))
	for _, block := range content {
		switch b := block.(type) {
		case *ai.Text:
			out = append(out, textPart(b.Text))
		case *ai.Image:
			out = append(out, part{Type: "image_url", ImageURL: fmt.Sprintf("data:%s;base64,%s", b.MIMEType, b.Data)})
		default:
		}
	}
	return out
}

func textPart(text string) part { return part{Type: "text", Text: text} }

// answer converts what the model itself said; false if nothing of it is left.
func answer(m *ai.AssistantMessage) (message, bool) {
	out := message{Role: "assistant"}
	var content []part
	for _, block := range m.Content {
		switch b := block.(type) {
		case *ai.Text:
			if strings.TrimSpace(b.Text) != "" {
				content = append(content, textPart(b.Text))
			}
		case *ai.Thinking:
			if strings.TrimSpace(b.Thinking) != "" && !b.Redacted {
				content = append(content, part{Type: "thinking", Thinking: []part{textPart(b.Thinking)}})
			}
		case *ai.ToolCall:
			out.ToolCalls = append(out.ToolCalls, call{b.ID, "function", callFunction{b.Name, arguments(b.Arguments)}})
		default:
		}
	}
	if content != nil {
		out.Content = content
	}
	return out, content != nil || out.ToolCalls != nil
}

func arguments(raw jsontext.Value) string {
	encoded, err := wire.Marshal(raw)
	if err != nil || encoded.Kind() != '{' {
		return "{}"
	}
	return string(encoded)
}

// Texts of results, since the wire has no fields for what they say.
const (
	failedMark  = "[the tool failed] "
	imageFollow = "(the result is the image below)"
)

// result converts what a tool gave.
func result(m *ai.ToolResultMessage) []part {
	list := parts(m.Content)
	at := slices.IndexFunc(list, func(p part) bool { return p.Type == "text" })
	if at < 0 {
		list, at = slices.Insert(list, 0, textPart(imageFollow)), 0
	}
	if m.IsError {
		list[at].Text = failedMark + list[at].Text
	}
	return list
}
