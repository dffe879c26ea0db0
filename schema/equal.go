package schema

import (
	"bytes"
	"slices"
	"strconv"
)

// equal reports whether two values are the same in the sense of JSON Schema: 1 is 1.0,
// and the order of members does not matter.
func equal(a, b *value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case '"':
		return string(a.raw) == string(b.raw) || a.text() == b.text()
	case '0':
		return string(a.raw) == string(b.raw) || newNumber(string(a.raw)).compare(newNumber(string(b.raw))) == 0
	case '[':
		return equalElements(a, b)
	case '{':
		return equalMembers(a, b)
	}
	return true
}

func equalElements(a, b *value) bool {
	if len(a.kids) != len(b.kids) {
		return false
	}
	for i := range a.kids {
		if !equal(&a.kids[i], &b.kids[i]) {
			return false
		}
	}
	return true
}

func equalMembers(a, b *value) bool {
	if len(a.kids) != len(b.kids) {
		return false
	}
	for i := range a.kids {
		other := b.member(string(a.kids[i].name))
		if other == nil || !equal(&a.kids[i], other) {
			return false
		}
	}
	return true
}

// oneOf reports whether v is one of the values.
func oneOf(values []value, v *value) bool {
	for i := range values {
		if equal(&values[i], v) {
			return true
		}
	}
	return false
}

// duplicates returns the places of two values that are equal; 0, 0 if there are none.
func duplicates(values []value) (int, int) {
	seen := make(map[string]int, len(values))
	for j := range values {
		key := string(canonical(nil, &values[j]))
		if i, again := seen[key]; again {
			return i, j
		}
		seen[key] = j
	}
	return 0, 0
}

// canonical appends a text that equal values share.
func canonical(dst []byte, v *value) []byte {
	switch v.kind {
	case '"':
		return strconv.AppendQuote(dst, v.text())
	case '0':
		if exact := newNumber(string(v.raw)).exact(); exact != nil {
			return append(dst, exact.RatString()...)
		}
		return append(dst, v.raw...)
	case '[', '{':
		dst = append(dst, byte(v.kind))
		kids := v.kids
		if v.kind == '{' {
			kids = slices.Clone(kids)
			slices.SortFunc(kids, func(a, b value) int { return bytes.Compare(a.name, b.name) })
		}
		for i := range kids {
			dst = strconv.AppendQuote(dst, string(kids[i].name))
			dst = append(canonical(dst, &kids[i]), ',')
		}
		return append(dst, '}')
	}
	return append(dst, byte(v.kind))
}
