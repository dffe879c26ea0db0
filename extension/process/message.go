package process

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// Version is the version of the protocol.
const Version = 1

// message is a line of an extension.
type message struct {
	Type string `json:"type"`
	// ID is that of the call that is answered, or that the extension gives to an action.
	ID jsontext.Value `json:"id"`
	// For is the call that an action belongs to.
	For jsontext.Value `json:"for"`

	Result  jsontext.Value `json:"result"`
	Mutated jsontext.Value `json:"mutated"`
	Error   jsontext.Value `json:"error"`

	Action string         `json:"action"`
	Params jsontext.Value `json:"params"`
}

// parse reads a line. An error says why it is no message.
func parse(line []byte) (*message, error) {
	m := new(message)
	if err := json.Unmarshal(line, m, lenient.Options); err != nil {
		return nil, err
	}
	if m.Type == "" {
		return nil, errors.New("it has no type")
	}
	if !scalar(m.ID) {
		return nil, errors.New("its id is neither a number nor a string")
	}
	if !scalar(m.For) {
		return nil, errors.New("its for is no id")
	}
	return m, nil
}

func scalar(v jsontext.Value) bool {
	switch v.Kind() {
	case 0, 'n', '0', '"':
		return true
	}
	return false
}

// number is the number of a call; 0 if the id is none of ours.
func number(id jsontext.Value) int64 {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// failure is the error of an answer: a text, or an object with a message.
func (m *message) failure() error {
	var text string
	if m.Error.Kind() == '{' {
		var object struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(m.Error, &object, lenient.Options)
		text = object.Message
	} else {
		_ = json.Unmarshal(m.Error, &text, lenient.Options)
	}
	if text == "" {
		text = "the extension has failed, and does not say why"
	}
	return errors.New(text)
}

// head reads what the beginning of a line says of its message, for a line that is not there
// as a whole.
func head(line []byte) *message {
	m := new(message)
	d := jsontext.NewDecoder(bytes.NewReader(line), lenient.Options)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return m
	}
	for {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return m
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return m
		}
		switch key {
		case "type":
			_ = json.Unmarshal(value, &m.Type, lenient.Options)
		case "id":
			m.ID = value.Clone()
		}
	}
}

// excerpt is the beginning of a line for a report.
func excerpt(line []byte) string {
	const most = 120
	if len(line) > most {
		return strconv.Quote(string(line[:most])) + "…"
	}
	return strconv.Quote(string(line))
}

// appendCall writes a message with an id and with fields that are JSON already.
func appendCall(kind string, id int64, fields ...field) []byte {
	size := 64
	for _, f := range fields {
		size += len(f.name) + len(f.value) + 4
	}
	line := make([]byte, 0, size)
	line = append(line, `{"type":"`...)
	line = append(line, kind...)
	line = append(line, '"')
	if id > 0 {
		line = append(line, `,"id":`...)
		line = strconv.AppendInt(line, id, 10)
	}
	return closeFields(line, fields)
}

type field struct {
	name  string // without anything to escape
	value jsontext.Value
}

func closeFields(line []byte, fields []field) []byte {
	for _, f := range fields {
		line = append(line, ',', '"')
		line = append(line, f.name...)
		line = append(line, '"', ':')
		line = append(line, f.value...)
	}
	return append(line, '}')
}

// value makes a field of what can be written as JSON.
func value(name string, v any) field {
	raw, err := json.Marshal(v, lenient.Options)
	if err != nil {
		raw = jsontext.Value("null")
	}
	return field{name, raw}
}

// appendAnswer writes the answer to an action.
func appendAnswer(id jsontext.Value, result any, err error) []byte {
	var raw jsontext.Value
	if err == nil {
		raw, err = json.Marshal(result, lenient.Options)
		if err != nil {
			err = fmt.Errorf("the result cannot be written as JSON: %w", err)
		}
	}
	answer := field{"result", raw}
	kind := "result"
	if err != nil {
		kind, answer = "error", value("error", err.Error())
	}
	line := append([]byte(`{"type":"`), kind...)
	line = append(line, `","id":`...)
	line = append(line, id...)
	return closeFields(line, []field{answer})
}
