package schema

import (
	"bytes"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a JSON value whose parts can be looked at. It shares memory with its text.
type value struct {
	kind jsontext.Kind // n t f " 0 { [
	// raw is the text; nil for an object or array that was made by coercion.
	raw jsontext.Value
	// name is the value's name, unquoted, if it is a member of an object.
	name []byte
	// kids are the elements of an array or the members of an object.
	kids []value
}

// text returns the meaning of a string.
func (v *value) text() string {
	inner := v.raw[1 : len(v.raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	text, _ := jsontext.AppendUnquote(nil, v.raw) // the reader has seen that it is valid
	return string(text)
}

// nameValue returns the name of a member as a string.
func nameValue(member *value) value {
	raw, _ := jsontext.AppendQuote(nil, member.name)
	return value{kind: '"', raw: raw}
}

// member returns the member of that name, or nil.
func (v *value) member(name string) *value {
	for i := range v.kids {
		if string(v.kids[i].name) == name {
			return &v.kids[i]
		}
	}
	return nil
}

// appendTo appends the value as JSON.
func (v *value) appendTo(dst []byte) []byte {
	if v.raw != nil {
		return append(dst, v.raw...)
	}
	open, end := byte('['), byte(']')
	if v.kind == '{' {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i := range v.kids {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.kind == '{' {
			dst, _ = jsontext.AppendQuote(dst, v.kids[i].name)
			dst = append(dst, ':')
		}
		dst = v.kids[i].appendTo(dst)
	}
	return append(dst, end)
}

// reader makes values from text. The values of a reader are gone when it is released.
type reader struct {
	dec   *jsontext.Decoder
	src   bytes.Buffer
	text  []byte
	stack []value // of containers that are open
	slab  []value // of containers that are complete
}

var readers = sync.Pool{New: func() any { return &reader{dec: new(jsontext.Decoder)} }}

func newReader() *reader { return readers.Get().(*reader) }

func (r *reader) release() {
	const mostKept = 1 << 8
	if cap(r.slab) > mostKept || cap(r.stack) > mostKept {
		return
	}
	clear(r.slab)
	clear(r.stack[:cap(r.stack)])
	r.slab, r.stack, r.text = r.slab[:0], r.stack[:0], nil
	r.src = bytes.Buffer{}
	r.dec.Reset(&r.src)
	readers.Put(r)
}

// read reads a text that is one value. Names of an object must be unique.
func (r *reader) read(text []byte) (value, error) {
	r.text = text
	r.src = *bytes.NewBuffer(text)
	r.dec.Reset(&r.src)
	v, err := r.value()
	if err != nil {
		return value{}, err
	}
	if _, err := r.dec.ReadToken(); err != io.EOF {
		if err == nil {
			err = errTrailing
		}
		return value{}, err
	}
	return v, nil
}

func (r *reader) value() (value, error) {
	kind := r.dec.PeekKind()
	if kind == '{' || kind == '[' {
		return r.container(kind)
	}
	raw, err := r.scalar()
	return value{kind: kind, raw: raw}, err
}

// scalar returns the next scalar as a part of the text.
func (r *reader) scalar() (jsontext.Value, error) {
	raw, err := r.dec.ReadValue()
	end := int(r.dec.InputOffset())
	return r.text[end-len(raw) : end : end], err
}

func (r *reader) container(kind jsontext.Kind) (value, error) {
	if _, err := r.dec.ReadToken(); err != nil {
		return value{}, err
	}
	start, bottom := int(r.dec.InputOffset())-1, len(r.stack)
	for {
		if next := r.dec.PeekKind(); next == '}' || next == ']' {
			break
		}
		var name jsontext.Value
		var err error
		if kind == '{' {
			if name, err = r.scalar(); err != nil {
				return value{}, err
			}
		}
		kid, err := r.value()
		if err != nil {
			return value{}, err
		}
		kid.name = unquoteName(name)
		r.stack = append(r.stack, kid)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return value{}, err
	}
	first := len(r.slab)
	r.slab = append(r.slab, r.stack[bottom:]...)
	r.stack = r.stack[:bottom]
	end := int(r.dec.InputOffset())
	return value{kind: kind, raw: r.text[start:end:end], kids: r.slab[first:len(r.slab):len(r.slab)]}, nil
}

func unquoteName(quoted jsontext.Value) []byte {
	if len(quoted) == 0 {
		return nil
	}
	if name := quoted[1 : len(quoted)-1]; bytes.IndexByte(name, '\\') < 0 {
		return name
	}
	name, _ := jsontext.AppendUnquote(nil, quoted)
	return name
}
