package openai

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// details collects reasoning_details: thinking in a form that has to come back unchanged.
// Pieces of the same text are joined; each piece is looked at once.
type details struct {
	list []*detail
	last map[detailKey]*detail // texts that may go on
}

// detailKey says which pieces belong together.
type detailKey struct {
	kind, index string
}

// detail is one entry, with its members in the order in which they came.
type detail struct {
	id      string
	members []member
}

type member struct {
	name  string
	value jsontext.Value
	text  []byte // of a member that grows, in place of value
}

// add takes the entries of one delta and returns their text.
func (ds *details) add(raw jsontext.Value) (shown string) {
	var pieces []jsontext.Value
	if json.Unmarshal(raw, &pieces, lax) != nil {
		return ""
	}
	for _, piece := range pieces {
		shown += ds.addPiece(piece)
	}
	return shown
}

func (ds *details) addPiece(raw jsontext.Value) (shown string) {
	members := readMembers(raw)
	if members == nil {
		return ""
	}
	var key detailKey
	var id string
	for _, m := range members {
		switch {
		case m.name == "type":
			key.kind = stringOf(m.value)
		case m.name == "index":
			key.index = string(m.value)
		case m.name == "id":
			id = stringOf(m.value)
		case m.grows():
			shown += stringOf(m.value)
		}
	}
	into := ds.last[key]
	if into == nil {
		into = &detail{id: id}
		ds.list = append(ds.list, into)
	}
	for _, m := range members {
		into.set(m)
	}
	if key.kind == "reasoning.text" || key.kind == "reasoning.summary" {
		if ds.last == nil {
			ds.last = make(map[detailKey]*detail)
		}
		ds.last[key] = into
	}
	return shown
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
			old.text = append(old.text, stringOf(m.value)...)
		case m.value.Kind() != 'n':
			*old = grown(m)
		}
		return
	}
	d.members = append(d.members, grown(m))
}

// grown returns a member that can grow, if it is one of those.
func grown(m member) member {
	if m.grows() {
		m.text = append(make([]byte, 0, 64), stringOf(m.value)...)
	}
	return m
}

// takeFor takes out the entries that belong to a call and yields the call's id and the
// entry's JSON. An entry may have come long before its call.
func (ds *details) takeFor(index func(id string) int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		rest := ds.list[:0]
		for _, d := range ds.list {
			if d.id == "" || index(d.id) < 0 {
				rest = append(rest, d)
				continue
			}
			if !yield(d.id, string(d.append(nil))) {
				return
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
			dst, _ = jsontext.AppendQuote(dst, m.text)
		} else {
			dst = append(dst, m.value...)
		}
	}
	return append(dst, '}')
}

// readMembers returns the members of an object in order; nil if it is none.
func readMembers(raw jsontext.Value) []member {
	d := jsontext.NewDecoder(bytes.NewReader(raw), lax)
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	members := make([]member, 0, 6)
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil
		}
		m := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		m.value = value.Clone()
		members = append(members, m)
	}
	return members
}

func stringOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return unquote(v)
}
