package telemetry

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Names of the conventions for what was said.
const (
	keyInstructions = attribute.Key("gen_ai.system_instructions")
	keyInputs       = attribute.Key("gen_ai.input.messages")
	keyOutputs      = attribute.Key("gen_ai.output.messages")
)

// said is a message as the conventions have it.
type said struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitzero"`
}

// part is a piece of a message; the fields that its type does not have are left out. Images
// are named only.
type part struct {
	Type      string         `json:"type"`
	Content   string         `json:"content,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
	Response  string         `json:"response,omitzero"`
	Modality  string         `json:"modality,omitzero"`
	MIMEType  string         `json:"mime_type,omitzero"`
}

// inputAttributes are the prompt and the conversation.
func inputAttributes(c *ai.Context) []attribute.KeyValue {
	folded := ai.Fold(*c)
	messages := make([]said, 0, len(folded.Messages))
	for _, m := range folded.Messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			messages = append(messages, said{Role: "user", Parts: parts(m.Content)})
		case *ai.AssistantMessage:
			messages = append(messages, said{Role: "assistant", Parts: parts(m.Content)})
		case *ai.ToolResultMessage:
			response := part{Type: "tool_call_response", ID: m.ToolCallID, Response: m.Content.Text()}
			messages = append(messages, said{Role: "tool", Parts: []part{response}})
		case *ai.SystemMessage:
			messages = append(messages, said{Role: "system", Parts: []part{{Type: "text", Content: m.Content}}})
		case *ai.UnknownMessage:
		}
	}
	attributes := []attribute.KeyValue{keyInputs.String(text(messages))}
	if folded.SystemPrompt != "" {
		attributes = append(attributes, keyInstructions.String(text([]part{{Type: "text", Content: folded.SystemPrompt}})))
	}
	return attributes
}

// outputAttribute is the answer.
func outputAttribute(m *ai.AssistantMessage) attribute.KeyValue {
	return keyOutputs.String(text([]said{{Role: "assistant", Parts: parts(m.Content), Finish: string(m.StopReason)}}))
}

func toolResult(content ai.Content) string { return text(parts(content)) }

func parts(content ai.Content) []part {
	list := make([]part, 0, len(content))
	for _, block := range content {
		switch b := block.(type) {
		case *ai.Text:
			list = append(list, part{Type: "text", Content: b.Text})
		case *ai.Thinking:
			list = append(list, part{Type: "reasoning", Content: b.Thinking})
		case *ai.ToolCall:
			list = append(list, part{Type: "tool_call", ID: b.ID, Name: b.Name, Arguments: b.Arguments})
		case *ai.Image:
			list = append(list, part{Type: "blob", Modality: "image", MIMEType: b.MIMEType})
		default:
		}
	}
	return list
}

func text(v any) string {
	raw, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return ""
	}
	return string(raw)
}
