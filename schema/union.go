package schema

import (
	"fmt"
	"strings"
)

// reportUnion says why v matches none of the arms. A long list of what is wrong with
// every arm helps nobody, so it looks for the arm that was meant: by the type of v, then
// by members with a fixed value, as in {"kind":"circle",…}.
func (c *checker) reportUnion(arms []*rule, v *value) bool {
	if !c.loud {
		return false
	}
	var fitting []*rule
	var all types
	for _, arm := range arms {
		t := arm.shape()
		all |= t
		if c.typeMatches(t, v) {
			fitting = append(fitting, arm)
		}
	}
	if all == 0 {
		return c.report("not allowed")
	}
	if len(fitting) == 0 {
		return c.report("expected %s, got %s", orList(all.names()), describe(v))
	}
	if meant := c.discriminated(fitting, v); len(meant) > 0 {
		fitting = meant
	}
	if len(fitting) == 1 {
		return c.check(fitting[0], v)
	}
	if options := enumOf(fitting); options != nil {
		return c.report("expected %s, got %s", describeEnum(options), describe(v))
	}
	return c.report("%s matches none of %d allowed forms: %s", describe(v), len(fitting), c.summary(fitting, v))
}

const anyType = typeString | typeNumber | typeInteger | typeBoolean | typeObject | typeArray | typeNull

// shape is the types that a rule can allow, references included.
func (r *rule) shape() types {
	if r.never {
		return 0
	}
	t := anyType
	if r.types != 0 {
		t = r.types
	}
	if r.enum != nil {
		t = t.and(typesOf(r.enum))
	}
	if p := r.inPlace; p != nil {
		if p.ref != nil {
			t = t.and(p.ref.shape())
		}
		for _, sub := range p.allOf {
			t = t.and(sub.shape())
		}
		for _, arms := range [...][]*rule{p.anyOf, p.oneOf} {
			var any types
			for _, arm := range arms {
				any |= arm.shape()
			}
			if arms != nil {
				t = t.and(any)
			}
		}
	}
	return t
}

// and returns the common types; integers are numbers.
func (t types) and(u types) types { return t.withIntegers() & u.withIntegers() }

func (t types) withIntegers() types {
	if t&typeNumber != 0 {
		t |= typeInteger
	}
	return t
}

func typesOf(values []value) types {
	var t types
	for i := range values {
		t |= typeOfKind(values[i].kind)
	}
	return t
}

// discriminated returns the arms whose members with a fixed value are those of v, if
// there is such a member.
func (c *checker) discriminated(arms []*rule, v *value) []*rule {
	if v.kind != '{' {
		return nil
	}
	var meant []*rule
	for _, arm := range arms {
		if fixed, same := arm.fixedMembers(v); fixed && same {
			meant = append(meant, arm)
		}
	}
	return meant
}

// fixedMembers reports whether the rule has members with a fixed value, and whether v
// has these.
func (r *rule) fixedMembers(v *value) (fixed, same bool) {
	same = true
	if r.object != nil {
		for name, property := range r.object.properties {
			if len(property.enum) == 1 {
				fixed = true
				member := v.member(name)
				same = same && member != nil && equal(&property.enum[0], member)
			}
		}
	}
	if r.inPlace != nil && r.inPlace.ref != nil {
		refFixed, refSame := r.inPlace.ref.fixedMembers(v)
		fixed, same = fixed || refFixed, same && refSame
	}
	return fixed, same
}

// enumOf returns the values of arms that are all enums, as zod and TypeBox write unions
// of literals.
func enumOf(arms []*rule) []value {
	var values []value
	for _, arm := range arms {
		if arm.enum == nil {
			return nil
		}
		values = append(values, arm.enum...)
	}
	return values
}

// summary gives the first problem with each arm.
func (c *checker) summary(arms []*rule, v *value) string {
	const most = 4
	var parts []string
	for i, arm := range arms {
		if i == most {
			parts = append(parts, "…")
			break
		}
		sub := checker{loud: true, notation: c.notation, steps: c.steps}
		sub.check(arm, v)
		c.steps = sub.steps
		if len(sub.problems) > 0 {
			p := sub.problems[0]
			if p.Path == pathText(nil) {
				p.Path = "it"
			}
			parts = append(parts, fmt.Sprintf("(%d) %s: %s", i+1, p.Path, p.Reason))
		}
	}
	return strings.Join(parts, "; ")
}
