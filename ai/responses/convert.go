package responses

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// The items of a request's input. A reasoning item is sent as the JSON that it came as.
type (
	instruction struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	userItem struct {
		Role    string `json:"role"`
		Content []part `json:"content"`
	}
	messageItem struct {
		Type    string       `json:"type"`
		ID      string       `json:"id"`
		Role    string       `json:"role"`
		Status  string       `json:"status"`
		Content []outputText `json:"content"`
		Phase   string       `json:"phase,omitzero"`
	}
	callItem struct {
		Type      string `json:"type"`
		ID        string `json:"id,omitzero"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	resultItem struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output any    `json:"output"` // a string or []part
	}
)

type outputText struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
}

// part is a piece of what a user or a tool says.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	ImageURL string `json:"image_url,omitzero"`
	Detail   string `json:"detail,omitzero"`
}

// maxToolName is the longest name of a tool that the service accepts.
const maxToolName = 64

// input converts the prompt and the conversation.
func (b *builder) input(c ai.Context) []any {
	conv := converter{builder: b, ids: newIDs()}
	if c.SystemPrompt != "" {
		conv.instruct(c.SystemPrompt)
	}
	messages := ai.Transform(b.model, c.Messages, &ai.TransformOptions{CallID: foreignCallID, ToolName: wire.ToolName(maxToolName, "")})
	for _, m := range messages {
		conv.ids.reserve(m)
	}
	for _, m := range messages {
		conv.add(m)
	}
	if conv.items == nil {
		conv.items = []any{}
	}
	return conv.items
}

// converter turns messages into items.
type converter struct {
	*builder
	ids      *ids
	items    []any
	reasoned map[string]bool // ids of the reasoning in items: the service takes each once
}

func (c *converter) instruct(text string) {
	role := "system"
	if c.model.Reasoning && c.compat.DeveloperRole {
		role = "developer"
	}
	c.items = append(c.items, instruction{role, text})
}

func (c *converter) add(m ai.Message) {
	switch m := m.(type) {
	case *ai.UserMessage:
		c.items = append(c.items, userItem{"user", parts(m.Content)})
	case *ai.AssistantMessage:
		c.answer(m)
	case *ai.ToolResultMessage:
		c.items = append(c.items, resultItem{"function_call_output", c.ids.answered(m.ToolCallID), output(m.Content)})
	case *ai.SystemMessage:
		c.instruct(m.Content)
	case *ai.UnknownMessage:
	}
}

// answer adds what the model said. Reasoning at the end of it has nothing that it led to,
// and the service refuses such an item. Where reasoning is left out, the ids of what it led
// to are left out, too: the service refuses an item that it knows without its reasoning.
func (c *converter) answer(m *ai.AssistantMessage) {
	led, orphaned := len(c.items), false
	for _, block := range m.Content {
		switch b := block.(type) {
		case *ai.Text:
			id, phase := c.ids.message(b.Signature)
			if orphaned {
				id, _ = c.ids.message("")
			}
			content := []outputText{{Type: "output_text", Text: b.Text}}
			c.items = append(c.items, messageItem{"message", id, "assistant", "completed", content, phase})
		case *ai.Thinking:
			item, sendable := c.reasoning(b)
			if sendable {
				c.items = append(c.items, item)
			}
			orphaned = orphaned || item != nil && !sendable
			continue
		case *ai.ToolCall:
			callID, itemID := c.ids.call(b.ID)
			if orphaned {
				itemID = ""
			}
			c.items = append(c.items, callItem{"function_call", itemID, callID, b.Name, arguments(b.Arguments)})
		default:
			continue
		}
		led = len(c.items)
	}
	c.items = c.items[:led]
}

// reasoning reads the signature of thinking; nil if it is none of this wire. It can be sent if
// the service can verify it: it keeps no reasoning that is not stored there, so that the item has
// to hold its encrypted content, and that belongs to the text that it came with.
func (c *converter) reasoning(b *ai.Thinking) (item jsontext.Value, sendable bool) {
	raw := jsontext.Value(b.Signature)
	if raw.Kind() != '{' {
		return nil, false
	}
	var o outputItem
	if json.Unmarshal(raw, &o, wire.Lax) != nil || o.Type != "reasoning" {
		return nil, false
	}
	if text := o.thinking(); text != "" && text != b.Thinking {
		return raw, false
	}
	if c.reasoned[string(o.ID)] || !c.stored() && !present(o.Encrypted) {
		return raw, false
	}
	if c.reasoned == nil {
		c.reasoned = make(map[string]bool)
	}
	c.reasoned[string(o.ID)] = o.ID != ""
	return raw, true
}

func arguments(raw jsontext.Value) string {
	encoded, err := wire.Marshal(raw)
	if err != nil || encoded.Kind() != '{' {
		return "{}"
	}
	return string(encoded)
}

// output converts what a tool gave: a plain string if it has no images.
func output(content ai.Content) any {
	all := parts(content)
	texts := make([]string, 0, len(all))
	for _, p := range all {
		if p.ImageURL != "" {
			return all
		}
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

func parts(content ai.Content) []part {
	out := make([]part, 0, len(content))
	for _, block := range content {
		switch b := block.(type) {
		case *ai.Text:
			out = append(out, part{Type: "input_text", Text: b.Text})
		case *ai.Image:
			url := fmt.Sprintf("data:%s;base64,%s", b.MIMEType, b.Data)
			out = append(out, part{Type: "input_image", Detail: "auto", ImageURL: url})
		default: // nothing else is left by ai.Transform
		}
	}
	return out
}
