package mistral

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/calls"
	"github.com/rondo-agent/rondo/ai/internal/skim"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// chunk is one piece of an answer. It is read into the same value again and again.
type chunk struct {
	ID, Model wire.Repeated
	Pieces    []piece
	Calls     []calls.Piece
	Finish    string
	Usage     *usage
	Choices   int
}

// piece is a piece of text or thinking.
type piece struct {
	thinking bool
	text     string
}

// read reads a chunk.
func (c *chunk) read(data []byte) error {
	c.reset()
	if c.skim(data) {
		return nil
	}
	c.reset()
	return c.decode(data)
}

func (c *chunk) reset() {
	c.Pieces, c.Calls, c.Finish, c.Usage, c.Choices = c.Pieces[:0], c.Calls[:0], "", nil, 0
}

// skim reads the chunks that nearly all of a stream consists of; false for all others,
// damaged ones included.
func (c *chunk) skim(data []byte) bool {
	s := skim.New(data)
	return s.Object(func(key []byte) bool {
		switch string(key) {
		case "id":
			return c.ID.Skim(s)
		case "model":
			return c.Model.Skim(s)
		case "choices":
			return s.Array(func() bool {
				c.Choices++
				return c.Choices == 1 && c.skimChoice(s) // two are not for us to judge
			})
		case "usage":
			return s.Null()
		}
		return s.Skip()
	}) && c.Choices == 1 && s.End()
}

func (c *chunk) skimChoice(s *skim.Scanner) bool {
	content := false
	return s.Object(func(key []byte) bool {
		switch string(key) {
		case "delta":
			return s.Object(func(key []byte) bool {
				switch string(key) {
				case "content":
					again := content
					content = true
					return !again && c.skimContent(s)
				case "tool_calls":
					return s.Null()
				}
				return s.Skip()
			})
		case "finish_reason":
			return s.Null()
		}
		return s.Skip()
	})
}

// skimContent reads a text or a list of parts.
func (c *chunk) skimContent(s *skim.Scanner) bool {
	var whole string
	if s.Text(&whole) {
		c.add(false, whole)
		return true
	}
	return s.Array(func() bool { return c.skimPart(s) })
}

func (c *chunk) skimPart(s *skim.Scanner) bool {
	var kind []byte
	var text string
	thought := false
	if !s.Object(func(key []byte) bool {
		switch string(key) {
		case "type":
			return s.Raw(&kind)
		case "text":
			return s.Text(&text)
		case "thinking":
			again := thought
			thought = true
			return !again && s.Array(func() bool {
				var piece string
				ok := s.Object(func(key []byte) bool {
					if string(key) != "text" {
						return s.Skip()
					}
					return s.Text(&piece)
				})
				c.add(true, piece)
				return ok
			})
		}
		return s.Skip()
	}) {
		return false
	}
	switch string(kind) {
	case `"text"`:
		c.add(false, text)
		return !thought
	case `"thinking"`:
		return text == ""
	}
	return false
}

func (c *chunk) add(thinking bool, text string) {
	if text != "" {
		c.Pieces = append(c.Pieces, piece{thinking, text})
	}
}

// decode reads a chunk of any form.
func (c *chunk) decode(data []byte) error {
	var form struct {
		ID      *wire.Repeated `json:"id"`
		Model   *wire.Repeated `json:"model"`
		Choices []choice       `json:"choices"`
		Usage   *usage         `json:"usage"`
	}
	form.ID, form.Model = &c.ID, &c.Model
	if err := json.Unmarshal(data, &form, wire.Lax); err != nil {
		return err
	}
	c.Usage, c.Choices = form.Usage, len(form.Choices)
	if c.Choices == 0 { // one is asked for
		return nil
	}
	first := &form.Choices[0]
	c.Finish = string(first.Finish)
	c.content(first.Delta.Content)
	for i := range first.Delta.Calls {
		c.Calls = append(c.Calls, *first.Delta.Calls[i].piece())
	}
	return nil
}

type choice struct {
	Delta struct {
		Content jsontext.Value `json:"content"`
		Calls   []callDelta    `json:"tool_calls"`
	} `json:"delta"`
	Finish text `json:"finish_reason"`
}

type callDelta struct {
	ID       text       `json:"id"`
	Index    wire.Index `json:"index"`
	Function struct {
		Name      text `json:"name"`
		Arguments text `json:"arguments"`
	} `json:"function"`
}

// piece is the delta without its JSON. The service writes null as a word where the id has
// been told already.
func (d *callDelta) piece() *calls.Piece {
	p := &calls.Piece{
		ID: string(d.ID), Name: string(d.Function.Name), Arguments: string(d.Function.Arguments),
		Index: d.Index.N, Indexed: d.Index.Given,
	}
	if p.ID == "null" {
		p.ID = ""
	}
	return p
}

// content takes a text or a list of parts.
func (c *chunk) content(raw jsontext.Value) {
	switch raw.Kind() {
	case '"':
		c.add(false, skim.UnquotePiece(raw))
	case '[':
		var list []struct {
			Type     text           `json:"type"`
			Text     text           `json:"text"`
			Thinking jsontext.Value `json:"thinking"`
		}
		if json.Unmarshal(raw, &list, wire.Lax) != nil {
			return
		}
		for _, p := range list {
			switch p.Type {
			case "text":
				c.add(false, string(p.Text))
			case "thinking":
				c.thinking(p.Thinking)
			}
		}
	}
}

func (c *chunk) thinking(raw jsontext.Value) {
	switch raw.Kind() {
	case '"':
		c.add(true, skim.UnquotePiece(raw))
	case '[':
		var list []struct {
			Text text `json:"text"`
		}
		if json.Unmarshal(raw, &list, wire.Lax) != nil {
			return
		}
		for _, p := range list {
			c.add(true, string(p.Text))
		}
	}
}

// usage counts tokens. The prompt includes what was cached; which field says how much
// depends on the version of the service (Pi 0.85).
type usage struct {
	Prompt     wire.Count `json:"prompt_tokens"`
	Completion wire.Count `json:"completion_tokens"`
	Total      wire.Count `json:"total_tokens"`
	Cached     wire.Count `json:"num_cached_tokens"`
	Details    details    `json:"prompt_tokens_details"`
	Detail     details    `json:"prompt_token_details"`
}

type details struct {
	Cached wire.Count `json:"cached_tokens"`
}

// usage makes the counts disjoint.
func (u *usage) usage() ai.Usage {
	cached := max(u.Cached, u.Details.Cached, u.Detail.Cached)
	return ai.Usage{
		Input: int(max(u.Prompt-cached, 0)), Output: int(u.Completion), CacheRead: int(cached), TotalTokens: int(u.Total),
	}
}

type text = wire.Text
