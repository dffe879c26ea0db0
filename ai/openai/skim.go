package openai

import "github.com/rondo-agent/rondo/ai/internal/skim"

// skim reads the chunks that nearly all of a stream consists of: one choice whose delta has
// text, thinking or pieces of calls. It reports false for all other chunks, damaged ones
// included, and leaves c to be decoded.
func (c *chunk) skim(data []byte) bool {
	s := skim.New(data)
	c.Usage, c.Error = nil, nil
	if cap(c.Choices) == 0 {
		c.Choices = make([]choice, 1)
	}
	c.Choices = c.Choices[:1]
	c.Choices[0] = choice{}
	c.calls = c.calls[:0]
	choices := 0
	ok := s.Object(func(key []byte) bool {
		switch string(key) {
		case "id":
			return c.ID.Skim(s)
		case "model":
			return c.Model.Skim(s)
		case "object":
			return c.Object.Skim(s)
		case "choices":
			return s.Array(func() bool {
				choices++
				return choices == 1 && c.skimChoice(s) // two are not for us to judge
			})
		case "usage", "error":
			return s.Null()
		}
		return s.Skip()
	})
	return ok && choices == 1 && s.End()
}

func (c *chunk) skimChoice(s *skim.Scanner) bool {
	return s.Object(func(key []byte) bool {
		switch string(key) {
		case "delta":
			return c.skimDelta(s)
		case "finish_reason", "usage", "error":
			return s.Null()
		}
		return s.Skip()
	})
}

func (c *chunk) skimDelta(s *skim.Scanner) bool {
	d := &c.Choices[0].Delta
	return s.Object(func(key []byte) bool {
		switch string(key) {
		case "content":
			return d.Content.skim(s)
		case "reasoning_content":
			return d.ReasoningContent.skim(s)
		case "reasoning":
			return d.Reasoning.skim(s)
		case "reasoning_text":
			return d.ReasoningText.skim(s)
		case "reasoning_details":
			return s.Value((*[]byte)(&d.ReasoningDetails))
		case "tool_calls":
			if s.Null() {
				return true
			}
			if d.ToolCalls != nil {
				return false
			}
			ok := s.Array(func() bool { return c.skimCall(s) })
			d.ToolCalls = c.calls
			return ok
		case "refusal", "function_call":
			return s.Null()
		}
		return s.Skip()
	})
}

func (c *chunk) skimCall(s *skim.Scanner) bool {
	var d callDelta
	ok := s.Object(func(key []byte) bool {
		switch string(key) {
		case "index":
			d.Index.Given = true
			return s.Int(&d.Index.N)
		case "id":
			return d.ID.skim(s)
		case "function":
			return s.Object(func(key []byte) bool {
				switch string(key) {
				case "name":
					return d.Function.Name.skim(s)
				case "arguments":
					return d.Function.Arguments.skim(s)
				}
				return s.Skip()
			})
		}
		return s.Skip()
	})
	c.calls = append(c.calls, d)
	return ok
}

func (t *text) skim(s *skim.Scanner) bool { return s.Text((*string)(t)) }
