package extension

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
)

// Event is what a handler gets: a pointer to one of the structs of this package, such as
// [*ToolCall]. Its JSON form has the names of Pi 0.85.
//
//sumtype:decl
type Event interface {
	// Kind selects the event's row in the table of policies, which has its discriminant.
	Kind() Kind
	event()
}

// Hook is an event whose handlers return an R. The method is there for the compiler: from
// the event's type it finds the type of the result.
type Hook[R any] interface {
	Event
	result(R)
}

// None is the result of an event that only observes.
type None struct{}

// Lazy is an event with fields that are too large to be written each time. A host of another
// language asks for them when a handler does.
type Lazy interface {
	// Lazy returns the JSON of a field that is not in the event's own JSON.
	Lazy(field string) (jsontext.Value, error)
}

// Encode returns the event's JSON form, with its type.
func Encode(e Event) (jsontext.Value, error) {
	if m, ok := e.(*MessageUpdate); ok {
		return m.appendJSON(nil), nil
	}
	body, err := json.Marshal(e, writing)
	if err != nil {
		return nil, err
	}
	name := e.Kind().String()
	out := make([]byte, 0, len(body)+len(name)+len(`{"type":"",`))
	out = append(out, `{"type":"`...)
	out = append(out, name...)
	out = append(out, '"')
	if len(body) > len("{}") {
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}

// writing and reading accept what JavaScript writes: halves of surrogate pairs, repeated
// names. Messages are of any kind that is registered.
var (
	writing = json.JoinOptions(jsontext.AllowInvalidUTF8(true))
	reading = json.JoinOptions(
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
		json.WithUnmarshalers(json.UnmarshalFromFunc(readMessage)),
	)
)

func readMessage(d *jsontext.Decoder, m *agent.Message) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == 'n' {
		*m = nil
		return nil
	}
	*m, err = agent.DecodeMessage(raw.Clone())
	return err
}
