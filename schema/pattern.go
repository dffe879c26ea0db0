package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is a regular expression of a schema.
//
// Schemas are written for ECMAScript. Go's engine (RE2) runs in linear time and has no
// lookaround, no backreferences and no counts over 1000. A pattern that needs one of
// these matches everything, since a tool that cannot be called helps nobody and the tool
// checks its arguments anyway.
type pattern struct {
	source string
	re     *regexp.Regexp // nil: matches everything
}

func newPattern(source string) (*pattern, error) {
	re, err := regexp.Compile(toRE2(source))
	if err == nil {
		return &pattern{source, re}, nil
	}
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		switch bad.Code {
		case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidCharRange, syntax.ErrInvalidRepeatSize, syntax.ErrLarge:
			return &pattern{source, nil}, nil
		}
	}
	return nil, err
}

func (p *pattern) match(s []byte) bool { return p.re == nil || p.re.Match(s) }

// toRE2 rewrites what ECMAScript spells differently: \u0041 and \/.
func toRE2(source string) string {
	if !strings.Contains(source, `\`) {
		return source
	}
	var b strings.Builder
	for i := 0; i < len(source); i++ {
		if source[i] != '\\' || i+1 == len(source) {
			b.WriteByte(source[i])
			continue
		}
		i++
		if source[i] == 'u' && i+4 < len(source) && isHex(source[i+1:i+5]) {
			b.WriteString(`\x{` + source[i+1:i+5] + `}`)
			i += 4
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(source[i])
	}
	return b.String()
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }
