package google

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/skim"
)

// chunk is one event of the stream. It is decoded into the same value again and again.
type chunk struct {
	Candidates []candidate    `json:"candidates"`
	Feedback   feedback       `json:"promptFeedback"`
	Usage      *usage         `json:"usageMetadata"`
	Model      repeated       `json:"modelVersion"`
	ID         repeated       `json:"responseId"`
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
	Prompt     count `json:"promptTokenCount"`
	Cached     count `json:"cachedContentTokenCount"`
	Candidates count `json:"candidatesTokenCount"`
	Thoughts   count `json:"thoughtsTokenCount"`
	Total      count `json:"totalTokenCount"`
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

// lax accepts what servers send: text that is no Unicode, repeated names.
var lax = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// read reads a chunk.
func (c *chunk) read(data []byte) error {
	if c.skim(data) {
		return nil
	}
	*c = chunk{Model: c.Model, ID: c.ID}
	return json.Unmarshal(data, c, lax)
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
			return c.Model.skim(s)
		case "responseId":
			return c.ID.skim(s)
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
	read := func(into *count) bool {
		n := 0
		ok := s.Int(&n)
		*into = count(n)
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

// repeated is a string that is the same in every chunk, and is kept instead of made anew.
type repeated struct {
	raw []byte
	s   string
}

// UnmarshalJSONFrom reads any value; what is no string is empty.
func (r *repeated) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	r.set(raw)
	return nil
}

func (r *repeated) skim(s *skim.Scanner) bool {
	var raw []byte
	ok := s.Raw(&raw)
	if ok {
		r.set(raw)
	}
	return ok
}

func (r *repeated) set(raw []byte) {
	if string(raw) == string(r.raw) {
		return
	}
	r.raw = append(r.raw[:0], raw...)
	r.s = ""
	if raw[0] == '"' {
		r.s = skim.Unquote(raw)
	}
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
		*t = text(skim.Unquote(raw))
	}
	return nil
}

// count is a number of tokens; what is none is 0.
type count int

// UnmarshalJSONFrom reads any value.
func (c *count) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	*c = 0
	if raw.Kind() == '0' {
		n, _ := strconv.ParseFloat(string(raw), 64) // its only error is about numbers too large
		*c = count(min(max(n, 0), math.MaxInt32))
	}
	return nil
}
