package partialjson

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Object returns the object that text is, after mending (see the package comment), as
// JSON that any decoder accepts. A blank text is an empty object: providers leave out
// the arguments of a tool without parameters.
//
// Anything else is an error that says what is wrong and where: a text that is cut short,
// damaged in a way that has no single meaning, followed by more text, or no object. The
// value is then that of [Salvage]: to be shown, never to be run.
func Object(text string) (jsontext.Value, error) {
	if strings.TrimSpace(text) == "" {
		return jsontext.Value("{}"), nil
	}
	if v := jsontext.Value(text); v.Kind() == '{' && v.IsValid() {
		return v, nil
	}
	s := scanner{build: ordered{}, text: text}
	s.run()
	err := s.problem()
	return s.encode(), err
}

// Salvage returns the object that text is or may become, as far as it has arrived. The
// result is always a valid JSON object.
func Salvage(text string) jsontext.Value {
	s := scanner{build: ordered{}, text: text}
	s.run()
	return s.encode()
}

// ordered builds values for encoding: the order of members and the digits of numbers are
// kept.
type ordered struct{}

type (
	number string
	object struct {
		names   []string
		members map[string]any
	}
)

func (ordered) number(text string) any { return number(text) }

func (ordered) close(c *container) any {
	if c.array {
		return c.elems
	}
	return object{c.names, c.members}
}

// encode closes what is open and returns the object.
func (s *scanner) encode() jsontext.Value {
	v, has := s.openValue()
	for len(s.open) > 0 {
		c := s.top()
		if has {
			c.add(v)
		}
		v, has = s.close(c), true
		s.open = s.open[:len(s.open)-1]
		s.root = v
	}
	if s.root == nil {
		return jsontext.Value("{}")
	}
	return appendJSON(make([]byte, 0, len(s.text)+16), s.root)
}

func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		dst = append(dst, '{')
		for i, name := range v.names {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, name)
			dst = append(dst, ':')
			dst = appendJSON(dst, v.members[name])
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, elem := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, elem)
		}
		return append(dst, ']')
	case string:
		return appendString(dst, v)
	case number:
		return append(dst, v...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return append(dst, "null"...)
}

// appendString cannot fail: the scanner makes valid UTF-8 only.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
