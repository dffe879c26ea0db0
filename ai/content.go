package ai

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Block is one piece of a message's content: [*Text], [*Thinking], [*Image],
// [*ToolCall], or [*UnknownBlock] for a type that this package does not know.
//
//sumtype:decl
type Block interface {
	// Type is the block's discriminant on the wire.
	Type() string
	block()
}

// The discriminants of content blocks.
const (
	TypeText     = "text"
	TypeThinking = "thinking"
	TypeImage    = "image"
	TypeToolCall = "toolCall"
)

// Text is text of a user, a model or a tool.
type Text struct {
	Text string `json:"text"`
	// Signature is the provider's opaque token for this block. It is replayed to the
	// model that made it and to no other.
	Signature string         `json:"textSignature,omitzero"`
	Unknown   jsontext.Value `json:",embed"`
}

// Thinking is a model's reasoning.
type Thinking struct {
	Thinking string `json:"thinking"`
	// Signature is the provider's opaque token for this block.
	Signature string `json:"thinkingSignature,omitzero"`
	// Redacted says that the provider withheld the text; Signature then holds its
	// encrypted form.
	Redacted bool           `json:"redacted,omitzero"`
	Unknown  jsontext.Value `json:",embed"`
}

// Image is an image, for instance of a screen.
type Image struct {
	// Data is the file in base64.
	Data string `json:"data"`
	// MIMEType is the file's type, such as image/png.
	MIMEType string         `json:"mimeType"`
	Unknown  jsontext.Value `json:",embed"`
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is a JSON object as the model wrote it, before any coercion.
	Arguments jsontext.Value `json:"arguments"`
	// ThoughtSignature is Google's token that binds the call to the reasoning before it.
	ThoughtSignature string `json:"thoughtSignature,omitzero"`
	// Namespace is the provider's group of the tool, where it has one.
	Namespace string         `json:"namespace,omitzero"`
	Unknown   jsontext.Value `json:",embed"`

	// ArgumentsError says why the arguments that were streamed are no complete JSON
	// object. Arguments then holds what could be salvaged, for display only: such a
	// call must not run. It is not part of the JSON form.
	ArgumentsError string `json:"-"`
	// RawArguments is the streamed text that ArgumentsError is about.
	RawArguments string `json:"-"`
}

// UnknownBlock is a content block of a type that this package does not know.
type UnknownBlock struct {
	typ string
	// Raw is the block's JSON, byte for byte.
	Raw jsontext.Value
}

// Type returns "text".
func (*Text) Type() string { return TypeText }

// Type returns "thinking".
func (*Thinking) Type() string { return TypeThinking }

// Type returns "image".
func (*Image) Type() string { return TypeImage }

// Type returns "toolCall".
func (*ToolCall) Type() string { return TypeToolCall }

// Type returns the discriminant found in the JSON, which may be empty.
func (b *UnknownBlock) Type() string { return b.typ }

func (*Text) block()         {}
func (*Thinking) block()     {}
func (*Image) block()        {}
func (*ToolCall) block()     {}
func (*UnknownBlock) block() {}

// newBlock maps a discriminant to an empty block.
var newBlock = map[string]func() Block{
	TypeText:     func() Block { return new(Text) },
	TypeThinking: func() Block { return new(Thinking) },
	TypeImage:    func() Block { return new(Image) },
	TypeToolCall: func() Block { return new(ToolCall) },
}

// Content is what a message consists of, in order.
//
// Its JSON form is an array of blocks. A plain JSON string is accepted as well and
// read as one [Text].
type Content []Block

// TextContent returns content that consists of one text.
func TextContent(text string) Content { return Content{&Text{Text: text}} }

// Text returns the texts of c, joined without separator.
func (c Content) Text() string {
	if len(c) == 1 {
		if t, ok := c[0].(*Text); ok {
			return t.Text
		}
	}
	var b strings.Builder
	for _, block := range c {
		if t, ok := block.(*Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// ToolCalls returns the tool calls of c in order.
func (c Content) ToolCalls() []*ToolCall {
	var calls []*ToolCall
	for _, block := range c {
		if call, ok := block.(*ToolCall); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// typed is the JSON form of a block or message whose discriminant is not a Go field.
type typed[T any] struct {
	Type string `json:"type"`
	Body *T     `json:",embed"`
}

// The plain types have the fields of the blocks but not their methods.
type (
	plainText     Text
	plainThinking Thinking
	plainImage    Image
	plainToolCall ToolCall
)

// MarshalJSONTo writes the block with its type.
func (b *Text) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, typed[plainText]{TypeText, (*plainText)(b)})
}

// MarshalJSONTo writes the block with its type.
func (b *Thinking) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, typed[plainThinking]{TypeThinking, (*plainThinking)(b)})
}

// MarshalJSONTo writes the block with its type.
func (b *Image) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, typed[plainImage]{TypeImage, (*plainImage)(b)})
}

// MarshalJSONTo writes the block with its type. Missing arguments are written as {}.
func (b *ToolCall) MarshalJSONTo(e *jsontext.Encoder) error {
	plain := (*plainToolCall)(b)
	if len(b.Arguments) == 0 {
		withArgs := *plain
		withArgs.Arguments = jsontext.Value("{}")
		plain = &withArgs
	}
	return json.MarshalEncode(e, typed[plainToolCall]{TypeToolCall, plain})
}

// MarshalJSONTo writes the block as it was read.
func (b *UnknownBlock) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(b.Raw) }

// discard has the discriminant that encoders write and decoders have already seen.
func unmarshalTyped[T any](raw jsontext.Value, into *T) error {
	return json.Unmarshal(raw, &typed[T]{Body: into})
}

// leading returns the discriminant of an object that begins with it, as most do: reading
// the head of a long text takes a whole pass over it. It returns "" for any other form.
func leading(raw []byte, begin string) string {
	rest, _ := bytes.CutPrefix(raw, []byte(begin))
	end := bytes.IndexByte(rest[:min(len(rest), 32)], '"')
	if len(rest) == len(raw) || end < 0 {
		return ""
	}
	return string(rest[:end])
}

// loneText reads a text block that has nothing but its text; nil is any other block.
func loneText(raw []byte) *Text {
	quoted, found := bytes.CutPrefix(raw, []byte(`{"type":"text","text":`))
	if !found || quoted[len(quoted)-1] != '}' {
		return nil
	}
	scratch := scratches.Get().(*[]byte)
	text, err := jsontext.AppendUnquote(slices.Grow((*scratch)[:0], len(quoted)), quoted[:len(quoted)-1])
	if cap(text) <= maxScratch {
		*scratch = text
	}
	defer scratches.Put(scratch)
	if err != nil {
		return nil
	}
	return &Text{Text: string(text)}
}

// scratches are buffers for texts on their way. One that a large text has taken is not kept.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 256 << 10

// decodeBlock reads one block; raw is valid JSON.
func decodeBlock(raw jsontext.Value) (Block, error) {
	if t := loneText(raw); t != nil {
		return t, nil
	}
	typ := leading(raw, `{"type":"`)
	construct, known := newBlock[typ]
	if !known {
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(raw, &head); err != nil {
			return nil, fmt.Errorf("read content block: %w", err)
		}
		typ = head.Type
		construct, known = newBlock[typ]
	}
	if !known {
		return &UnknownBlock{typ: typ, Raw: bytes.Clone(raw)}, nil
	}
	block := construct()
	var err error
	switch b := block.(type) {
	case *Text:
		err = unmarshalTyped(raw, (*plainText)(b))
	case *Thinking:
		err = unmarshalTyped(raw, (*plainThinking)(b))
	case *Image:
		err = unmarshalTyped(raw, (*plainImage)(b))
	case *ToolCall:
		err = unmarshalTyped(raw, (*plainToolCall)(b))
	case *UnknownBlock:
	}
	if err != nil {
		return nil, fmt.Errorf("read content block of type %q: %w", typ, err)
	}
	return block, nil
}

// MarshalJSONTo writes an array; nil content is an empty one.
func (c Content) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, block := range c {
		if err := json.MarshalEncode(e, block); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndArray)
}

// UnmarshalJSONFrom reads an array of blocks, a string, or null.
func (c *Content) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '[' {
		return c.readText(d)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	blocks := Content{}
	for d.PeekKind() != ']' {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		block, err := decodeBlock(raw)
		if err != nil {
			return err
		}
		blocks = append(blocks, block)
	}
	*c = blocks
	_, err := d.ReadToken()
	return err
}

// readText reads a string, or null.
func (c *Content) readText(d *jsontext.Decoder) error {
	var text *string
	if err := json.UnmarshalDecode(d, &text); err != nil {
		return err
	}
	*c = nil
	if text != nil {
		*c = TextContent(*text)
	}
	return nil
}
