package grep

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// maxLiterals is for how many texts at once a file is searched before trying each line is
// likely to be cheaper.
const maxLiterals = 8

// text is a literal part of a pattern, in lower case if both cases match.
type text struct {
	text string
	fold bool
}

// required returns texts of which every match contains at least one, or nothing if there
// are no such texts. Looking for them is much cheaper than trying the pattern on each line.
func required(re *syntax.Regexp) []text {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []text
		for _, sub := range re.Sub {
			if found := required(sub); shortest(found) > shortest(best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []text
		for _, sub := range re.Sub {
			found := required(sub)
			if all = append(all, found...); len(found) == 0 || len(all) > maxLiterals {
				return nil
			}
		}
		return all
	}
	return nil
}

func shortest(texts []text) int {
	if len(texts) == 0 {
		return 0
	}
	n := len(texts[0].text)
	for _, t := range texts {
		n = min(n, len(t.text))
	}
	return n
}

func literal(re *syntax.Regexp) []text {
	s := string(re.Rune)
	if strings.ContainsRune(s, utf8.RuneError) {
		return nil // stands for bytes that are not UTF-8
	}
	if re.Flags&syntax.FoldCase == 0 {
		return []text{{s, false}}
	}
	best := ""
	for part := range strings.FieldsFuncSeq(s, hasOtherCases) {
		if len(part) > len(best) {
			best = part
		}
	}
	if best == "" {
		return nil
	}
	return []text{{strings.ToLower(best), true}}
}

// hasOtherCases is true for what has other cases than those of ASCII: the Kelvin sign is a
// k, the long s an s.
func hasOtherCases(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) }

// appendLower appends src with the capitals of ASCII in lower case.
func appendLower(dst, src []byte) []byte {
	n := len(dst)
	dst = append(dst, src...)
	for i, c := range dst[n:] {
		if 'A' <= c && c <= 'Z' {
			dst[n+i] = c + ('a' - 'A')
		}
	}
	return dst
}
