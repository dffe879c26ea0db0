package openai

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// skim reads the chunks that nearly all of a stream consists of, in a quarter of the time
// that decoding takes: one choice whose delta has text, thinking or pieces of calls. It
// reports false for all other chunks, damaged ones included, and leaves c to be decoded.
//
// What it accepts is valid JSON, but for numbers and literals in members that it passes
// over.
func (c *chunk) skim(data []byte) bool {
	s := skimmer{data: data}
	c.Usage, c.Error = nil, nil
	if cap(c.Choices) == 0 {
		c.Choices = make([]choice, 1)
	}
	c.Choices = c.Choices[:1]
	c.Choices[0] = choice{}
	c.calls = c.calls[:0]
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
			if choices { // twice: that is not for us to judge
				return false
			}
			choices = true
			return s.eat('[') && s.choice(c) && s.eat(']')
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

func (s *skimmer) choice(c *chunk) bool {
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "delta":
			return s.delta(c)
		case "finish_reason", "usage", "error":
			return s.null()
		}
		return s.skip(0)
	})
}

func (s *skimmer) delta(c *chunk) bool {
	d := &c.Choices[0].Delta
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
		case "reasoning_details":
			s.space()
			start := s.at
			ok := s.skip(0)
			d.ReasoningDetails = s.data[start:s.at]
			return ok
		case "tool_calls":
			if s.null() {
				return true
			}
			if d.ToolCalls != nil {
				return false
			}
			ok := s.array(func() bool { return s.call(c) })
			d.ToolCalls = c.calls
			return ok
		case "refusal", "function_call":
			return s.null()
		}
		return s.skip(0)
	})
}

func (s *skimmer) call(c *chunk) bool {
	var d callDelta
	ok := s.object(func(key []byte) bool {
		switch string(key) {
		case "index":
			return s.position(&d.Index)
		case "id":
			return s.text(&d.ID)
		case "function":
			return s.object(func(key []byte) bool {
				switch string(key) {
				case "name":
					return s.text(&d.Function.Name)
				case "arguments":
					return s.text(&d.Function.Arguments)
				}
				return s.skip(0)
			})
		}
		return s.skip(0)
	})
	c.calls = append(c.calls, d)
	return ok
}

// position reads a small number without sign.
func (s *skimmer) position(into *position) bool {
	s.space()
	start, n := s.at, 0
	for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
		n = 10*n + int(s.data[s.at]-'0')
		s.at++
	}
	*into = position{n: n, given: true}
	digits := s.at - start
	return digits == 1 || 1 < digits && digits < 6 && s.data[start] != '0'
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

// array reads an array; element reads each of its values.
func (s *skimmer) array(element func() bool) bool {
	if !s.eat('[') {
		return false
	}
	if s.eat(']') {
		return true
	}
	for element() {
		if !s.eat(',') {
			return s.eat(']')
		}
	}
	return false
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
	if s.at == len(s.data) || depth > 64 {
		return false
	}
	switch s.data[s.at] {
	case '"':
		start := s.at
		if _, plain := s.string(); plain {
			return true
		}
		_, ok := s.escaped(start)
		return ok
	case '{':
		return s.object(func([]byte) bool { return s.skip(depth + 1) })
	case '[':
		return s.array(func() bool { return s.skip(depth + 1) })
	}
	return s.skipScalar()
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
