package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/calls"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// The fields in which servers send thinking as plain text, in the order in which they
// are looked at. The name is the signature of the thinking block.
const (
	fieldReasoningContent = "reasoning_content"
	fieldReasoning        = "reasoning"
	fieldReasoningText    = "reasoning_text"
	fieldReasoningDetails = "reasoning_details"
)

// chunk is one piece of an answer. It is decoded into the same value again and again.
type chunk struct {
	ID      wire.Repeated  `json:"id"`
	Model   wire.Repeated  `json:"model"`
	Object  wire.Repeated  `json:"object"`
	Choices []choice       `json:"choices"`
	Usage   *usage         `json:"usage"`
	Error   jsontext.Value `json:"error"`

	calls []callDelta // memory for those of the choice
}

type choice struct {
	Delta        delta          `json:"delta"`
	FinishReason text           `json:"finish_reason"`
	Usage        *usage         `json:"usage"`
	Error        jsontext.Value `json:"error"`
}

type delta struct {
	Content          text           `json:"content"`
	Refusal          text           `json:"refusal"`
	ReasoningContent text           `json:"reasoning_content"`
	Reasoning        text           `json:"reasoning"`
	ReasoningText    text           `json:"reasoning_text"`
	ReasoningDetails jsontext.Value `json:"reasoning_details"`
	ToolCalls        []callDelta    `json:"tool_calls"`
	FunctionCall     *callPiece     `json:"function_call"`
}

// callDelta is a piece of a call.
type callDelta struct {
	Index    wire.Index `json:"index"`
	ID       text       `json:"id"`
	Function callPiece  `json:"function"`
}

// piece is the delta without its JSON.
func (d *callDelta) piece() *calls.Piece {
	return &calls.Piece{
		ID: string(d.ID), Name: string(d.Function.Name), Arguments: string(d.Function.Arguments),
		Index: d.Index.N, Indexed: d.Index.Given,
	}
}

type callPiece struct {
	Name      text `json:"name"`
	Arguments text `json:"arguments"`
}

// read reads a chunk.
func (c *chunk) read(data []byte) error {
	if c.skim(data) {
		return nil
	}
	return c.decode(data)
}

// decode reads a chunk of any form.
func (c *chunk) decode(data []byte) error {
	c.Choices, c.Usage, c.Error = c.Choices[:0], nil, nil
	return json.Unmarshal(data, c, wire.Lax)
}

// failed reports whether the chunk is an error in place of a piece.
func (c *chunk) failed() bool { return present(c.Error) || c.Object.String() == "error" }

// reasoning returns the thinking that came as plain text, and its field.
func (d *delta) reasoning() (field string, t text) {
	switch {
	case d.ReasoningContent != "":
		return fieldReasoningContent, d.ReasoningContent
	case d.Reasoning != "":
		return fieldReasoning, d.Reasoning
	case d.ReasoningText != "":
		return fieldReasoningText, d.ReasoningText
	}
	return "", ""
}

// present reports whether a value says something.
func present(v jsontext.Value) bool {
	switch string(v) {
	case "", "null", `""`, "{}", "[]", "false":
		return false
	}
	return true
}

// text is a [wire.Text]; of a list of parts it is their texts.
type text string

// UnmarshalJSONFrom reads any value.
func (t *text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '[' {
		return (*wire.Text)(t).UnmarshalJSONFrom(d)
	}
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	*t = partsText(raw)
	return nil
}

func partsText(raw jsontext.Value) text {
	var parts []struct {
		Text text `json:"text"`
	}
	if json.Unmarshal(raw, &parts, wire.Lax) != nil {
		return ""
	}
	var all text
	for _, p := range parts {
		all += p.Text
	}
	return all
}
