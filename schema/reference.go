package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// target compiles the schema that the reference k in the schema v leads to.
func (c *compiler) target(v, k *value, at string) *rule {
	if !c.is(k, '"', at) {
		return nil
	}
	ref := k.text()
	found := c.find(c.base(v), ref)
	if found == nil {
		c.fail(at, "%q leads nowhere; a reference must stay within the schema", ref)
		return nil
	}
	if pointer, ok := strings.CutPrefix(ref, "#/"); ok {
		return c.rule(found, "/"+pointer)
	}
	return c.rule(found, "("+ref+")")
}

// base is the URL that references in v are relative to. What stands outside of the known
// keywords has that of the root.
func (c *compiler) base(v *value) *url.URL {
	if base := c.bases[v]; base != nil {
		return base
	}
	return c.bases[c.ids[""]]
}

func (c *compiler) find(base *url.URL, ref string) *value {
	u, err := base.Parse(ref)
	if err != nil {
		return nil
	}
	if v := c.ids[u.String()]; v != nil {
		return v
	}
	v := c.ids[withoutFragment(u).String()]
	if u.Fragment == "" || v == nil {
		return v
	}
	if strings.HasPrefix(u.Fragment, "/") {
		return follow(v, u.Fragment)
	}
	return c.ids[withoutFragment(u).String()+"#"+u.Fragment]
}

// follow returns the part of v that a JSON pointer leads to.
func follow(v *value, pointer string) *value {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = unescape.Replace(token)
		var next *value
		switch v.kind {
		case '{':
			next = v.member(token)
		case '[':
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v.kids) {
				next = &v.kids[i]
			}
		}
		if next == nil {
			return nil
		}
		v = next
	}
	return v
}
