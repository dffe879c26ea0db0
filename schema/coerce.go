package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// coercer converts what does not match, in copies: values of a reader share memory.
type coercer struct {
	checker
	depth int
}

// deepest is how deep in the arguments coercion goes. Each level checks what is below it
// again.
const deepest = 100

// fix returns v with everything converted that can be made to match r. What matches
// already stays as it is, and so does what cannot be made to match.
func (c *coercer) fix(r *rule, v value) value {
	if c.depth > deepest || c.steps <= 0 || c.quietly(r, &v) {
		return v
	}
	c.depth++
	defer func() { c.depth-- }()
	switch v.kind {
	case '{':
		v = c.fixObject(r.object, v)
	case '[':
		v = c.fixArray(r.array, v)
	default:
		if converted, ok := c.fixScalar(r, v); ok {
			return converted
		}
	}
	if r.inPlace != nil {
		v = c.fixInPlace(r.inPlace, v)
	}
	return v
}

// fixScalar converts v to one of the types or values that r names, if the result is
// valid.
func (c *coercer) fixScalar(r *rule, v value) (value, bool) {
	wanted := r.types
	if wanted == 0 {
		wanted = typesOf(r.enum)
	}
	for _, convert := range conversions {
		if wanted&convert.to == 0 {
			continue
		}
		if converted, ok := convert.do(v); ok && c.quietly(r, &converted) {
			return converted, true
		}
	}
	return v, false
}

func (c *coercer) fixObject(r *objectRule, v value) value {
	if r == nil {
		return v
	}
	kids := make([]value, 0, len(v.kids))
	changed := false
	for _, kid := range v.kids {
		if c.droppable(r, &kid) {
			changed = true
			continue
		}
		fixed := kid
		for _, member := range r.rulesFor(kid.name) {
			fixed = c.fix(member, fixed)
		}
		fixed.name = kid.name
		changed = changed || !same(&fixed, &kid)
		kids = append(kids, fixed)
	}
	return v.with(kids, changed)
}

// droppable reports whether the member is a null for a property that is optional and
// refuses it: models write null for what they leave out.
func (c *coercer) droppable(r *objectRule, member *value) bool {
	property := r.properties[string(member.name)]
	return member.kind == 'n' && property != nil && !slices.Contains(r.required, string(member.name)) && !c.quietly(property, member)
}

// rulesFor returns the rules for a member of that name.
func (r *objectRule) rulesFor(name []byte) []*rule {
	var rules []*rule
	if property := r.properties[string(name)]; property != nil {
		rules = append(rules, property)
	}
	for _, p := range r.patterns {
		if p.match(name) {
			rules = append(rules, p.rule)
		}
	}
	if rules == nil && r.additional != nil {
		rules = append(rules, r.additional)
	}
	return rules
}

func (c *coercer) fixArray(r *arrayRule, v value) value {
	if r == nil {
		return v
	}
	kids := slices.Clone(v.kids)
	changed := false
	for i := range kids {
		element := r.items
		if i < len(r.prefix) {
			element = r.prefix[i]
		}
		if element != nil {
			kids[i] = c.fix(element, kids[i])
			changed = changed || !same(&kids[i], &v.kids[i])
		}
	}
	return v.with(kids, changed)
}

func (c *coercer) fixInPlace(r *inPlaceRule, v value) value {
	if r.ref != nil {
		v = c.fix(r.ref, v)
	}
	for _, sub := range r.allOf {
		v = c.fix(sub, v)
	}
	for _, arms := range [...][]*rule{r.anyOf, r.oneOf} {
		v = c.fixUnion(arms, v)
	}
	if branch := c.branch(r, &v); branch != nil {
		v = c.fix(branch, v)
	}
	for _, d := range r.dependent {
		if v.kind == '{' && v.member(d.name) != nil {
			v = c.fix(d.rule, v)
		}
	}
	return v
}

// fixUnion converts v to the first arm that can be matched, unless one matches already.
func (c *coercer) fixUnion(arms []*rule, v value) value {
	if c.anyMatches(arms, &v) {
		return v
	}
	for _, arm := range arms {
		if fixed := c.fix(arm, v); c.quietly(arm, &fixed) {
			return fixed
		}
	}
	return v
}

// with returns the container v with other kids.
func (v value) with(kids []value, changed bool) value {
	if changed {
		v.kids, v.raw = kids, nil
	}
	return v
}

// same reports whether a value has not been converted.
func same(a, b *value) bool {
	return len(a.raw) > 0 && len(a.raw) == len(b.raw) && &a.raw[0] == &b.raw[0]
}

// conversions are tried in this order. Texts come before booleans and null comes last,
// so that as much as possible of what was sent is kept. What would lose something is not done: a null is no
// text, and neither 0 nor false is a null.
var conversions = []struct {
	to types
	do func(value) (value, bool)
}{
	{typeInteger, toInteger},
	{typeNumber, toNumber},
	{typeString, toString},
	{typeBoolean, toBoolean},
	{typeNull, toNull},
}

func scalar(kind jsontext.Kind, raw string) value { return value{kind: kind, raw: jsontext.Value(raw)} }

func toInteger(v value) (value, bool) {
	n, ok := v, true
	if v.kind != '0' {
		n, ok = toNumber(v)
	}
	if !ok {
		return v, false
	}
	text, ok := integerText(string(n.raw))
	return scalar('0', text), ok
}

func toNumber(v value) (value, bool) {
	switch v.kind {
	case 't':
		return scalar('0', "1"), true
	case 'f', 'n':
		return scalar('0', "0"), true
	case '"':
		text, ok := numberText(strings.TrimSpace(v.text()))
		return scalar('0', text), ok
	}
	return v, false
}

// numberText returns a decimal number as JSON. Digits are kept; +5, .5 and 007 are
// rewritten.
func numberText(s string) (string, bool) {
	if s == "" || strings.Trim(s, "0123456789.eE+-") != "" {
		return "", false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return "", false
	}
	if n := jsontext.Value(s); n.Kind() == '0' && n.IsValid() {
		return s, true
	}
	return string(jsontext.AppendFloat(nil, f, 64)), true
}

func toString(v value) (value, bool) {
	switch v.kind {
	case '0', 't', 'f':
		return scalar('"', `"`+string(v.raw)+`"`), true
	}
	return v, false
}

func toBoolean(v value) (value, bool) {
	switch string(v.raw) {
	case `"true"`, "1":
		return scalar('t', "true"), true
	case `"false"`, "0":
		return scalar('f', "false"), true
	}
	return v, false
}

func toNull(v value) (value, bool) {
	switch string(v.raw) {
	case `""`:
		return scalar('n', "null"), true
	}
	return v, false
}
