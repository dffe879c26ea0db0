package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// For makes a schema from a type, which must be a struct or a map with string keys.
//
// The json tag names a property. A field with omitzero or omitempty is optional, all
// others are required. The jsonschema tag is the description, and an enum tag lists the
// values of a string or number, or of the elements of a slice: enum:"read,write".
//
// A pointer allows null if it is required; an optional one is simply left out. Types are
// those of github.com/google/jsonschema-go, in the order of the fields; a []byte is text
// in base64, and a [jsontext.Value] is anything. Recursive types are an error.
func For[T any]() (*Schema, error) {
	t := reflect.TypeFor[T]()
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[jsontext.Value](): {},
		reflect.TypeFor[[]byte]():         {Type: "string", ContentEncoding: "base64"},
	}})
	if err != nil {
		return nil, fmt.Errorf("make a schema from %v: %w", t, err)
	}
	if err := refine(s, t); err != nil {
		return nil, fmt.Errorf("make a schema from %v: %w", t, err)
	}
	s.Types, s.Type = nil, typeName(s)
	if s.Type != "object" {
		return nil, fmt.Errorf("make a schema from %v: the arguments of a tool are an object, so the type must be a struct or a map", t)
	}
	return Parse(appendSchema(nil, s))
}

// refine adds to a schema what the library does not know about the type it was made from.
func refine(s *jsonschema.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Struct && typeName(s) == "object":
		s.AdditionalProperties = nil
		return refineFields(s, t)
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && s.Items != nil:
		if t.Kind() == reflect.Slice {
			dropNull(s) // [] says the same
		}
		return refine(s.Items, t.Elem())
	case t.Kind() == reflect.Map && s.AdditionalProperties != nil:
		return refine(s.AdditionalProperties, t.Elem())
	}
	return nil
}

func refineFields(s *jsonschema.Schema, t reflect.Type) error {
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		property := s.Properties[name]
		if field.Anonymous || property == nil {
			continue
		}
		if holdsUnknown(options) {
			delete(s.Properties, name)
			s.PropertyOrder = without(s.PropertyOrder, name)
			s.Required = without(s.Required, name)
			continue
		}
		if !slices.Contains(s.Required, name) {
			dropNull(property)
		}
		if err := refineEnum(property, field); err != nil {
			return err
		}
		if err := refine(property, field.Type); err != nil {
			return err
		}
	}
	return nil
}

// holdsUnknown reports whether a field is where json puts members without a field.
func holdsUnknown(options string) bool {
	for option := range strings.SplitSeq(options, ",") {
		if option == "embed" || option == "unknown" || option == "inline" {
			return true
		}
	}
	return false
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == name })
}

func dropNull(s *jsonschema.Schema) {
	if s.Types != nil {
		s.Type, s.Types = typeName(s), nil
	}
}

// typeName returns the type of s other than null.
func typeName(s *jsonschema.Schema) string {
	for _, t := range s.Types {
		if t != "null" && t != "" {
			return t
		}
	}
	return s.Type
}

func refineEnum(s *jsonschema.Schema, field reflect.StructField) error {
	tag, ok := field.Tag.Lookup("enum")
	if !ok {
		return nil
	}
	if s.Items != nil {
		s = s.Items
	}
	for text := range strings.SplitSeq(tag, ",") {
		raw := jsontext.Value(text)
		switch typeName(s) {
		case "string":
			raw, _ = jsontext.AppendQuote(nil, text)
		case "integer", "number":
			if raw.Kind() != '0' || !raw.IsValid() {
				return fmt.Errorf("field %s: the enum tag lists %q, which is no number", field.Name, text)
			}
		default:
			return fmt.Errorf("field %s: an enum tag needs a string or a number", field.Name)
		}
		s.Enum = append(s.Enum, raw)
	}
	if len(s.Types) > 0 {
		s.Enum = append(s.Enum, jsontext.Value("null"))
	}
	return nil
}

// appendSchema writes the keywords that [For] uses, in the order in which people write
// them.
func appendSchema(dst []byte, s *jsonschema.Schema) []byte {
	o := objectWriter{append(dst, '{')}
	switch {
	case s.Type != "":
		o.text("type", s.Type)
	case len(typeName(s)) > 0:
		o.key("type")
		o.dst = fmt.Appendf(o.dst, "[%q,%q]", typeName(s), "null")
	}
	if s.Description != "" {
		o.text("description", s.Description)
	}
	if s.ContentEncoding != "" {
		o.text("contentEncoding", s.ContentEncoding)
	}
	if s.Enum != nil {
		o.list("enum", len(s.Enum), func(i int) { o.dst = append(o.dst, s.Enum[i].(jsontext.Value)...) })
	}
	o.number("minimum", s.Minimum)
	o.number("maximum", s.Maximum)
	o.count("minItems", s.MinItems)
	o.count("maxItems", s.MaxItems)
	o.schema("items", s.Items)
	if s.Type == "object" || s.Properties != nil {
		o.properties(s)
	}
	o.schema("additionalProperties", s.AdditionalProperties)
	if len(s.Required) > 0 {
		o.list("required", len(s.Required), func(i int) { o.dst = appendQuote(o.dst, s.Required[i]) })
	}
	return append(o.dst, '}')
}

// objectWriter appends the members of an object.
type objectWriter struct{ dst []byte }

func (o *objectWriter) key(name string) {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(appendQuote(o.dst, name), ':')
}

func (o *objectWriter) text(name, value string) {
	o.key(name)
	o.dst = appendQuote(o.dst, value)
}

func (o *objectWriter) number(name string, n *float64) {
	if n != nil {
		o.key(name)
		o.dst = jsontext.AppendFloat(o.dst, *n, 64)
	}
}

func (o *objectWriter) count(name string, n *int) {
	if n != nil {
		o.key(name)
		o.dst = strconv.AppendInt(o.dst, int64(*n), 10)
	}
}

func (o *objectWriter) schema(name string, s *jsonschema.Schema) {
	if s != nil {
		o.key(name)
		o.dst = appendSchema(o.dst, s)
	}
}

func (o *objectWriter) list(name string, n int, element func(i int)) {
	o.key(name)
	o.dst = append(o.dst, '[')
	for i := range n {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		element(i)
	}
	o.dst = append(o.dst, ']')
}

func (o *objectWriter) properties(s *jsonschema.Schema) {
	if s.Properties == nil && s.AdditionalProperties != nil {
		return // a map
	}
	o.key("properties")
	o.dst = append(o.dst, '{')
	for _, name := range s.PropertyOrder {
		o.schema(name, s.Properties[name])
	}
	o.dst = append(o.dst, '}')
}

// appendQuote cannot fail on Go's own texts; invalid UTF-8 in a tag is replaced.
func appendQuote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\uFFFD"))
	return dst
}
