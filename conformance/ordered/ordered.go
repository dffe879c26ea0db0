// Package ordered holds JSON values whose objects remember the order of their members,
// and writes them the way the tool wrote them that recorded the goldens: separators,
// number forms and escapes are those of Python's json module.
//
// A value is nil, a bool, an int, a [Number], a string, a []any or an [Object].
package ordered

import (
	"slices"
	"strconv"
)

// Object is a JSON object. Its methods never change it.
type Object []Member

// Member is one name and value of an [Object].
type Member struct {
	Name  string
	Value any
}

// Of makes an object of alternating names and values. It panics if a name is not a
// string or has no value.
func Of(pairs ...any) Object {
	if len(pairs)%2 != 0 {
		panic("ordered.Of: the last name has no value")
	}
	object := make(Object, 0, len(pairs)/2)
	for pair := range slices.Chunk(pairs, 2) {
		object = append(object, Member{Name: pair[0].(string), Value: pair[1]})
	}
	return object
}

// Get returns the value of a member, nil if there is none.
func (o Object) Get(name string) any {
	value, _ := o.Find(name)
	return value
}

// Find returns the value of a member and whether there is one.
func (o Object) Find(name string) (any, bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Has says whether the object has a member of this name.
func (o Object) Has(name string) bool {
	_, ok := o.Find(name)
	return ok
}

// Text returns a member that is a string; what is absent or no string is "".
func (o Object) Text(name string) string {
	s, _ := o.Get(name).(string)
	return s
}

// Object returns a member that is an object; what is absent or no object is nil.
func (o Object) Object(name string) Object {
	object, _ := o.Get(name).(Object)
	return object
}

// With returns a copy in which a member has this value: in its place if it exists,
// otherwise at the end.
func (o Object) With(name string, value any) Object {
	out := slices.Clone(o)
	for i := range out {
		if out[i].Name == name {
			out[i].Value = value
			return out
		}
	}
	return append(out, Member{Name: name, Value: value})
}

// Merge returns a copy with all members of other set in it.
func (o Object) Merge(other Object) Object {
	out := o
	for _, m := range other {
		out = out.With(m.Name, m.Value)
	}
	return out
}

// Without returns a copy that lacks the named members.
func (o Object) Without(names ...string) Object {
	return o.filter(func(name string) bool { return !slices.Contains(names, name) })
}

// Only returns a copy that has no other members than the named ones.
func (o Object) Only(names ...string) Object {
	return o.filter(func(name string) bool { return slices.Contains(names, name) })
}

func (o Object) filter(keep func(name string) bool) Object {
	out := make(Object, 0, len(o))
	for _, m := range o {
		if keep(m.Name) {
			out = append(out, m)
		}
	}
	return out
}

// Truthy says whether a value counts as true in a condition: not null, false, zero or
// empty.
func Truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case Number:
		return v.Float() != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case Object:
		return len(v) > 0
	}
	return true
}

// Equal says whether two values are the same JSON: the order of members does not count,
// and 1 equals 1.0.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case Object:
		b, ok := b.(Object)
		return ok && equalObjects(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Equal)
	case int, Number:
		x, y := asNumber(a), asNumber(b)
		return x == y || (y != "" && x.Float() == y.Float())
	default:
		return a == b
	}
}

func equalObjects(a, b Object) bool {
	if len(a) != len(b) {
		return false
	}
	for _, m := range a {
		other, ok := b.Find(m.Name)
		if !ok || !Equal(m.Value, other) {
			return false
		}
	}
	return true
}

// asNumber returns "" for what is no number.
func asNumber(v any) Number {
	switch v := v.(type) {
	case int:
		return Number(strconv.Itoa(v))
	case Number:
		return v
	}
	return ""
}
