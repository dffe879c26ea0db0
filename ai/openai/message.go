package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// message is a message of a request.
type message struct {
	Role       string     `json:"role"`
	Content    content    `json:"content"`
	Name       string     `json:"name,omitzero"`
	ToolCallID string     `json:"tool_call_id,omitzero"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`

	ReasoningContent *string          `json:"reasoning_content,omitzero"`
	Reasoning        *string          `json:"reasoning,omitzero"`
	ReasoningText    *string          `json:"reasoning_text,omitzero"`
	ReasoningDetails []jsontext.Value `json:"reasoning_details,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// content is a text, a list of parts, or null.
type content struct {
	text  string
	parts []part
	null  bool
}

type part struct {
	Type         string        `json:"type"`
	Text         string        `json:"text,omitzero"`
	ImageURL     *imageURL     `json:"image_url,omitzero"`
	CacheControl *cacheControl `json:"cache_control,omitzero"`
}

type imageURL struct {
	URL string `json:"url"`
}

// MarshalJSONTo writes a string, an array or null.
func (c content) MarshalJSONTo(e *jsontext.Encoder) error {
	switch {
	case c.null:
		return e.WriteToken(jsontext.Null)
	case c.parts != nil:
		return json.MarshalEncode(e, c.parts)
	}
	return e.WriteToken(jsontext.String(c.text))
}

// Texts that stand between messages where a server needs something there.
const (
	noteImageBelow  = "(the image is in the message below)"
	noteImagesAbove = "(images of the tool results above)"
	noteGoOn        = "(read the tool results)"
)

// maxCallID is the longest id of a call that OpenAI accepts.
const maxCallID = 40

// maxToolName is the longest name of a tool that the service accepts.
const maxToolName = 64

// messages converts the prompt and the transcript.
func (b *builder) messages(c ai.Context) []message {
	out := make([]message, 0, len(c.Messages)+1)
	if c.SystemPrompt != "" {
		out = append(out, b.instruction(c.SystemPrompt))
	}
	conv := converter{builder: b, out: out}
	for _, m := range ai.Transform(b.model, c.Messages, &ai.TransformOptions{CallID: callID, ToolName: wire.ToolName(maxToolName, "")}) {
		conv.add(m)
	}
	conv.flushImages()
	return conv.out
}

func (b *builder) instruction(text string) message {
	role := "system"
	if b.model.Reasoning && b.compat.SupportsDeveloperRole {
		role = "developer"
	}
	return message{Role: role, Content: content{text: text}}
}

// callID makes an id of another wire one that this wire accepts: the two ids of the
// Responses wire are joined, and what is too long ends with a hash of the whole.
func callID(id string, _ *ai.AssistantMessage) string {
	if strings.Contains(id, "|") {
		id = wire.PlainID(id)
	}
	if len(id) <= maxCallID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return strings.ToValidUTF8(id[:maxCallID-len(suffix)], "") + suffix
}

// converter turns messages into those of the wire.
type converter struct {
	*builder
	out    []message
	images []part // of the tool messages just written
}

func (c *converter) add(m ai.Message) {
	if _, ok := m.(*ai.ToolResultMessage); !ok {
		c.flushImages()
	}
	switch m := m.(type) {
	case *ai.UserMessage:
		c.user(userParts(m.Content))
	case *ai.AssistantMessage:
		c.assistant(m)
	case *ai.ToolResultMessage:
		c.result(m)
	case *ai.SystemMessage:
		c.out = append(c.out, c.instruction(m.Content))
	case *ai.UnknownMessage:
	}
}

// user adds a user message; some servers want an answer between it and tool messages.
func (c *converter) user(parts []part) {
	if n := len(c.out); n > 0 && c.out[n-1].Role == "tool" && c.compat.RequiresAssistantAfterToolResult {
		c.out = append(c.out, message{Role: "assistant", Content: content{text: noteGoOn}})
	}
	c.out = append(c.out, message{Role: "user", Content: content{parts: parts}})
}

func userParts(blocks ai.Content) []part {
	parts := make([]part, 0, len(blocks))
	for _, block := range blocks {
		switch b := block.(type) {
		case *ai.Text:
			parts = append(parts, textPart(b.Text))
		case *ai.Image:
			parts = append(parts, imagePart(b))
		default:
		}
	}
	return parts
}

func textPart(text string) part { return part{Type: "text", Text: text} }

func imagePart(image *ai.Image) part {
	return part{Type: "image_url", ImageURL: &imageURL{"data:" + image.MIMEType + ";base64," + image.Data}}
}

// result adds a tool message. Its images, which a tool message cannot hold, follow the
// last tool message in a user message.
func (c *converter) result(m *ai.ToolResultMessage) {
	var texts []string
	images := len(c.images)
	for _, block := range m.Content {
		switch b := block.(type) {
		case *ai.Text:
			texts = append(texts, b.Text)
		case *ai.Image:
			c.images = append(c.images, imagePart(b))
		default:
		}
	}
	if len(texts) == 0 && len(c.images) > images {
		texts = []string{noteImageBelow}
	}
	out := message{Role: "tool", ToolCallID: m.ToolCallID, Content: content{text: strings.Join(texts, "\n")}}
	if c.compat.RequiresToolResultName {
		out.Name = m.ToolName
	}
	c.out = append(c.out, out)
}

func (c *converter) flushImages() {
	if len(c.images) == 0 {
		return
	}
	parts := append([]part{textPart(noteImagesAbove)}, c.images...)
	c.images = nil
	c.user(parts)
}

// assistant adds an answer, unless there is nothing in it but thinking.
func (c *converter) assistant(m *ai.AssistantMessage) {
	a := answer{builder: c.builder}
	for _, block := range m.Content {
		switch b := block.(type) {
		case *ai.Text:
			a.texts = append(a.texts, b.Text)
		case *ai.Thinking:
			a.thinking(b)
		case *ai.ToolCall:
			a.call(b)
		default:
		}
	}
	if out, ok := a.message(); ok {
		c.out = append(c.out, out)
	}
}

// answer collects the parts of an assistant message.
type answer struct {
	*builder
	texts    []string
	thoughts []string // in plain text
	field    string   // in which the thoughts came
	details  []jsontext.Value
	calls    []toolCall
}

func (a *answer) thinking(b *ai.Thinking) {
	if b.Signature != "" && b.Signature[0] == '[' && json.Unmarshal([]byte(b.Signature), &a.details) == nil {
		if !a.compat.RequiresThinkingAsText {
			return
		}
		a.details = nil
	}
	if strings.TrimSpace(b.Thinking) == "" {
		return
	}
	a.thoughts = append(a.thoughts, b.Thinking)
	if a.field == "" {
		a.field = b.Signature
	}
}

func (a *answer) call(b *ai.ToolCall) {
	arguments := jsontext.Value("{}")
	if encoded, err := wire.Marshal(b.Arguments); err == nil && encoded.Kind() == '{' {
		arguments = encoded
	}
	a.calls = append(a.calls, toolCall{b.ID, "function", callFunction{b.Name, string(arguments)}})
	if detail := jsontext.Value(b.ThoughtSignature); detail.Kind() == '{' && detail.IsValid() {
		a.details = append(a.details, detail)
	}
}

// message returns the message; false if nothing is left of it.
func (a *answer) message() (message, bool) {
	m := message{Role: "assistant", ToolCalls: a.calls, ReasoningDetails: a.details}
	asText := a.compat.RequiresThinkingAsText && len(a.thoughts) > 0
	switch {
	case asText:
		m.Content.parts = append(m.Content.parts, textPart(strings.Join(a.thoughts, "\n\n")))
		if len(a.texts) > 0 {
			m.Content.parts = append(m.Content.parts, textPart(strings.Join(a.texts, "")))
		}
	case len(a.texts) > 0:
		m.Content.text = strings.Join(a.texts, "")
	case len(a.calls) == 0:
		return message{}, false
	default:
		m.Content.null = !a.compat.RequiresAssistantAfterToolResult
	}
	if !asText && len(a.details) == 0 {
		a.reason(&m)
	}
	if a.compat.RequiresReasoningContent && a.model.Reasoning && m.ReasoningContent == nil {
		m.ReasoningContent = new("")
	}
	return m, true
}

// reason sends thinking back in the field that it came in.
func (a *answer) reason(m *message) {
	if len(a.thoughts) == 0 {
		return
	}
	text := strings.Join(a.thoughts, "\n")
	switch a.field {
	case fieldReasoningContent:
		m.ReasoningContent = &text
	case fieldReasoning:
		m.Reasoning = &text
	case fieldReasoningText:
		m.ReasoningText = &text
	default:
		if a.compat.RequiresReasoningContent {
			m.ReasoningContent = &text
		}
	}
}
