package partialjson

import (
	"maps"
	"math"
	"strconv"
	"unsafe"
)

// Parser follows the text of an object that grows. The zero value is ready. It is used
// by one goroutine at a time; the maps that it returns may go to any.
type Parser struct {
	scanner scanner
	object  map[string]any // of the scanner's text
}

// Object returns what [Salvage] makes of text, decoded: objects are map[string]any,
// arrays []any, numbers float64 (the nearest one, also if it is too large).
//
// The map and what is in it are a snapshot that later calls do not change; the caller
// must not change it either. Calls without visible news return the same map.
//
// A text that begins with the previous one is read on from there. A shorter one that the
// previous one begins with is read by itself and does not disturb what comes later. Any
// other text takes the place of the previous one.
func (p *Parser) Object(text string) map[string]any {
	known := p.scanner.text
	switch {
	case begins(text, known):
	case begins(known, text):
		var once Parser
		return once.Object(text)
	default:
		*p = Parser{}
	}
	p.scanner.build = plain{}
	p.scanner.text = text
	p.scanner.run()
	if p.scanner.dirty || p.object == nil {
		p.object = p.scanner.snapshot()
		p.scanner.dirty = false
	}
	return p.object
}

// begins reports whether text begins with prefix. Texts at the same address need no
// comparison.
func begins(text, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	return unsafe.StringData(text) == unsafe.StringData(prefix) || text[:len(prefix)] == prefix
}

// plain builds what decoding into any gives.
type plain struct{}

func (plain) number(text string) any {
	f, _ := strconv.ParseFloat(text, 64)
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}

func (plain) close(c *container) any {
	if c.array {
		if c.elems == nil {
			return []any{}
		}
		return c.elems
	}
	if c.members == nil {
		return map[string]any{}
	}
	return c.members
}

// snapshot returns the object so far. What is open is copied, since it will change.
func (s *scanner) snapshot() map[string]any {
	v, has := s.openValue()
	for i := len(s.open) - 1; i >= 0; i-- {
		v, has = s.open[i].with(v, has), true
	}
	if s.root != nil {
		v = s.root
	}
	if v == nil {
		return map[string]any{}
	}
	return v.(map[string]any)
}

// with returns a copy of the container that has v as well.
func (c *container) with(v any, has bool) any {
	if c.array {
		elems := make([]any, len(c.elems), len(c.elems)+1)
		copy(elems, c.elems)
		if has {
			elems = append(elems, v)
		}
		return elems
	}
	members := maps.Clone(c.members)
	if members == nil {
		members = make(map[string]any)
	}
	if has {
		members[c.name] = v
	}
	return members
}
