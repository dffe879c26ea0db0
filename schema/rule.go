package schema

import (
	"github.com/go-json-experiment/json/jsontext"
)

// rule is a compiled schema or subschema. Rules may be cyclic, but never without an
// object or array in between.
type rule struct {
	never   bool  // nothing is allowed
	types   types // 0: any
	enum    []value
	number  *numberRule
	text    *textRule
	array   *arrayRule
	object  *objectRule
	inPlace *inPlaceRule
}

// numberRule applies to numbers.
type numberRule struct {
	min, max, above, below, multipleOf *number
}

// textRule applies to strings. Lengths are in characters (code points).
type textRule struct {
	min, max *int
	pattern  *pattern
}

// arrayRule applies to arrays.
type arrayRule struct {
	min, max                 *int
	unique                   bool
	prefix                   []*rule
	items                    *rule // of the elements after prefix
	contains                 *rule
	minContains, maxContains *int
	unevaluated              *rule
}

// objectRule applies to objects.
type objectRule struct {
	min, max          *int
	required          []string
	properties        map[string]*rule
	order             []string // of properties
	patterns          []patternRule
	additional        *rule // of members that properties and patterns do not name
	open              bool  // additional members are allowed in so many words
	names             *rule
	dependentRequired []dependentNames
	unevaluated       *rule
}

// dependentNames are required in objects that have a member of that name.
type dependentNames struct {
	name     string
	required []string
}

type patternRule struct {
	*pattern
	*rule
}

// inPlaceRule has rules for the same value.
type inPlaceRule struct {
	ref                   *rule
	allOf                 []*rule
	anyOf, oneOf          []*rule
	not                   *rule
	cond, then, otherwise *rule // if, then, else
	dependent             []dependentRule
}

// dependentRule applies to objects that have a member of that name.
type dependentRule struct {
	name string
	*rule
}

// each calls f for every rule that applies to the same value.
func (r *inPlaceRule) each(f func(*rule)) {
	for _, sub := range [...]*rule{r.ref, r.not, r.cond, r.then, r.otherwise} {
		if sub != nil {
			f(sub)
		}
	}
	for _, subs := range [...][]*rule{r.allOf, r.anyOf, r.oneOf} {
		for _, sub := range subs {
			f(sub)
		}
	}
	for _, d := range r.dependent {
		f(d.rule)
	}
}

// types is a set of JSON types.
type types uint8

const (
	typeString types = 1 << iota
	typeNumber
	typeInteger
	typeBoolean
	typeObject
	typeArray
	typeNull
)

// typeNames are the names of types, in the order in which they are listed to a model.
var typeNames = []struct {
	t    types
	name string
}{
	{typeString, "string"},
	{typeNumber, "number"},
	{typeInteger, "integer"},
	{typeBoolean, "boolean"},
	{typeObject, "object"},
	{typeArray, "array"},
	{typeNull, "null"},
}

func typeOf(name string) types {
	for _, t := range typeNames {
		if t.name == name {
			return t.t
		}
	}
	return 0
}

func (t types) names() []string {
	var names []string
	for _, n := range typeNames {
		if t&n.t != 0 && (n.t != typeInteger || t&typeNumber == 0) {
			names = append(names, n.name)
		}
	}
	return names
}

// typeOfKind returns the type of values of a kind; for numbers number alone.
func typeOfKind(k jsontext.Kind) types {
	switch k {
	case '"':
		return typeString
	case '0':
		return typeNumber
	case 't', 'f':
		return typeBoolean
	case '{':
		return typeObject
	case '[':
		return typeArray
	}
	return typeNull
}
