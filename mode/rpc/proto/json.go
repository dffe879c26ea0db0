package proto

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Message is a message of the conversation: one of package ai, where those of roles that only
// sessions know, such as bashExecution, are [*ai.UnknownMessage] and keep their JSON.
type Message interface {
	// Role is the message's discriminant on the wire.
	Role() string
}

// Unmarshal reads JSON of the protocol into v. Halves of surrogate pairs, which JavaScript
// writes, become U+FFFD. Messages and tool calls are read as package ai reads them.
func Unmarshal(raw []byte, v any) error { return json.Unmarshal(raw, v, reading) }

// Marshal writes v as JSON of the protocol, on one line.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, jsontext.AllowInvalidUTF8(true)) }

var reading = json.JoinOptions(
	jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(readMessage), json.UnmarshalFromFunc(readToolCall), json.UnmarshalFromFunc(readImage),
	)),
)

func readMessage(d *jsontext.Decoder, m *Message) error {
	raw, err := readClean(d)
	if err != nil {
		return err
	}
	decoded, err := ai.DecodeMessage(raw)
	if err == nil {
		*m = decoded
	}
	return err
}

// readToolCall reads a call that stands alone, with its type, as content has it.
func readToolCall(d *jsontext.Decoder, call *ai.ToolCall) error {
	raw, err := readClean(d)
	if err != nil {
		return err
	}
	var content ai.Content
	if err := json.Unmarshal(append(append([]byte{'['}, raw...), ']'), &content); err != nil {
		return err
	}
	if calls := content.ToolCalls(); len(calls) == 1 {
		*call = *calls[0]
	}
	return nil
}

// readImage reads an image of a request, whose type is not looked at.
func readImage(d *jsontext.Decoder, image *ai.Image) error {
	var fields struct {
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
	}
	if err := json.UnmarshalDecode(d, &fields); err != nil {
		return err
	}
	image.Data, image.MIMEType = fields.Data, fields.MIMEType
	return nil
}

// readClean reads a value with valid Unicode and without repeated names, as package ai wants it.
func readClean(d *jsontext.Decoder) (jsontext.Value, error) {
	raw, err := d.ReadValue()
	if err != nil || raw.IsValid() {
		return raw.Clone(), err
	}
	return jsontext.AppendFormat(nil, raw, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}
