package google

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/skim"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// chunk is one event of the stream. It is decoded into the same value again and again.
type chunk struct {
	Candidates []candidate    `json:"candidates"`
	Feedback   feedback       `json:"promptFeedback"`
	Usage      *usage         `json:"usageMetadata"`
	Model      wire.Repeated  `json:"modelVersion"`
	ID         wire.Repeated  `json:"responseId"`
	Error      jsontext.Value `json:"error"`

	counts usage // memory for Usage
}

type candidate struct {
	Content struct {
		Parts []answerPart `json:"parts"`
	} `json:"content"`
	FinishReason  text `json:"finishReason"`
	FinishMessage text `json:"finishMessage"`
}

type feedback struct {
	BlockReason        text `json:"blockReason"`
	BlockReasonMessage text `json:"blockReasonMessage"`
}

// answerPart is a part of an answer; parts of other kinds are empty here.
type answerPart struct {
	Text         optional    `json:"text"`
	Thought      bool        `json:"thought"`
	Signature    text        `json:"thoughtSignature"`
	FunctionCall *calledPart `json:"functionCall"`
}

type calledPart struct {
	ID   text           `json:"id"`
	Name text           `json:"name"`
	Args jsontext.Value `json:"args"`
}

// usage counts tokens. The prompt includes what was cached; candidates leave out what was
// thought.
type usage struct {
	Prompt     wire.Count `json:"promptTokenCount"`
	Cached     wire.Count `json:"cachedContentTokenCount"`
	Candidates wire.Count `json:"candidatesTokenCount"`
	Thoughts   wire.Count `json:"thoughtsTokenCount"`
	Total      wire.Count `json:"totalTokenCount"`
}

func (u *usage) usage() ai.Usage {
	return ai.Usage{
		Input:       int(max(u.Prompt-u.Cached, 0)),
		Output:      int(u.Candidates + u.Thoughts),
		CacheRead:   int(u.Cached),
		Reasoning:   new(int(u.Thoughts)),
		TotalTokens: int(u.Total),
	}
}

// read reads a chunk.
func (c *chunk) read(data []byte) error {
	if c.skim(data) {
		return nil
	}
	*c = chunk{Model: c.Model, ID: c.ID}
	return json.Unmarshal(data, c, wire.Lax)
}

// skim reads the chunks that nearly all of a stream consists of: one candidate with text.
// It reports false for all other chunks and leaves c to be decoded.
func (c *chunk) skim(data []byte) bool {
	if len(c.Candidates) != 1 {
		c.Candidates = make([]candidate, 1)
	}
	parts := c.Candidates[0].Content.Parts[:0]
	c.Candidates[0] = candidate{}
	c.Feedback, c.Usage, c.Error = feedback{}, nil, nil
	found := false
	s := skim.New(data)
	ok := s.Object(func(name []byte) bool {
		switch string(name) {
		case "candidates":
			if found {
				return false
			}
			found = true
			n := 0
			return s.Array(func() bool {
				n++
				return n == 1 && skimCandidate(s, &parts)
			})
		case "usageMetadata":
			c.counts = usage{}
			c.Usage = &c.counts
			return skimUsage(s, c.Usage)
		case "modelVersion":
			return c.Model.Skim(s)
		case "responseId":
			return c.ID.Skim(s)
		case "error", "promptFeedback":
			return s.Null()
		}
		return s.Skip()
	})
	c.Candidates[0].Content.Parts = parts
	return ok && found && s.End()
}

func skimCandidate(s *skim.Scanner, parts *[]answerPart) bool {
	return s.Object(func(name []byte) bool {
		switch string(name) {
		case "content":
			return s.Object(func(name []byte) bool {
				if string(name) == "parts" {
					return s.Array(func() bool { return skimPart(s, parts) })
				}
				return s.Skip()
			})
		case "finishReason", "finishMessage":
			return s.Null()
		}
		return s.Skip()
	})
}

// skimPart reads a part of text or thinking without a signature.
func skimPart(s *skim.Scanner, parts *[]answerPart) bool {
	var p answerPart
	ok := s.Object(func(name []byte) bool {
		switch string(name) {
		case "text":
			p.Text.given = true
			return s.Text(&p.Text.s)
		case "thought":
			return s.Bool(&p.Thought)
		}
		return false
	})
	*parts = append(*parts, p)
	return ok
}

func skimUsage(s *skim.Scanner, u *usage) bool {
	read := func(into *wire.Count) bool {
		n := 0
		ok := s.Int(&n)
		*into = wire.Count(n)
		return ok
	}
	return s.Object(func(name []byte) bool {
		switch string(name) {
		case "promptTokenCount":
			return read(&u.Prompt)
		case "cachedContentTokenCount":
			return read(&u.Cached)
		case "candidatesTokenCount":
			return read(&u.Candidates)
		case "thoughtsTokenCount":
			return read(&u.Thoughts)
		case "totalTokenCount":
			return read(&u.Total)
		}
		return s.Skip()
	})
}

// optional is a string that may be missing.
type optional struct {
	s     string
	given bool
}

// UnmarshalJSONFrom reads any value; what is no string is not given.
func (o *optional) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	given := d.PeekKind() == '"'
	var t text
	err := t.UnmarshalJSONFrom(d)
	*o = optional{string(t), given}
	return err
}

// text is a string; what is none is empty.
type text string

// UnmarshalJSONFrom reads any value.
func (t *text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	*t = ""
	if raw.Kind() == '"' {
		*t = text(skim.UnquotePiece(raw))
	}
	return nil
}
