package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Schema is a JSON Schema for the arguments of a tool: an object. It is never changed,
// and it may be used by any number of goroutines.
type Schema struct {
	raw  jsontext.Value
	once sync.Once
	rule *rule
	err  error
}

// Empty is the schema of an object without named properties.
var Empty = MustParse(`{"type":"object","properties":{}}`)

// Parse takes a schema from its JSON. The error says why it cannot be the schema of a
// tool: it is no JSON, no object, or describes something else than an object.
//
// Parse is cheap. What it does not look at, such as the keywords of properties, is
// reported by [Schema.Check], and by [Schema.Validate].
func Parse(raw jsontext.Value) (*Schema, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("the schema is missing: a tool needs one, at least {\"type\":\"object\",\"properties\":{}}")
	}
	rd := newReader()
	defer rd.release()
	v, err := rd.read(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema is not valid JSON: %w", err)
	}
	if v.kind != '{' {
		return nil, fmt.Errorf("a schema must be a JSON object, not %s", describeKind(v.kind))
	}
	if t := v.member("type"); t != nil && !allowsObject(t) {
		return nil, fmt.Errorf(`the arguments of a tool are an object: the schema's type must be "object", not %s`, t.raw)
	}
	return &Schema{raw: raw.Clone()}, nil
}

func allowsObject(t *value) bool {
	isObject := func(v value) bool { return v.kind == '"' && v.text() == "object" }
	return isObject(*t) || t.kind == '[' && slices.ContainsFunc(t.kids, isObject)
}

// MustParse is [Parse] for a schema that is part of a program. It panics if Parse fails.
func MustParse(raw string) *Schema {
	s, err := Parse(jsontext.Value(raw))
	if err != nil {
		panic("schema: MustParse: " + err.Error())
	}
	return s
}

// JSON returns the schema's text. It must not be changed.
func (s *Schema) JSON() jsontext.Value { return s.raw }

// Check compiles the schema, unless that has been done, and returns what is wrong with
// it: a keyword with a value of the wrong type, an unknown type, a pattern that is no
// regular expression, or a reference that leads nowhere, out of the schema or in a
// circle. Unknown keywords are no error.
func (s *Schema) Check() error {
	s.once.Do(func() {
		s.rule, s.err = compile(s.raw)
		if s.err != nil {
			s.err = fmt.Errorf("the schema is wrong %w", s.err)
		}
	})
	return s.err
}

// Validate checks the arguments of a tool call, and returns arguments that match the
// schema: the very same bytes if they do already, or else a copy in which values have
// been converted (see the package comment). Missing arguments and null count as {}.
//
// The error is a [*ValidationError] if the arguments are wrong, and that of
// [Schema.Check] if the schema is.
func (s *Schema) Validate(args jsontext.Value) (jsontext.Value, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || string(trimmed) == "null" {
		args = jsontext.Value("{}")
	}
	rd := newReader()
	defer rd.release()
	v, err := rd.read(args)
	if err != nil {
		return nil, refuse(args, Problem{pathText(nil), "not valid JSON: " + err.Error()})
	}
	if v.kind != '{' {
		return nil, refuse(args, Problem{pathText(nil), "expected object, got " + describe(&v)})
	}
	c := coercer{checker: checker{notation: true, steps: stepsFor(args)}}
	if c.valid(s.rule, &v) {
		return args, nil
	}
	fixed := c.fix(s.rule, v)
	final := checker{notation: true, loud: true, steps: stepsFor(args)}
	if final.valid(s.rule, &fixed) {
		return fixed.appendTo(make([]byte, 0, len(args)+16)), nil
	}
	if final.steps <= 0 {
		final.problems = []Problem{{pathText(nil), "nested too deeply to be checked; send something simpler"}}
	}
	return nil, refuse(args, final.problems...)
}

func refuse(args jsontext.Value, problems ...Problem) error {
	return &ValidationError{Problems: problems, Received: args.Clone()}
}
