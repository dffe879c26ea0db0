package anthropic

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// imageFollow is the text of a tool result that has only images (Pi 0.85 sends one, too).
const imageFollow = "(the result is the image below)"

// turns converts the messages.
func (b *builder) turns() []turn {
	messages := b.context.Messages
	turns := make([]turn, 0, len(messages))
	add := func(role string, content []block) {
		if len(content) > 0 {
			turns = append(turns, turn{role, content})
		}
	}
	for i := 0; i < len(messages); i++ {
		switch m := messages[i].(type) {
		case *ai.UserMessage:
			add("user", parts(m.Content))
		case *ai.AssistantMessage:
			add("assistant", b.answer(m))
		case *ai.ToolResultMessage:
			// The results of one answer belong into one turn, before all else.
			var results, images []block
			n := i
			for ; n < len(messages) && messages[n].Role() == ai.RoleToolResult; n++ {
				result, beside := toolResult(messages[n].(*ai.ToolResultMessage))
				results, images = append(results, result), append(images, beside...)
			}
			i = n - 1
			add("user", append(results, images...))
		case *ai.SystemMessage, *ai.UnknownMessage:
		}
	}
	b.markLastUser(turns)
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
			blocks = append(blocks, block{
				Type:   "image",
				Source: &imageSource{Type: "base64", MediaType: c.MIMEType, Data: c.Data},
			})
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
			if !blank(c.Text) {
				blocks = append(blocks, textBlock(c.Text))
			}
		case *ai.Thinking:
			if t, ok := b.thought(c); ok {
				blocks = append(blocks, t)
			}
		case *ai.ToolCall:
			blocks = append(blocks, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: input(c.Arguments)})
		default:
		}
	}
	return blocks
}

// thought converts thinking of this very model. Without a signature the service takes it
// only as text; with one it must come back unchanged, even if the text is empty.
func (b *builder) thought(t *ai.Thinking) (block, bool) {
	signed := !blank(t.Signature)
	switch {
	case t.Redacted && signed:
		return block{Type: "redacted_thinking", Data: t.Signature}, true
	case t.Redacted || !signed && blank(t.Thinking):
		return block{}, false
	case signed || b.compat.EmptySignature:
		signature := t.Signature
		if !signed {
			signature = ""
		}
		return block{Type: "thinking", Thinking: &t.Thinking, Signature: &signature}, true
	}
	return textBlock(t.Thinking), true
}

// toolResult converts a result: a plain string if it has no images. The service takes only text
// in a failed one: images of it go beside it.
func toolResult(m *ai.ToolResultMessage) (b block, beside []block) {
	b = block{Type: "tool_result", ToolUseID: m.ToolCallID, IsError: &m.IsError}
	blocks := parts(m.Content)
	var texts []string
	var images []block
	for _, p := range blocks {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		} else {
			images = append(images, p)
		}
	}
	switch {
	case m.IsError && len(images) > 0:
		if len(texts) == 0 {
			texts = []string{imageFollow}
		}
		b.Content = strings.Join(texts, "\n")
		return b, append([]block{textBlock("(of the failed result of " + m.ToolName + ")")}, images...)
	case len(texts) == len(blocks):
		b.Content = strings.Join(texts, "\n")
	case len(texts) == 0:
		b.Content = append([]block{textBlock(imageFollow)}, blocks...)
	default:
		b.Content = blocks
	}
	return b, nil
}

// input returns a call's arguments as the object that the service insists on.
func input(arguments jsontext.Value) jsontext.Value {
	if arguments.Kind() != '{' {
		return jsontext.Value("{}")
	}
	return arguments
}

func textBlock(text string) block { return block{Type: "text", Text: text} }

func blank(text string) bool { return strings.TrimSpace(text) == "" }
