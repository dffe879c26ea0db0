package schema

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// checker checks a value against a rule. A quiet one stops at the first problem; a loud
// one collects all of them with their places.
type checker struct {
	loud     bool
	problems []Problem
	path     []step
	// notation makes "integer" mean a number that is also written as an integer, which
	// is what Go reads integers from.
	notation bool
	// steps is how much work may still be done. Schemas whose unions refer to themselves
	// can need time that is exponential in the depth of the arguments.
	steps int
}

// stepsFor is enough for every sensible schema, and a few hundredths of a second.
func stepsFor(args []byte) int { return 200_000 + 20*len(args) }

// valid reports whether v is valid and could be checked to the end.
func (c *checker) valid(r *rule, v *value) bool { return c.check(r, v) && c.steps > 0 }

// step is a part of a path: a member or, if name is nil, an element.
type step struct {
	name  []byte
	index int
}

func (c *checker) report(format string, args ...any) bool {
	if c.loud {
		c.problems = append(c.problems, Problem{pathText(c.path), fmt.Sprintf(format, args...)})
	}
	return false
}

// quietly reports whether v is valid, without collecting problems.
func (c *checker) quietly(r *rule, v *value) bool {
	loud := c.loud
	c.loud = false
	ok := c.check(r, v)
	c.loud = loud
	return ok
}

// within checks a part of the value.
func (c *checker) within(r *rule, v *value, at step) bool {
	if !c.loud {
		return c.check(r, v)
	}
	c.path = append(c.path, at)
	ok := c.check(r, v)
	c.path = c.path[:len(c.path)-1]
	return ok
}

func (c *checker) check(r *rule, v *value) bool {
	if c.steps <= 0 {
		return false
	}
	c.steps--
	if r.never {
		return c.report("not allowed")
	}
	if r.types != 0 && !c.typeMatches(r.types, v) {
		return c.report("expected %s, got %s", orList(r.types.names()), describe(v))
	}
	if r.enum != nil && !oneOf(r.enum, v) {
		return c.report("expected %s, got %s", describeEnum(r.enum), describe(v))
	}
	ok := c.checkKind(r, v)
	if r.inPlace != nil && (ok || c.loud) {
		ok = c.checkInPlace(r.inPlace, v) && ok
	}
	return ok && c.checkUnevaluated(r, v)
}

func (c *checker) typeMatches(t types, v *value) bool {
	if t&typeOfKind(v.kind) != 0 {
		return true
	}
	if t&typeInteger == 0 || v.kind != '0' {
		return false
	}
	text := string(v.raw)
	return isIntegerText(text) || !c.notation && newNumber(text).integral()
}

func (c *checker) checkKind(r *rule, v *value) bool {
	switch v.kind {
	case '0':
		return r.number == nil || c.checkNumber(r.number, v)
	case '"':
		return r.text == nil || c.checkText(r.text, v)
	case '[':
		return r.array == nil || c.checkArray(r.array, v)
	case '{':
		return r.object == nil || c.checkObject(r.object, v)
	}
	return true
}

func (c *checker) checkNumber(r *numberRule, v *value) bool {
	n := newNumber(string(v.raw))
	ok := true
	for _, limit := range [...]struct {
		number *number
		broken func(int) bool
		words  string
	}{
		{r.min, func(c int) bool { return c < 0 }, "at least"},
		{r.max, func(c int) bool { return c > 0 }, "at most"},
		{r.above, func(c int) bool { return c <= 0 }, "more than"},
		{r.below, func(c int) bool { return c >= 0 }, "less than"},
	} {
		if limit.number != nil && limit.broken(n.compare(*limit.number)) {
			ok = c.report("expected %s %s, got %s", limit.words, limit.number.text, describe(v))
		}
	}
	if r.multipleOf != nil && !n.multipleOf(*r.multipleOf) {
		ok = c.report("expected a multiple of %s, got %s", r.multipleOf.text, describe(v))
	}
	return ok
}

func (c *checker) checkText(r *textRule, v *value) bool {
	text := v.text()
	ok := true
	if r.min != nil || r.max != nil {
		ok = c.checkCount(utf8.RuneCountInString(text), r.min, r.max, "character")
	}
	if r.pattern != nil && !r.pattern.match([]byte(text)) {
		ok = c.report("expected text that matches the pattern %s, got %s", r.pattern.source, describe(v))
	}
	return ok
}

func (c *checker) checkCount(n int, least, most *int, what string) bool {
	if least != nil && n < *least {
		return c.report("expected at least %s, got %d", plural(*least, what), n)
	}
	if most != nil && n > *most {
		return c.report("expected at most %s, got %d", plural(*most, what), n)
	}
	return true
}

func (c *checker) checkArray(r *arrayRule, v *value) bool {
	ok := c.checkCount(len(v.kids), r.min, r.max, "element")
	if r.unique {
		if i, j := duplicates(v.kids); j > 0 {
			ok = c.report("the elements %d and %d are the same", i, j)
		}
	}
	for i := range v.kids {
		if !ok && !c.loud {
			return false
		}
		element := r.items
		if i < len(r.prefix) {
			element = r.prefix[i]
		}
		if element != nil {
			ok = c.within(element, &v.kids[i], step{index: i}) && ok
		}
	}
	return (r.contains == nil || c.checkContains(r, v)) && ok
}

func (c *checker) checkContains(r *arrayRule, v *value) bool {
	n := 0
	for i := range v.kids {
		if c.quietly(r.contains, &v.kids[i]) {
			n++
		}
	}
	least := 1
	if r.minContains != nil {
		least = *r.minContains
	}
	if n < least {
		return c.report("expected at least %s that %s, got %d", plural(least, "element"), "fits what the array must contain", n)
	}
	if r.maxContains != nil && n > *r.maxContains {
		return c.report("expected at most %s that fits what the array must contain, got %d", plural(*r.maxContains, "element"), n)
	}
	return true
}

func (c *checker) checkObject(r *objectRule, v *value) bool {
	ok := c.checkRequired(r.required, v)
	if r.min != nil || r.max != nil {
		ok = c.checkCount(len(v.kids), r.min, r.max, "property") && ok
	}
	for i := range v.kids {
		if !ok && !c.loud {
			return false
		}
		ok = c.checkMember(r, &v.kids[i]) && ok
	}
	for _, d := range r.dependentRequired {
		if v.member(d.name) != nil {
			ok = c.checkRequired(d.required, v) && ok
		}
	}
	return ok
}

func (c *checker) checkRequired(names []string, v *value) bool {
	ok := true
	for _, name := range names {
		if v.member(name) == nil {
			c.path = append(c.path, step{name: []byte(name)})
			ok = c.report("missing")
			c.path = c.path[:len(c.path)-1]
			if !c.loud {
				return false
			}
		}
	}
	return ok
}

func (c *checker) checkMember(r *objectRule, member *value) bool {
	at := step{name: member.name}
	ok, known := true, false
	if property := r.properties[string(member.name)]; property != nil {
		known = true
		ok = c.within(property, member, at)
	}
	for _, p := range r.patterns {
		if p.match(member.name) {
			known = true
			ok = c.within(p.rule, member, at) && ok
		}
	}
	if !known && r.additional != nil {
		ok = c.checkAdditional(r, member, at)
	}
	if r.names != nil {
		name := nameValue(member)
		if !c.quietly(r.names, &name) {
			ok = c.report("the name %s is not allowed", describe(&name))
		}
	}
	return ok
}

func (c *checker) checkAdditional(r *objectRule, member *value, at step) bool {
	if !r.additional.never || !c.loud {
		return c.within(r.additional, member, at)
	}
	c.path = append(c.path, at)
	c.report("%s", unknownProperty(r.order))
	c.path = c.path[:len(c.path)-1]
	return false
}

func (c *checker) checkInPlace(r *inPlaceRule, v *value) bool {
	ok := r.ref == nil || c.check(r.ref, v)
	for _, sub := range r.allOf {
		if !ok && !c.loud {
			return false
		}
		ok = c.check(sub, v) && ok
	}
	if r.anyOf != nil && !c.anyMatches(r.anyOf, v) {
		ok = c.reportUnion(r.anyOf, v)
	}
	if r.oneOf != nil {
		ok = c.checkOneOf(r.oneOf, v) && ok
	}
	if r.not != nil && c.plainly(r.not, v) {
		ok = c.report("%s is not allowed here", describe(v))
	}
	if branch := c.branch(r, v); branch != nil {
		ok = c.check(branch, v) && ok
	}
	for _, d := range r.dependent {
		if v.kind == '{' && v.member(d.name) != nil {
			ok = c.check(d.rule, v) && ok
		}
	}
	return ok
}

// branch is the rule that if, then and else select.
func (c *checker) branch(r *inPlaceRule, v *value) *rule {
	if r.cond == nil {
		return nil
	}
	if c.plainly(r.cond, v) {
		return r.then
	}
	return r.otherwise
}

// plainly reports whether v is valid in the sense of JSON Schema, where 1.0 is an integer.
func (c *checker) plainly(r *rule, v *value) bool {
	notation := c.notation
	c.notation = false
	ok := c.quietly(r, v)
	c.notation = notation
	return ok
}

func (c *checker) anyMatches(arms []*rule, v *value) bool {
	for _, arm := range arms {
		if c.quietly(arm, v) {
			return true
		}
	}
	return false
}

// checkOneOf counts the arms in the sense of JSON Schema; the one that fits must also fit
// in our notation.
func (c *checker) checkOneOf(arms []*rule, v *value) bool {
	matches := 0
	var match *rule
	for _, arm := range arms {
		if c.plainly(arm, v) {
			matches++
			match = arm
		}
	}
	switch {
	case matches > 1:
		return c.report("%s fits %d of the allowed forms, but must fit exactly one", describe(v), matches)
	case matches == 1 && c.quietly(match, v):
		return true
	}
	return c.reportUnion(arms, v)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if what == "property" {
		return strconv.Itoa(n) + " properties"
	}
	return strconv.Itoa(n) + " " + what + "s"
}
