package openai

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/skim"
)

// details collects reasoning_details: thinking in a form that has to come back unchanged.
// Pieces of the same text are joined; each piece is looked at once.
type details struct {
	list    []*detail
	open    map[detailKey]*detail // texts that may go on
	current *detail               // the one of them that came last
	piece   []member              // of the piece that is being read
}

// detailKey says which pieces belong together.
type detailKey struct {
	kind  string // the member type
	index string // the member index as JSON; empty if there is none
}

// detail is one entry, with its members in the order in which they came.
type detail struct {
	key     detailKey
	id      string
	members []member
}

type member struct {
	name  string
	value jsontext.Value
	text  []byte // of a member that grows, in place of value
}

// add takes the entries of one delta, which are valid JSON. What is no list of objects
// is left out.
func (ds *details) add(raw jsontext.Value) {
	s := skim.New(raw)
	s.Array(func() bool {
		ds.piece = ds.piece[:0]
		ok := s.Object(func(key []byte) bool {
			m := member{name: nameOf(key)}
			ok := s.Value((*[]byte)(&m.value))
			ds.piece = append(ds.piece, m)
			return ok
		})
		if ok {
			ds.take()
		}
		return ok
	})
}

// take joins the piece with its entry, or begins one.
func (ds *details) take() {
	kind, index, id := ds.valueOf("type"), ds.valueOf("index"), ds.valueOf("id")
	d := ds.current
	if d == nil || string(kind) != d.key.kind || string(index) != d.key.index {
		key := detailKey{string(kind), string(index)}
		d = ds.open[key]
		if d == nil {
			d = &detail{key: key, id: stringOf(id)}
			ds.list = append(ds.list, d)
		}
		ds.keepOpen(d)
	}
	for _, m := range ds.piece {
		d.set(m)
	}
}

// keepOpen remembers an entry whose text may go on.
func (ds *details) keepOpen(d *detail) {
	switch d.key.kind {
	case `"reasoning.text"`, `"reasoning.summary"`:
	default:
		return
	}
	if ds.open == nil {
		ds.open = make(map[detailKey]*detail)
	}
	ds.open[d.key] = d
	ds.current = d
}

func (ds *details) valueOf(name string) jsontext.Value {
	for _, m := range ds.piece {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// shown returns the text of the entries of one delta.
func shown(raw jsontext.Value) string {
	var text string
	s := skim.New(raw)
	s.Array(func() bool {
		return s.Object(func(key []byte) bool {
			m := member{name: nameOf(key)}
			ok := s.Value((*[]byte)(&m.value))
			if ok && m.grows() {
				text += skim.UnquotePiece(m.value)
			}
			return ok
		})
	})
	return text
}

// nameOf returns the name of a member without copying those that are known.
func nameOf(key []byte) string {
	switch string(key) {
	case "type":
		return "type"
	case "text":
		return "text"
	case "summary":
		return "summary"
	case "index":
		return "index"
	case "format":
		return "format"
	case "id":
		return "id"
	case "signature":
		return "signature"
	case "data":
		return "data"
	}
	return string(key)
}

// grows reports whether the member holds text that comes in pieces.
func (m *member) grows() bool {
	return (m.name == "text" || m.name == "summary") && m.value.Kind() == '"'
}

// set adds a member or what is new of it.
func (d *detail) set(m member) {
	for i := range d.members {
		old := &d.members[i]
		if old.name != m.name {
			continue
		}
		switch {
		case m.grows() && old.text != nil:
			old.text = skim.AppendPiece(old.text, m.value)
		case m.value.Kind() != 'n' && !bytes.Equal(m.value, old.value):
			*old = m.keep()
		}
		return
	}
	d.members = append(d.members, m.keep())
}

// keep returns a member that does not share memory with the chunk.
func (m member) keep() member {
	if m.grows() {
		m.text = skim.AppendPiece(make([]byte, 0, 64), m.value)
		m.value = nil
		return m
	}
	m.value = m.value.Clone()
	return m
}

// takeFor takes out the entries that belong to a call and yields the call's id and the
// entry's JSON. An entry may have come long before its call.
func (ds *details) takeFor(index func(id string) int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var rest []*detail
		for i, d := range ds.list {
			if d.id == "" || index(d.id) < 0 {
				rest = append(rest, d)
			} else if !yield(d.id, string(d.append(nil))) {
				rest = append(rest, ds.list[i+1:]...)
				break
			}
		}
		ds.list = rest
	}
}

// json returns the entries as a JSON array; empty if there are none.
func (ds *details) json() string {
	if len(ds.list) == 0 {
		return ""
	}
	out := []byte{'['}
	for i, d := range ds.list {
		if i > 0 {
			out = append(out, ',')
		}
		out = d.append(out)
	}
	return string(append(out, ']'))
}

func (d *detail) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range d.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, _ = jsontext.AppendQuote(dst, m.name) // its only error is about invalid UTF-8, which it replaces
		dst = append(dst, ':')
		if m.text != nil {
			text, cut := skim.Join("", string(m.text))
			if cut != "" {
				text += "\uFFFD"
			}
			dst, _ = jsontext.AppendQuote(dst, text)
		} else {
			dst = append(dst, m.value...)
		}
	}
	return append(dst, '}')
}

func stringOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return skim.Unquote(v)
}
