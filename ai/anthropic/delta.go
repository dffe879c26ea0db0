package anthropic

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// delta is content_block_delta.
type delta struct {
	index int
	kind  string
	text  string
}

// parseDelta reads a delta in any form.
func parseDelta(data []byte) (delta, error) {
	var ev struct {
		Index *int `json:"index"`
		Delta struct {
			Type        string    `json:"type"`
			Text        wire.Text `json:"text"`
			Thinking    wire.Text `json:"thinking"`
			PartialJSON wire.Text `json:"partial_json"`
			Signature   string    `json:"signature"`
		} `json:"delta"`
	}
	if err := json.Unmarshal(data, &ev, wire.Lax); err != nil {
		return delta{}, fmt.Errorf("read the event content_block_delta: %w", err)
	}
	out := delta{index: indexOr(ev.Index), kind: ev.Delta.Type}
	switch out.kind {
	case "text_delta":
		out.text = string(ev.Delta.Text)
	case "thinking_delta":
		out.text = string(ev.Delta.Thinking)
	case "input_json_delta":
		out.text = string(ev.Delta.PartialJSON)
	case "signature_delta":
		out.text = ev.Delta.Signature
	}
	return out, nil
}

// deltaForms is how the deltas that come by the thousand are spelled between their index
// and their text.
var deltaForms = []struct{ kind, between string }{
	{"text_delta", `,"delta":{"type":"text_delta","text":"`},
	{"input_json_delta", `,"delta":{"type":"input_json_delta","partial_json":"`},
	{"thinking_delta", `,"delta":{"type":"thinking_delta","thinking":"`},
}

// scanDelta reads a delta as Anthropic spells it, several times faster than parseDelta.
// false means that it is spelled in another way.
func scanDelta(data []byte) (delta, bool) {
	rest, ok := bytes.CutPrefix(data, []byte(`{"type":"content_block_delta","index":`))
	if !ok {
		return delta{}, false
	}
	index, rest, ok := scanIndex(rest)
	if !ok {
		return delta{}, false
	}
	for _, form := range deltaForms {
		if tail, ok := bytes.CutPrefix(rest, []byte(form.between)); ok {
			text, ok := scanText(tail)
			return delta{index, form.kind, text}, ok
		}
	}
	return delta{}, false
}

// scanIndex reads a number of at most nine digits.
func scanIndex(s []byte) (index int, rest []byte, ok bool) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		index = index*10 + int(s[n]-'0')
		n++
	}
	return index, s[n:], 0 < n && n < 10 && (n == 1 || s[0] != '0')
}

// scanText reads the rest of a string and the two braces that end the event.
func scanText(rest []byte) (string, bool) {
	end, escaped := stringEnd(rest)
	if end < 0 || !isEnd(rest[end+1:]) {
		return "", false
	}
	if !escaped {
		return string(rest[:end]), utf8.Valid(rest[:end])
	}
	quoted := make([]byte, 0, end+2)
	quoted = append(append(append(quoted, '"'), rest[:end]...), '"')
	text, err := jsontext.AppendUnquote(nil, quoted)
	return string(text), err == nil
}

// stringEnd returns the place of the quote that ends a string, -1 if there is none or if
// the string holds a raw control character.
func stringEnd(s []byte) (end int, escaped bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i, escaped
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return -1, false
		}
	}
	return -1, false
}

// isEnd reports whether s is two closing braces with space around them; Anthropic pads
// its events with it.
func isEnd(s []byte) bool {
	const space = " \t\r\n"
	s, ok := bytes.CutPrefix(bytes.TrimLeft(s, space), []byte("}"))
	return ok && string(bytes.Trim(s, space)) == "}"
}
