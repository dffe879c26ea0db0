package openai

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/calls"
	"github.com/rondo-agent/rondo/ai/internal/skim"
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
	ID      repeated       `json:"id"`
	Model   repeated       `json:"model"`
	Object  repeated       `json:"object"`
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
	Index    position  `json:"index"`
	ID       text      `json:"id"`
	Function callPiece `json:"function"`
}

// piece is the delta without its JSON.
func (d *callDelta) piece() *calls.Piece {
	return &calls.Piece{
		ID: string(d.ID), Name: string(d.Function.Name), Arguments: string(d.Function.Arguments),
		Index: d.Index.n, Indexed: d.Index.given,
	}
}

type callPiece struct {
	Name      text `json:"name"`
	Arguments text `json:"arguments"`
}

// position is the index of a call, where the server gives one.
type position struct {
	n     int
	given bool
}

// UnmarshalJSONFrom reads any value; what is no number is not given.
func (p *position) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	given := d.PeekKind() == '0'
	n, err := readNumber(d)
	*p = position{int(n), given}
	return err
}

// lax accepts what servers send: text that is no Unicode, repeated names.
var lax = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

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
	return json.Unmarshal(data, c, lax)
}

// failed reports whether the chunk is an error in place of a piece.
func (c *chunk) failed() bool { return present(c.Error) || c.Object.s == "error" }

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

// text is a string. It is empty for null; of a list of parts it is their texts; any
// other value is taken as its JSON, since some servers send arguments as an object.
type text string

// UnmarshalJSONFrom reads any value.
func (t *text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	switch raw.Kind() {
	case '"':
		*t = text(skim.Unquote(raw))
	case 'n':
		*t = ""
	case '[':
		*t = partsText(raw)
	default:
		*t = text(raw)
	}
	return nil
}

func partsText(raw jsontext.Value) text {
	var parts []struct {
		Text text `json:"text"`
	}
	if json.Unmarshal(raw, &parts, lax) != nil {
		return ""
	}
	var all text
	for _, p := range parts {
		all += p.Text
	}
	return all
}

// repeated is a string that is the same in every chunk, and is kept instead of made anew.
type repeated struct {
	raw []byte
	s   string
}

// UnmarshalJSONFrom reads any value; what is no string is empty.
func (r *repeated) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	r.set(raw)
	return nil
}

func (r *repeated) set(raw []byte) {
	if bytes.Equal(raw, r.raw) {
		return
	}
	r.raw = append(r.raw[:0], raw...)
	r.s = ""
	if raw[0] == '"' {
		r.s = skim.Unquote(raw)
	}
}
