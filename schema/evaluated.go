package schema

// checkUnevaluated checks the members or elements that no other keyword has looked at.
// It comes after everything else has been checked.
func (c *checker) checkUnevaluated(r *rule, v *value) bool {
	rest := unevaluated(r, v)
	if rest == nil {
		return true
	}
	seen := make([]bool, len(v.kids))
	c.evaluated(r, v, seen, true)
	ok := true
	for i := range v.kids {
		if seen[i] {
			continue
		}
		at := step{name: v.kids[i].name, index: i}
		if v.kind == '[' {
			at.name = nil
		}
		ok = c.within(rest, &v.kids[i], at) && ok
	}
	return ok
}

// unevaluated is the rule of r for members or elements that nothing else has evaluated.
func unevaluated(r *rule, v *value) *rule {
	switch {
	case v.kind == '{' && r.object != nil:
		return r.object.unevaluated
	case v.kind == '[' && r.array != nil:
		return r.array.unevaluated
	}
	return nil
}

// evaluated marks the kids of v that r, to which v is valid, evaluates. At the top its
// own unevaluated rule does not count.
func (c *checker) evaluated(r *rule, v *value, seen []bool, top bool) {
	all := !top && unevaluated(r, v) != nil
	for i := range v.kids {
		seen[i] = seen[i] || all || c.evaluates(r, v, i)
	}
	if p := r.inPlace; p != nil {
		c.evaluatedInPlace(p, v, seen)
	}
}

// evaluates reports whether r's own keywords evaluate the kid i of v.
func (c *checker) evaluates(r *rule, v *value, i int) bool {
	kid := &v.kids[i]
	if v.kind == '[' {
		a := r.array
		return a != nil && (a.items != nil || i < len(a.prefix) || a.contains != nil && c.quietly(a.contains, kid))
	}
	o := r.object
	if o == nil {
		return false
	}
	if o.additional != nil || o.open || o.properties[string(kid.name)] != nil {
		return true
	}
	for _, p := range o.patterns {
		if p.match(kid.name) {
			return true
		}
	}
	return false
}

func (c *checker) evaluatedInPlace(p *inPlaceRule, v *value, seen []bool) {
	if p.ref != nil {
		c.evaluated(p.ref, v, seen, false)
	}
	for _, sub := range p.allOf {
		c.evaluated(sub, v, seen, false)
	}
	for _, arms := range [...][]*rule{p.anyOf, p.oneOf} {
		for _, arm := range arms {
			if c.quietly(arm, v) {
				c.evaluated(arm, v, seen, false)
			}
		}
	}
	if p.cond != nil && c.plainly(p.cond, v) {
		c.evaluated(p.cond, v, seen, false)
	}
	if branch := c.branch(p, v); branch != nil {
		c.evaluated(branch, v, seen, false)
	}
	for _, d := range p.dependent {
		if v.member(d.name) != nil {
			c.evaluated(d.rule, v, seen, false)
		}
	}
}
