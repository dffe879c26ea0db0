package schema

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// keyword compiles one keyword k of the schema v.
func (c *compiler) keyword(r *rule, v, k *value, at string) {
	switch name := string(k.name); name {
	case "type":
		r.types = c.types(k, at)
	case "enum":
		if c.is(k, '[', at) {
			r.enum = intersect(r.enum, k.kids)
		}
	case "const":
		r.enum = intersect(r.enum, []value{*k})
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		c.numberKeyword(r, v, k, at)
	case "minLength", "maxLength", "pattern":
		c.textKeyword(r, k, at)
	case "items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems",
		"contains", "minContains", "maxContains", "unevaluatedItems":
		c.arrayKeyword(r, v, k, at)
	case "properties", "patternProperties", "additionalProperties", "propertyNames", "required",
		"minProperties", "maxProperties", "dependentRequired", "unevaluatedProperties":
		c.objectKeyword(r, k, at)
	case "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
		"dependentSchemas", "dependencies":
		c.inPlaceKeyword(r, v, k, at)
	}
}

// intersect returns the values of b that are in a, if there is an a: "const" beside "enum".
func intersect(a, b []value) []value {
	if a == nil {
		return b
	}
	both := []value{}
	for i := range b {
		if oneOf(a, &b[i]) {
			both = append(both, b[i])
		}
	}
	return both
}

func (c *compiler) types(k *value, at string) types {
	names := []value{*k}
	if k.kind == '[' {
		names = k.kids
	}
	var t types
	for i := range names {
		if !c.is(&names[i], '"', at) {
			return 0
		}
		one := typeOf(names[i].text())
		if one == 0 {
			c.fail(at, "there is no type %q", names[i].text())
		}
		t |= one
	}
	if t == 0 {
		c.fail(at, "no type is allowed")
	}
	return t
}

// is checks the kind of a keyword's value.
func (c *compiler) is(k *value, kind jsontext.Kind, at string) bool {
	if k.kind != kind && (kind != 't' || k.kind != 'f') {
		c.fail(at, "expected %s, found %s", describeKind(kind), describeKind(k.kind))
		return false
	}
	return true
}

func (c *compiler) numberKeyword(r *rule, v, k *value, at string) {
	if r.number == nil {
		r.number = new(numberRule)
	}
	if k.kind == 't' || k.kind == 'f' { // draft 4: "exclusiveMinimum": true beside "minimum"
		c.draft4Exclusive(r.number, v, k)
		return
	}
	if !c.is(k, '0', at) {
		return
	}
	n := newNumber(string(k.raw))
	switch string(k.name) {
	case "minimum":
		r.number.min = &n
	case "maximum":
		r.number.max = &n
	case "exclusiveMinimum":
		r.number.above = &n
	case "exclusiveMaximum":
		r.number.below = &n
	case "multipleOf":
		if n.float <= 0 {
			c.fail(at, "must be greater than 0")
		}
		r.number.multipleOf = &n
	}
}

func (c *compiler) draft4Exclusive(r *numberRule, v, k *value) {
	if k.kind != 't' {
		return
	}
	limit := func(name string) *number {
		if l := v.member(name); l != nil && l.kind == '0' {
			n := newNumber(string(l.raw))
			return &n
		}
		return nil
	}
	switch string(k.name) {
	case "exclusiveMinimum":
		r.above = limit("minimum")
	case "exclusiveMaximum":
		r.below = limit("maximum")
	}
}

func (c *compiler) textKeyword(r *rule, k *value, at string) {
	if r.text == nil {
		r.text = new(textRule)
	}
	switch string(k.name) {
	case "minLength":
		r.text.min = c.count(k, at)
	case "maxLength":
		r.text.max = c.count(k, at)
	case "pattern":
		r.text.pattern = c.pattern(k, at)
	}
}

func (c *compiler) pattern(k *value, at string) *pattern {
	if !c.is(k, '"', at) {
		return nil
	}
	return c.patternOf(k.text(), at)
}

func (c *compiler) patternOf(source, at string) *pattern {
	p, err := newPattern(source)
	if err != nil {
		c.fail(at, "%w", err)
	}
	return p
}

// count reads a number of characters, elements or members.
func (c *compiler) count(k *value, at string) *int {
	if !c.is(k, '0', at) {
		return nil
	}
	text, ok := integerText(string(k.raw))
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 0 {
		c.fail(at, "expected a count, found %s", k.raw)
		return nil
	}
	return &n
}

func (c *compiler) arrayKeyword(r *rule, v, k *value, at string) {
	if r.array == nil {
		r.array = new(arrayRule)
	}
	a := r.array
	switch string(k.name) {
	case "prefixItems":
		a.prefix = c.list(k, at)
	case "items":
		if k.kind == '[' { // before 2020-12
			a.prefix = c.list(k, at)
		} else {
			a.items = c.rule(k, at)
		}
	case "additionalItems":
		if first := v.member("items"); first != nil && first.kind == '[' {
			a.items = c.rule(k, at)
		}
	case "minItems":
		a.min = c.count(k, at)
	case "maxItems":
		a.max = c.count(k, at)
	case "uniqueItems":
		a.unique = c.is(k, 't', at) && k.kind == 't'
	case "contains":
		a.contains = c.rule(k, at)
	case "minContains":
		a.minContains = c.count(k, at)
	case "maxContains":
		a.maxContains = c.count(k, at)
	case "unevaluatedItems":
		a.unevaluated = c.rule(k, at)
	}
}

func (c *compiler) objectKeyword(r *rule, k *value, at string) {
	if r.object == nil {
		r.object = new(objectRule)
	}
	o := r.object
	switch string(k.name) {
	case "properties":
		o.properties = c.members(k, at)
		for i := range k.kids {
			o.order = append(o.order, string(k.kids[i].name))
		}
	case "patternProperties":
		c.patterns(o, k, at)
	case "additionalProperties":
		if o.open = k.kind == 't'; !o.open {
			o.additional = c.rule(k, at)
		}
	case "propertyNames":
		o.names = c.rule(k, at)
	case "required":
		if k.kind != 't' && k.kind != 'f' { // a boolean beside each property in draft 3
			o.required = c.strings(k, at)
		}
	case "minProperties":
		o.min = c.count(k, at)
	case "maxProperties":
		o.max = c.count(k, at)
	case "dependentRequired":
		c.dependentRequired(o, k, at)
	case "unevaluatedProperties":
		o.unevaluated = c.rule(k, at)
	}
}

func (c *compiler) patterns(o *objectRule, k *value, at string) {
	if !c.is(k, '{', at) {
		return
	}
	for i := range k.kids {
		kid := &k.kids[i]
		kidAt := at + "/" + escapePointer(string(kid.name))
		if p := c.patternOf(string(kid.name), kidAt); p != nil {
			o.patterns = append(o.patterns, patternRule{p, c.rule(kid, kidAt)})
		}
	}
}

func (c *compiler) dependentRequired(o *objectRule, k *value, at string) {
	if !c.is(k, '{', at) {
		return
	}
	for i := range k.kids {
		kid := &k.kids[i]
		o.dependentRequired = append(o.dependentRequired, dependentNames{string(kid.name), c.strings(kid, at)})
	}
}

func (c *compiler) inPlaceKeyword(r *rule, v, k *value, at string) {
	if r.inPlace == nil {
		r.inPlace = new(inPlaceRule)
	}
	p := r.inPlace
	switch string(k.name) {
	case "$ref", "$dynamicRef", "$recursiveRef":
		if target := c.target(v, k, at); p.ref == nil {
			p.ref = target
		} else {
			p.allOf = append(p.allOf, target)
		}
	case "allOf":
		p.allOf = append(p.allOf, c.list(k, at)...)
	case "anyOf":
		p.anyOf = c.list(k, at)
	case "oneOf":
		p.oneOf = c.list(k, at)
	case "not":
		p.not = c.rule(k, at)
	case "if":
		p.cond = c.rule(k, at)
	case "then":
		p.then = c.rule(k, at)
	case "else":
		p.otherwise = c.rule(k, at)
	case "dependentSchemas", "dependencies":
		c.dependencies(r, k, at)
	}
}

// dependencies compiles "dependentSchemas", and "dependencies", which also held what is
// "dependentRequired" since draft 2019-09.
func (c *compiler) dependencies(r *rule, k *value, at string) {
	if !c.is(k, '{', at) {
		return
	}
	for i := range k.kids {
		kid := &k.kids[i]
		name := string(kid.name)
		if kid.kind != '[' {
			r.inPlace.dependent = append(r.inPlace.dependent, dependentRule{name, c.rule(kid, at+"/"+escapePointer(name))})
			continue
		}
		if r.object == nil {
			r.object = new(objectRule)
		}
		r.object.dependentRequired = append(r.object.dependentRequired, dependentNames{name, c.strings(kid, at)})
	}
}

func (c *compiler) list(k *value, at string) []*rule {
	if !c.is(k, '[', at) {
		return nil
	}
	rules := make([]*rule, len(k.kids))
	for i := range k.kids {
		rules[i] = c.rule(&k.kids[i], at+"/"+strconv.Itoa(i))
	}
	return rules
}

func (c *compiler) members(k *value, at string) map[string]*rule {
	if !c.is(k, '{', at) {
		return nil
	}
	rules := make(map[string]*rule, len(k.kids))
	for i := range k.kids {
		name := string(k.kids[i].name)
		rules[name] = c.rule(&k.kids[i], at+"/"+escapePointer(name))
	}
	return rules
}

func (c *compiler) strings(k *value, at string) []string {
	if !c.is(k, '[', at) {
		return nil
	}
	var list []string
	for i := range k.kids {
		if c.is(&k.kids[i], '"', at) {
			list = append(list, k.kids[i].text())
		}
	}
	return list
}
