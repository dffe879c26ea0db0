package bedrock

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// body is a request's body.
type body struct {
	Messages  []turn         `json:"messages"`
	System    []block        `json:"system,omitempty"`
	Inference inference      `json:"inferenceConfig,omitzero"`
	Tools     *toolConfig    `json:"toolConfig,omitzero"`
	Fields    jsontext.Value `json:"additionalModelRequestFields,omitzero"`
}

type inference struct {
	MaxTokens   int      `json:"maxTokens,omitzero"`
	Temperature *float64 `json:"temperature,omitzero"`
}

// turn is one message of the wire: of the user or of the assistant.
type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a content block; exactly one of its fields is set.
type block struct {
	Text       *string     `json:"text,omitzero"`
	Image      *image      `json:"image,omitzero"`
	Reasoning  *reasoning  `json:"reasoningContent,omitzero"`
	ToolUse    *toolUse    `json:"toolUse,omitzero"`
	ToolResult *toolResult `json:"toolResult,omitzero"`
	CachePoint *cachePoint `json:"cachePoint,omitzero"`
}

type image struct {
	Format string `json:"format"`
	Source struct {
		Bytes string `json:"bytes"`
	} `json:"source"`
}

type reasoning struct {
	Text     *reasoningText `json:"reasoningText,omitzero"`
	Redacted string         `json:"redactedContent,omitzero"`
}

type reasoningText struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitzero"`
}

type toolUse struct {
	ID    string         `json:"toolUseId"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"`
}

type toolResult struct {
	ID      string  `json:"toolUseId"`
	Content []block `json:"content"`
	Status  string  `json:"status"`
}

type cachePoint struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitzero"`
}

type toolConfig struct {
	Tools  []toolDecl  `json:"tools"`
	Choice *toolChoice `json:"toolChoice,omitzero"`
}

type toolChoice struct {
	Auto struct{} `json:"auto"`
}

type toolDecl struct {
	Spec toolSpec `json:"toolSpec"`
}

type toolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"` // the service refuses an empty one
	Schema      struct {
		JSON jsontext.Value `json:"json"`
	} `json:"inputSchema"`
}

// maxToolName is the longest name of a tool that the service accepts.
const maxToolName = 64

// builder makes one request.
type builder struct {
	req    *ai.Request
	model  *ai.Model
	family family
	cache  *cachePoint // nil: nothing is to be kept
}

func newBuilder(req *ai.Request) *builder {
	b := &builder{req: req, model: req.Model, family: familyOf(req)}
	if b.family.caches && req.Options.CacheRetention != "none" {
		b.cache = &cachePoint{Type: "default"}
		if req.Options.CacheRetention == "long" {
			b.cache.TTL = "1h"
		}
	}
	return b
}

// build returns the request's body as JSON. The wire takes instructions at the start only.
func (b *builder) build() (jsontext.Value, error) {
	c := ai.FoldAll(b.req.Context)
	c.Messages = ai.Transform(b.model, c.Messages, &ai.TransformOptions{CallID: wire.CallID, ToolName: wire.ToolName(maxToolName, "")})
	p := body{Messages: b.turns(c.Messages), Tools: b.tools(&c)}
	if strings.TrimSpace(c.SystemPrompt) != "" {
		p.System = b.cached([]block{textBlock(c.SystemPrompt)})
	}
	extra, maxTokens := b.think(ai.EstimateTokens(c))
	p.Inference = inference{maxTokens, b.req.Options.Temperature}
	if extra != nil && extra.Thinking != nil {
		p.Inference.Temperature = nil // no Claude takes one while it thinks
	}
	var err error
	if p.Fields, err = b.fields(extra); err != nil {
		return nil, err
	}
	return wire.Marshal(p)
}

// fields adds the sampling parameters, which are the model's own as well.
func (b *builder) fields(extra *fields) (jsontext.Value, error) {
	raw := jsontext.Value("{}")
	if extra != nil {
		var err error
		if raw, err = wire.Marshal(extra); err != nil {
			return nil, err
		}
	}
	for _, params := range []map[string]jsontext.Value{b.model.SamplingParams, b.req.Options.SamplingParams} {
		var err error
		if raw, err = wire.Override(raw, params); err != nil {
			return nil, err
		}
	}
	if string(raw) == "{}" {
		return nil, nil
	}
	return raw, nil
}

// tools declares the tools. A conversation in which some were called has to declare them,
// whatever may be called now; there is no choice of none, so that a request which must not
// call any does not see those that were never called.
func (b *builder) tools(c *ai.Context) *toolConfig {
	decls := c.Tools
	none := b.req.Options.ToolChoice == "none"
	if none || len(decls) == 0 {
		decls = called(c, decls)
	}
	if len(decls) == 0 {
		return nil
	}
	config := &toolConfig{Tools: make([]toolDecl, len(decls))}
	for i, d := range decls {
		spec := &config.Tools[i].Spec
		spec.Name, spec.Description, spec.Schema.JSON = d.Name, d.Description, d.Parameters
		if len(d.Parameters) == 0 {
			spec.Schema.JSON = jsontext.Value(`{"type":"object","properties":{}}`)
		}
	}
	if b.req.Options.ToolChoice == "auto" {
		config.Choice = &toolChoice{}
	}
	return config
}

// called returns declarations of the tools that the conversation has called, in the order of
// their first call; one that is not known any more is declared by its name.
func called(c *ai.Context, decls []ai.ToolDecl) []ai.ToolDecl {
	known := make(map[string]ai.ToolDecl)
	for _, d := range decls {
		known[d.Name] = d
	}
	var out []ai.ToolDecl
	seen := make(map[string]bool)
	for _, m := range c.Messages {
		answer, ok := m.(*ai.AssistantMessage)
		if !ok {
			continue
		}
		for _, call := range answer.Content.ToolCalls() {
			if seen[call.Name] {
				continue
			}
			seen[call.Name] = true
			d, ok := known[call.Name]
			if !ok {
				d = ai.ToolDecl{Name: call.Name, Description: "A tool of an earlier part of this conversation."}
			}
			out = append(out, d)
		}
	}
	return out
}

// cached puts the cache mark behind blocks.
func (b *builder) cached(blocks []block) []block {
	if b.cache == nil {
		return blocks
	}
	return append(blocks, block{CachePoint: b.cache})
}

// turns converts the messages. The service insists that turns alternate, so that what
// follows one another of the same role is one turn.
func (b *builder) turns(messages []ai.Message) []turn {
	turns := make([]turn, 0, len(messages))
	add := func(role string, content []block) {
		switch n := len(turns); {
		case len(content) == 0:
		case n > 0 && turns[n-1].Role == role:
			turns[n-1].Content = append(turns[n-1].Content, content...)
		default:
			turns = append(turns, turn{role, content})
		}
	}
	var beside []block // images of the failed results before
	for _, m := range messages {
		if m.Role() != ai.RoleToolResult {
			add("user", beside)
			beside = nil
		}
		switch m := m.(type) {
		case *ai.UserMessage:
			add("user", parts(m.Content))
		case *ai.AssistantMessage:
			add("assistant", b.answer(m))
		case *ai.ToolResultMessage:
			r, images := result(m)
			add("user", []block{r})
			beside = append(beside, images...)
		case *ai.SystemMessage, *ai.UnknownMessage:
		}
	}
	add("user", beside)
	if n := len(turns); n > 0 && turns[n-1].Role == "user" {
		turns[n-1].Content = b.cached(turns[n-1].Content)
	}
	return turns
}

// parts converts texts and images.
func parts(content ai.Content) []block {
	blocks := make([]block, 0, len(content))
	for _, c := range content {
		switch c := c.(type) {
		case *ai.Text:
			blocks = append(blocks, textBlock(c.Text))
		case *ai.Image:
			img := &image{Format: strings.TrimPrefix(strings.Replace(c.MIMEType, "jpg", "jpeg", 1), "image/")}
			img.Source.Bytes = c.Data
			blocks = append(blocks, block{Image: img})
		default:
		}
	}
	return blocks
}

// answer converts what the model itself said, in its order.
func (b *builder) answer(m *ai.AssistantMessage) []block {
	blocks := make([]block, 0, len(m.Content))
	for _, c := range m.Content {
		switch c := c.(type) {
		case *ai.Text:
			if strings.TrimSpace(c.Text) != "" {
				blocks = append(blocks, textBlock(c.Text))
			}
		case *ai.Thinking:
			if t, ok := b.thought(c); ok {
				blocks = append(blocks, t)
			}
		case *ai.ToolCall:
			blocks = append(blocks, block{ToolUse: &toolUse{c.ID, c.Name, input(c.Arguments)}})
		default:
		}
	}
	return blocks
}

// thought converts thinking of this very model. Claude takes it unsigned only as text; the
// other families take no signature (Pi 0.85).
func (b *builder) thought(t *ai.Thinking) (block, bool) {
	switch {
	case t.Redacted:
		_, err := base64.StdEncoding.DecodeString(t.Signature)
		return block{Reasoning: &reasoning{Redacted: t.Signature}}, t.Signature != "" && err == nil
	case strings.TrimSpace(t.Thinking) == "":
		return block{}, false
	case !b.family.claude:
		return block{Reasoning: &reasoning{Text: &reasoningText{Text: t.Thinking}}}, true
	case t.Signature != "":
		return block{Reasoning: &reasoning{Text: &reasoningText{t.Thinking, t.Signature}}}, true
	}
	return textBlock(t.Thinking), true
}

// result converts a result. Claude takes only text in a failed one: images of it go beside it,
// behind all results of the turn.
func result(m *ai.ToolResultMessage) (b block, beside []block) {
	r := &toolResult{ID: m.ToolCallID, Content: parts(m.Content), Status: "success"}
	b.ToolResult = r
	if !m.IsError {
		return b, nil
	}
	r.Status = "error"
	texts := make([]block, 0, len(r.Content))
	for _, p := range r.Content {
		if p.Image != nil {
			beside = append(beside, p)
		} else {
			texts = append(texts, p)
		}
	}
	if len(beside) == 0 {
		return b, nil
	}
	if len(texts) == 0 {
		texts = append(texts, textBlock("(the result is the image below)"))
	}
	r.Content = texts
	return b, append([]block{textBlock("(of the failed result of " + m.ToolName + ")")}, beside...)
}

// input returns a call's arguments as an object without members that have no name, which
// the service refuses at any depth.
func input(arguments jsontext.Value) jsontext.Value {
	if arguments.Kind() != '{' {
		return jsontext.Value("{}")
	}
	if !bytes.Contains(arguments, []byte(`""`)) {
		return arguments
	}
	var out bytes.Buffer
	d := jsontext.NewDecoder(bytes.NewReader(arguments), wire.Lax)
	e := jsontext.NewEncoder(&out, wire.Lax)
	if err := copyNamed(e, d); err != nil {
		return arguments
	}
	return bytes.TrimSpace(out.Bytes())
}

// copyNamed copies a value without the members that have no name.
func copyNamed(e *jsontext.Encoder, d *jsontext.Decoder) error {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		return e.WriteValue(value)
	}
	if err := copyToken(e, d); err != nil {
		return err
	}
	for next := d.PeekKind(); next != '}' && next != ']'; next = d.PeekKind() {
		if kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			if name.String() == "" {
				if err := d.SkipValue(); err != nil {
					return err
				}
				continue
			}
			if err := e.WriteToken(name); err != nil {
				return err
			}
		}
		if err := copyNamed(e, d); err != nil {
			return err
		}
	}
	return copyToken(e, d)
}

func copyToken(e *jsontext.Encoder, d *jsontext.Decoder) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	return e.WriteToken(token)
}

func textBlock(text string) block { return block{Text: &text} }
