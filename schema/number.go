package schema

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// number is a number of a schema. Numbers are compared as floats, and exactly where
// these are equal, so that large integers and decimals keep all their digits.
type number struct {
	text  string
	float float64
}

func newNumber(text string) number {
	f, _ := strconv.ParseFloat(text, 64)
	return number{text, f}
}

func (n number) compare(m number) int {
	if c := cmp.Compare(n.float, m.float); c != 0 || n.text == m.text {
		return c
	}
	a, b := n.exact(), m.exact()
	if a == nil || b == nil {
		return 0
	}
	return a.Cmp(b)
}

// exact returns the number itself; nil if it has an exponent that would need a huge
// amount of memory.
func (n number) exact() *big.Rat {
	const largestExponent, longestText = 400, 1 << 10
	if i := strings.IndexAny(n.text, "eE"); i >= 0 {
		if exp, err := strconv.Atoi(n.text[i+1:]); err != nil || exp < -largestExponent || exp > largestExponent {
			return nil
		}
	}
	if len(n.text) > longestText {
		return nil
	}
	r, ok := new(big.Rat).SetString(n.text)
	if !ok {
		return nil
	}
	return r
}

// multipleOf reports whether n is a whole multiple of m.
func (n number) multipleOf(m number) bool {
	a, b := n.exact(), m.exact()
	if a == nil || b == nil || b.Sign() == 0 {
		return a == nil && m.float > 0 && n.integral()
	}
	return a.Quo(a, b).IsInt()
}

// integral reports whether the number has no fraction, in whatever notation.
func (n number) integral() bool {
	if isIntegerText(n.text) {
		return true
	}
	if n.float == 0 && !strings.ContainsAny(mantissa(n.text), "123456789") {
		return true
	}
	if r := n.exact(); r != nil {
		return r.IsInt()
	}
	return !strings.Contains(n.text, "e-") && !strings.Contains(n.text, "E-")
}

func mantissa(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i]
	}
	return text
}

// isIntegerText reports whether a JSON number is written as an integer, which is what a
// Go integer can be read from.
func isIntegerText(text string) bool { return !strings.ContainsAny(text, ".eE") }

// integerText writes an integral number as an integer; false if it is none or would be
// too long.
func integerText(text string) (string, bool) {
	const longest = 40
	if isIntegerText(text) {
		return text, true
	}
	r := newNumber(text).exact()
	if r == nil || !r.IsInt() {
		return "", false
	}
	digits := r.Num().String()
	return digits, len(digits) <= longest
}
