package ordered

import (
	"math"
	"strconv"
	"strings"
)

// Number is a JSON number as it is written: digits alone for a whole number, of any
// size, otherwise the shortest form that reads back as the same float64.
type Number string

// numberOf puts a JSON literal into the form of a [Number].
func numberOf(literal string) Number {
	if !strings.ContainsAny(literal, ".eE") {
		if literal == "-0" {
			return "0"
		}
		return Number(literal)
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return Number(literal)
	}
	return floatNumber(f)
}

// floatNumber writes a float: with an exponent of at least two digits below 1e-4 and from
// 1e16 on, and never without a point or an exponent.
func floatNumber(f float64) Number {
	scientific := strconv.FormatFloat(f, 'e', -1, 64)
	_, digits, _ := strings.Cut(scientific, "e")
	exponent, err := strconv.Atoi(digits)
	if err == nil && (exponent < -4 || exponent >= 16) {
		return Number(scientific)
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return Number(plain)
}

// Whole says whether the number is written without point and exponent.
func (n Number) Whole() bool { return !strings.ContainsAny(string(n), ".eE") }

// Float returns the nearest float64.
func (n Number) Float() float64 {
	f, _ := strconv.ParseFloat(string(n), 64)
	return f
}

// Round rounds to 9 decimals and writes what is then whole as a whole number, so that
// sums of prices compare equal however they were added up.
func (n Number) Round() Number {
	if n.Whole() {
		return n
	}
	f := n.Float()
	switch {
	case math.IsInf(f, 0):
		return n
	case f == math.Trunc(f):
		return numberOf(strconv.FormatFloat(f, 'f', 0, 64))
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', 9, 64), 64)
	return floatNumber(rounded)
}
