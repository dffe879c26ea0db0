package extension

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// mutable is an event with a field that handlers may change in place.
type mutable interface {
	Event
	// copied returns what a handler of this language gets, and adopt takes over what it has
	// made of that.
	copied() Event
	adopt(Event)
	// field returns the field's JSON, and mutate takes over what a handler of another
	// language has made of it.
	field() (jsontext.Value, error)
	mutate(jsontext.Value) error
}

// mutate takes over what a handler has changed in place.
func (env *Envelope) mutate(field jsontext.Value) error {
	e, ok := env.Event.(mutable)
	if !ok {
		return nil
	}
	was, err := e.field()
	if err != nil || bytes.Equal(was, field) {
		return err
	}
	if err := e.mutate(field.Clone()); err != nil {
		return fmt.Errorf("the field %s is not what it was: %w", policies[e.Kind()].Mutable, err)
	}
	env.JSON = nil
	return nil
}

func (e *ToolCall) copied() Event                     { c := *e; return &c }
func (e *ToolCall) adopt(from Event)                  { e.Input = from.(*ToolCall).Input }
func (e *ToolCall) field() (jsontext.Value, error)    { return e.Input, nil }
func (e *ToolCall) mutate(input jsontext.Value) error { e.Input = input; return nil }

func (e *BeforeProviderRequest) copied() Event                  { c := *e; return &c }
func (e *BeforeProviderRequest) adopt(from Event)               { e.Payload = from.(*BeforeProviderRequest).Payload }
func (e *BeforeProviderRequest) field() (jsontext.Value, error) { return e.Payload, nil }
func (e *BeforeProviderRequest) mutate(body jsontext.Value) error {
	e.Payload = body
	return nil
}

func (e *BeforeProviderHeaders) copied() Event {
	return &BeforeProviderHeaders{Headers: maps.Clone(e.Headers)}
}

func (e *BeforeProviderHeaders) adopt(from Event) { e.Headers = from.(*BeforeProviderHeaders).Headers }

func (e *BeforeProviderHeaders) field() (jsontext.Value, error) {
	return json.Marshal(e.Headers, writing, json.Deterministic(true))
}

func (e *BeforeProviderHeaders) mutate(headers jsontext.Value) error {
	e.Headers = nil
	return json.Unmarshal(headers, &e.Headers, reading)
}

func (e *ContextEvent) copied() Event {
	return &ContextEvent{Messages: slices.Clone(e.Messages)}
}

func (e *ContextEvent) adopt(from Event)               { e.Messages = from.(*ContextEvent).Messages }
func (e *ContextEvent) field() (jsontext.Value, error) { return json.Marshal(e.Messages, writing) }
func (e *ContextEvent) mutate(messages jsontext.Value) error {
	e.Messages = nil
	return json.Unmarshal(messages, &e.Messages, reading)
}

func (e *ContextWithSystem) copied() Event {
	return &ContextWithSystem{Messages: slices.Clone(e.Messages)}
}
func (e *ContextWithSystem) adopt(from Event) { e.Messages = from.(*ContextWithSystem).Messages }
func (e *ContextWithSystem) field() (jsontext.Value, error) {
	return json.Marshal(e.Messages, writing)
}

func (e *ContextWithSystem) mutate(messages jsontext.Value) error {
	e.Messages = nil
	return json.Unmarshal(messages, &e.Messages, reading)
}
