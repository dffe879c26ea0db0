package google

import (
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// turn is one message of the wire: of the user or of the model.
type turn struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

// part is a piece of a turn of any kind.
type part struct {
	Text             *string           `json:"text,omitzero"`
	Thought          bool              `json:"thought,omitzero"`
	InlineData       *inlineData       `json:"inlineData,omitzero"`
	FunctionCall     *functionCall     `json:"functionCall,omitzero"`
	FunctionResponse *functionResponse `json:"functionResponse,omitzero"`
	ThoughtSignature string            `json:"thoughtSignature,omitzero"`
}

type inlineData struct {
	MIMEType string `json:"mimeType"`
	Data     string `json:"data"`
}

type functionCall struct {
	ID   string         `json:"id,omitzero"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args"`
}

type functionResponse struct {
	ID       string   `json:"id,omitzero"`
	Name     string   `json:"name"`
	Response response `json:"response"`
	Parts    []part   `json:"parts,omitempty"`
}

// response is what a tool gave, or why it failed.
type response struct {
	Output *string `json:"output,omitzero"`
	Error  *string `json:"error,omitzero"`
}

// Texts that stand where a result has only images.
const (
	noteImageHere   = "(the result is the image)"
	noteImageBelow  = "(the image is in the message below)"
	noteImagesAbove = "(images of the tool results above)"
)

// unsigned stands for the signature of a call that Gemini has not made. Google documents
// it for conversations that another model has begun:
// https://ai.google.dev/gemini-api/docs/thought-signatures
const unsigned = "skip_thought_signature_validator"

// maxToolName is the longest name of a tool that the service accepts.
const maxToolName = 64

// turns converts the conversation.
func (b *builder) turns(messages []ai.Message) []turn {
	opts := &ai.TransformOptions{ToolName: wire.ToolName(maxToolName, ".:")}
	if b.family.takesIDs() {
		opts.CallID = wire.CallID
	}
	messages = ai.Transform(b.model, messages, opts)
	turns := make([]turn, 0, len(messages))
	for i := 0; i < len(messages); i++ {
		switch m := messages[i].(type) {
		case *ai.UserMessage:
			turns = append(turns, turn{"user", parts(m.Content)})
		case *ai.AssistantMessage:
			if answer := b.answer(m); len(answer) > 0 {
				turns = append(turns, turn{"model", answer})
			}
		case *ai.ToolResultMessage:
			n := i + 1
			for n < len(messages) && messages[n].Role() == ai.RoleToolResult {
				n++
			}
			turns = append(turns, b.results(messages[i:n])...)
			i = n - 1
		case *ai.SystemMessage, *ai.UnknownMessage:
		}
	}
	return turns
}

func textPart(text string) part { return part{Text: &text} }

// parts converts texts and images.
func parts(content ai.Content) []part {
	out := make([]part, 0, len(content))
	for _, block := range content {
		switch b := block.(type) {
		case *ai.Text:
			out = append(out, textPart(b.Text))
		case *ai.Image:
			out = append(out, part{InlineData: &inlineData{b.MIMEType, b.Data}})
		default: // nothing else is left by ai.Transform
		}
	}
	return out
}

// answer converts what the model said. Thinking that is left here is its own.
func (b *builder) answer(m *ai.AssistantMessage) []part {
	out := make([]part, 0, len(m.Content))
	signed := false
	for _, block := range m.Content {
		var p part
		switch c := block.(type) {
		case *ai.Text:
			p = textPart(c.Text)
			p.ThoughtSignature = signature(c.Signature)
		case *ai.Thinking:
			p = textPart(c.Thinking)
			p.Thought, p.ThoughtSignature = true, signature(c.Signature)
		case *ai.ToolCall:
			p.FunctionCall = &functionCall{b.id(c.ID), c.Name, object(c.Arguments)}
			p.ThoughtSignature = signature(c.ThoughtSignature)
			signed = signed || p.ThoughtSignature != ""
		default:
			continue
		}
		if p.FunctionCall == nil && p.ThoughtSignature == "" && strings.TrimSpace(*p.Text) == "" {
			continue
		}
		out = append(out, p)
	}
	if !signed {
		b.excuse(out)
	}
	return out
}

// excuse marks the calls of an answer in which none is signed. An answer of Gemini itself
// has the signature at its first call only, and stays as it is.
func (b *builder) excuse(answer []part) {
	if b.family.major < 3 || !b.compat.RequiresSignatures {
		return
	}
	for i := range answer {
		if answer[i].FunctionCall != nil {
			answer[i].ThoughtSignature = unsigned
		}
	}
}

// signature returns a signature, unchanged, if it is one: the service refuses a request
// with bytes that are no base64, in either alphabet.
func signature(s string) string {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		if _, err := encoding.DecodeString(s); err == nil {
			return s
		}
	}
	return ""
}

func (b *builder) id(id string) string {
	if b.family.takesIDs() {
		return id
	}
	return ""
}

func object(raw jsontext.Value) jsontext.Value {
	if raw.Kind() != '{' {
		return jsontext.Value("{}")
	}
	return raw
}

// results converts the results of one answer, which belong into one turn. Images that
// the model cannot read there follow in another one.
func (b *builder) results(messages []ai.Message) []turn {
	answers := turn{Role: "user", Parts: make([]part, 0, len(messages))}
	below := turn{Role: "user", Parts: []part{textPart(noteImagesAbove)}}
	for _, m := range messages {
		m := m.(*ai.ToolResultMessage)
		r := &functionResponse{ID: b.id(m.ToolCallID), Name: m.ToolName}
		var texts []string
		var images []part
		for _, p := range parts(m.Content) {
			if p.Text != nil {
				texts = append(texts, *p.Text)
			} else {
				images = append(images, p)
			}
		}
		note := noteImageHere
		if b.family.nestsImages() {
			r.Parts = images
		} else {
			below.Parts = append(below.Parts, images...)
			note = noteImageBelow
		}
		text := strings.Join(texts, "\n")
		if len(texts) == 0 {
			text = note
		}
		if m.IsError {
			r.Response.Error = &text
		} else {
			r.Response.Output = &text
		}
		answers.Parts = append(answers.Parts, part{FunctionResponse: r})
	}
	if len(below.Parts) == 1 {
		return []turn{answers}
	}
	return []turn{answers, below}
}
