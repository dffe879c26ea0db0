package openai

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// skim reads the chunks that nearly all of a stream consists of, in a quarter of the time
// that decoding takes: one choice whose delta has text or plain thinking and nothing
// else that matters. It reports false for all other chunks, damaged ones included, and
// leaves c to be decoded.
//
// What it accepts is a subset of JSON that it knows to be valid but for numbers and
// literals in members that it passes over.
func (c *chunk) skim(data []byte) bool {
	s := skimmer{data: data}
	c.Usage, c.Error = nil, nil
	if cap(c.Choices) == 0 {
		c.Choices = make([]choice, 1)
	}
	c.Choices = c.Choices[:1]
	c.Choices[0] = choice{}
	choices := false
	ok := s.object(func(key []byte) bool {
		switch string(key) {
		case "id":
			return s.repeated(&c.ID)
		case "model":
			return s.repeated(&c.Model)
		case "object":
			return s.repeated(&c.Object)
		case "choices":
			choices = true
			return s.eat('[') && s.choice(&c.Choices[0]) && s.eat(']')
		case "usage", "error":
			return s.null()
		}
		return s.skip(0)
	})
	s.space()
	return ok && choices && s.at == len(data)
}

// skimmer is a place in a JSON text.
type skimmer struct {
	data []byte
	at   int
}

func (s *skimmer) choice(c *choice) bool {
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "delta":
			return s.delta(&c.Delta)
		case "finish_reason", "usage", "error":
			return s.null()
		}
		return s.skip(0)
	})
}

func (s *skimmer) delta(d *delta) bool {
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "content":
			return s.text(&d.Content)
		case "reasoning_content":
			return s.text(&d.ReasoningContent)
		case "reasoning":
			return s.text(&d.Reasoning)
		case "reasoning_text":
			return s.text(&d.ReasoningText)
		case "refusal", "tool_calls", "function_call", "reasoning_details":
			return s.null()
		}
		return s.skip(0)
	})
}

// object reads an object; member reads the value of each key.
func (s *skimmer) object(member func(key []byte) bool) bool {
	if !s.eat('{') {
		return false
	}
	if s.eat('}') {
		return true
	}
	for {
		raw, plain := s.string()
		if !plain || !s.eat(':') || !member(raw[1:len(raw)-1]) {
			return false
		}
		if !s.eat(',') {
			return s.eat('}')
		}
	}
}

func (s *skimmer) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// eat passes over one punctuation mark.
func (s *skimmer) eat(mark byte) bool {
	s.space()
	if s.at < len(s.data) && s.data[s.at] == mark {
		s.at++
		return true
	}
	return false
}

func (s *skimmer) null() bool {
	s.space()
	if !bytes.HasPrefix(s.data[s.at:], []byte("null")) {
		return false
	}
	s.at += len("null")
	return true
}

// string passes over a string; plain is false if there is none, and for one with escapes
// or control characters in it.
func (s *skimmer) string() (raw []byte, plain bool) {
	if !s.eat('"') {
		return nil, false
	}
	start := s.at - 1
	for i, b := range s.data[s.at:] {
		switch {
		case b == '"':
			s.at += i + 1
			return s.data[start:s.at], true
		case b == '\\' || b < ' ':
			s.at += i
			return nil, false
		}
	}
	return nil, false
}

// text reads a string or null.
func (s *skimmer) text(into *text) bool {
	if s.null() {
		*into = ""
		return true
	}
	s.space()
	start := s.at
	raw, plain := s.string()
	if plain {
		*into = text(unquote(raw))
		return true
	}
	raw, ok := s.escaped(start)
	if ok {
		*into = text(unquote(raw))
	}
	return ok
}

// escaped passes over a string with escapes, which the JSON package checks.
func (s *skimmer) escaped(start int) (raw []byte, ok bool) {
	for i := start + 1; i < len(s.data); i++ {
		switch s.data[i] {
		case '\\':
			i++
		case '"':
			s.at = i + 1
			raw := jsontext.Value(s.data[start:s.at])
			return raw, raw[0] == '"' && raw.IsValid(lax)
		}
	}
	return nil, false
}

func (s *skimmer) repeated(into *repeated) bool {
	raw, plain := s.string()
	if plain {
		into.set(raw)
	}
	return plain
}

// skip passes over a value that does not matter.
func (s *skimmer) skip(depth int) bool {
	s.space()
	if s.at == len(s.data) || depth > 8 {
		return false
	}
	switch s.data[s.at] {
	case '"':
		_, plain := s.string()
		return plain
	case '{':
		return s.object(func([]byte) bool { return s.skip(depth + 1) })
	case '[':
		return s.skipArray(depth)
	}
	return s.skipScalar()
}

func (s *skimmer) skipArray(depth int) bool {
	s.at++
	if s.eat(']') {
		return true
	}
	for s.skip(depth + 1) {
		if !s.eat(',') {
			return s.eat(']')
		}
	}
	return false
}

// skipScalar passes over a number, true, false or null.
func (s *skimmer) skipScalar() bool {
	start := s.at
	for s.at < len(s.data) {
		b := s.data[s.at]
		if !('a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'E') {
			break
		}
		s.at++
	}
	return s.at > start
}

// unquote returns the text of a JSON string.
func unquote(raw []byte) string {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	plain, _ := jsontext.AppendUnquote(make([]byte, 0, len(inner)), raw) // its only error is about invalid UTF-8, which it replaces
	return string(plain)
}
