package google

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// schema returns a tool's schema in the part of JSON Schema that Google reads: a constant
// is an enum of one value, a reference has no other keywords beside it, and keywords that
// are about the schema itself are left out. The order of the keywords stays; what is no
// valid JSON is left to the server to refuse.
func schema(raw jsontext.Value) jsontext.Value {
	if len(raw) == 0 {
		return jsontext.Value(`{"type":"object","properties":{}}`)
	}
	if !bytes.Contains(raw, []byte(`"const"`)) && !bytes.Contains(raw, []byte(`"$`)) {
		return raw
	}
	if out, ok := reduce(raw, subschema, 0); ok {
		return out
	}
	return raw
}

// role is what a value is in a schema.
type role int

const (
	data      role = iota // nothing to look into
	subschema             // a schema, or a list of some
	named                 // an object whose values are schemas
)

// roles are those of the keywords that hold schemas.
var roles = map[string]role{
	"properties": named, "patternProperties": named, "$defs": named, "definitions": named, "dependentSchemas": named,
	"items": subschema, "prefixItems": subschema, "additionalProperties": subschema, "additionalItems": subschema,
	"anyOf": subschema, "oneOf": subschema, "allOf": subschema, "not": subschema, "contains": subschema,
	"propertyNames": subschema, "if": subschema, "then": subschema, "else": subschema,
}

// aboutSchemas are keywords that say nothing about values.
var aboutSchemas = map[string]bool{"$schema": true, "$comment": true, "$vocabulary": true, "$dynamicAnchor": true}

const maxSchemaDepth = 200

func reduce(raw jsontext.Value, as role, depth int) (jsontext.Value, bool) {
	if as == data || depth > maxSchemaDepth {
		return raw, depth <= maxSchemaDepth
	}
	switch raw.Kind() {
	case '[':
		return reduceList(raw, as, depth)
	case '{':
		return reduceObject(raw, as, depth)
	}
	return raw, true
}

func reduceList(raw jsontext.Value, as role, depth int) (jsontext.Value, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	out := []byte{'['}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		value, ok := reduce(value, as, depth+1)
		if !ok {
			return nil, false
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, value...)
	}
	return append(out, ']'), true
}

func reduceObject(raw jsontext.Value, as role, depth int) (jsontext.Value, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	refers := as == subschema && hasMember(raw, "$ref")
	out := []byte{'{'}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		inner := subschema
		if as == subschema {
			inner = roles[key]
			switch {
			case aboutSchemas[key], refers && !strings.HasPrefix(key, "$"):
				continue
			case key == "const" && value.Kind() == '"' && !hasMember(raw, "enum"):
				key, value = "enum", append(append([]byte{'['}, value...), ']')
			}
		}
		value, ok := reduce(value, inner, depth+1)
		if !ok {
			return nil, false
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, key) // its only error is about invalid UTF-8, which it replaces
		out = append(append(out, ':'), value...)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	return append(out, '}'), true
}

func hasMember(object jsontext.Value, key string) bool {
	d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil || name.String() == key {
			return err == nil
		}
		if d.SkipValue() != nil {
			return false
		}
	}
	return false
}
