package rpc

import (
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/session"
)

// UnknownCommandError means that [Call] has no command of a name.
type UnknownCommandError struct{ Name string }

// Error names the command.
func (e *UnknownCommandError) Error() string { return fmt.Sprintf("there is no command %q", e.Name) }

// Call runs one command on a session outside of a connection, for other protocols with the
// same words, and returns the data of its response as JSON; nil if it has none. fields is the
// JSON object with the command's fields; nil stands for none.
//
// The commands that replace the session, prompt, compact and set_dialogs are none for Call: the
// error is an [*UnknownCommandError]. A command that waits, such as bash, is aborted when ctx
// is done.
func Call(ctx context.Context, s *session.Session, name string, fields jsontext.Value, opts *Options) (jsontext.Value, error) {
	if !Callable(name) {
		return nil, &UnknownCommandError{Name: name}
	}
	o := opts.orDefault()
	out := newLineWriter(io.Discard, func() {})
	on := &call{connection: &connection{opts: &o, out: out, ui: newUI(out)}, session: s, name: name}
	if len(fields) == 0 {
		fields = jsontext.Value("{}")
	}
	var envelope struct {
		ID jsontext.Value `json:"id"`
	}
	if err := json.Unmarshal(fields, &envelope, lenient); err != nil || fields.Kind() != '{' {
		return nil, fmt.Errorf("%s: the fields must be a JSON object", name)
	}
	on.id = envelope.ID
	data, err := commands[name].run(ctx, on, fields)
	if err != nil || data == nil {
		return nil, err
	}
	if raw, ok := data.(rawData); ok {
		return jsontext.Value(raw), nil
	}
	encoded, err := json.Marshal(data, lenient)
	if err != nil {
		return nil, fmt.Errorf("%s: the answer cannot be written: %w", name, err)
	}
	return encoded, nil
}

// orDefault returns the options with what stands for what was left out.
func (o *Options) orDefault() Options {
	var all Options
	if o != nil {
		all = *o
	}
	if all.Models == nil {
		all.Models = noModels{}
	}
	if all.Settings == nil {
		all.Settings = noSettings{}
	}
	if all.MaxLine <= 0 {
		all.MaxLine = defaultMaxLine
	}
	return all
}
