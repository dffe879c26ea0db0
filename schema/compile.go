package schema

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var errTrailing = errors.New("unexpected text after the value")

// compiler turns a schema's text into rules.
//
// It knows the keywords of the drafts 4 to 2020-12 that say what is valid; all others,
// "format" among them, are annotations. $dynamicRef and $recursiveRef are followed like
// $ref. References stay inside the text: nothing is loaded from elsewhere.
type compiler struct {
	legacy bool // draft 7 or older: $ref hides its siblings
	bases  map[*value]*url.URL
	ids    map[string]*value // by absolute URL, also with #anchor
	rules  map[*value]*rule
	err    error
}

// compile compiles a schema. The text must not change afterwards.
func compile(text jsontext.Value) (*rule, error) {
	rd := &reader{dec: new(jsontext.Decoder)}
	root, err := rd.read(text)
	if err != nil {
		return nil, err
	}
	c := &compiler{bases: make(map[*value]*url.URL), ids: make(map[string]*value), rules: make(map[*value]*rule)}
	if dialect := root.member("$schema"); dialect != nil && dialect.kind == '"' {
		for _, old := range []string{"draft-04", "draft-05", "draft-06", "draft-07"} {
			c.legacy = c.legacy || strings.Contains(dialect.text(), old)
		}
	}
	c.index(&root, new(url.URL))
	c.ids[""] = &root
	r := c.rule(&root, "")
	if c.err == nil {
		c.checkCycles()
	}
	return r, c.err
}

// fail records the first error.
func (c *compiler) fail(at, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("at #%s: %w", at, fmt.Errorf(format, args...))
	}
}

// subschemas maps the keywords that hold schemas to how they do: one, a list or a map.
var subschemas = map[string]byte{
	"not": '1', "if": '1', "then": '1', "else": '1', "items": '1', "additionalItems": '1', "contains": '1',
	"unevaluatedItems": '1', "additionalProperties": '1', "propertyNames": '1', "unevaluatedProperties": '1',
	"allOf": '[', "anyOf": '[', "oneOf": '[', "prefixItems": '[',
	"properties": '{', "patternProperties": '{', "$defs": '{', "definitions": '{', "dependentSchemas": '{', "dependencies": '{',
}

// index finds the identifiers of v and the schemas in it.
func (c *compiler) index(v *value, base *url.URL) {
	if v.kind != '{' {
		return
	}
	hidden := c.legacy && v.member("$ref") != nil
	for _, keyword := range []string{"$id", "id"} {
		if id := v.member(keyword); id != nil && id.kind == '"' && !hidden && (keyword == "$id" || c.legacy) {
			if u, err := base.Parse(id.text()); err == nil {
				base = withoutFragment(u)
				c.ids[u.String()] = v
				c.ids[base.String()] = v
			}
		}
	}
	c.bases[v] = base
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor := v.member(keyword); anchor != nil && anchor.kind == '"' {
			c.ids[base.String()+"#"+anchor.text()] = v
		}
	}
	for i := range v.kids {
		kid := &v.kids[i]
		how := subschemas[string(kid.name)]
		if how == 0 {
			continue
		}
		if how == '1' && kid.kind == '{' {
			c.index(kid, base)
			continue
		}
		for j := range kid.kids {
			c.index(&kid.kids[j], base)
		}
	}
}

func withoutFragment(u *url.URL) *url.URL {
	bare := *u
	bare.Fragment, bare.RawFragment = "", ""
	return &bare
}

// rule compiles the schema v, which stands at a JSON pointer.
func (c *compiler) rule(v *value, at string) *rule {
	if r := c.rules[v]; r != nil {
		return r
	}
	r := new(rule)
	c.rules[v] = r
	switch v.kind {
	case 'f':
		r.never = true
	case 't':
	case '{':
		c.object(r, v, at)
	default:
		c.fail(at, "a schema must be an object or a boolean, not %s", describeKind(v.kind))
	}
	return r
}

func (c *compiler) object(r *rule, v *value, at string) {
	ref := v.member("$ref")
	if ref != nil && c.legacy {
		c.keyword(r, v, ref, at+"/$ref")
		return
	}
	for i := range v.kids {
		kid := &v.kids[i]
		c.keyword(r, v, kid, at+"/"+escapePointer(string(kid.name)))
	}
}

// checkCycles refuses rules that refer to themselves for the same value: checking one
// would not end.
func (c *compiler) checkCycles() {
	const entered, left = 1, 2
	seen := make(map[*rule]int)
	var visit func(*rule)
	visit = func(r *rule) {
		switch {
		case seen[r] == entered:
			c.fail("", "a $ref leads back to itself")
		case seen[r] == left || r.inPlace == nil:
		default:
			seen[r] = entered
			r.inPlace.each(visit)
			seen[r] = left
		}
	}
	for _, r := range c.rules {
		visit(r)
	}
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
