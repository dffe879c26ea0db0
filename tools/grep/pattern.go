package grep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// matcher finds lines that match.
type matcher struct {
	// re is nil if a line that contains a literal matches already.
	re *regexp.Regexp
	// literals are texts of which every matching line contains one. Without any, every line
	// has to be tried.
	literals [][]byte
	// lower says that the literals are in lower case and stand for both cases of ASCII.
	lower bool
}

// compile reads a pattern, which is never anything but a pattern. Its errors are made for
// models.
func compile(pattern string, literal, ignoreCase bool) (*matcher, error) {
	if strings.Contains(pattern, "\n") {
		return nil, errors.New("the pattern contains a line break, but matches never span lines; search for one of its lines and use context")
	}
	expr := pattern
	if literal {
		expr = regexp.QuoteMeta(pattern)
	}
	if ignoreCase {
		expr = "(?i)" + expr
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, explain(pattern, err)
	}
	if hasNewline(tree) {
		return nil, errors.New(`the pattern contains \n, but matches never span lines; search for one of its lines and use context`)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, explain(pattern, err)
	}
	return newMatcher(tree, re), nil
}

func newMatcher(tree *syntax.Regexp, re *regexp.Regexp) *matcher {
	m := &matcher{re: re}
	if tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0 {
		m.re = nil
	}
	found := required(tree)
	for _, l := range found {
		m.lower = m.lower || l.fold
	}
	for _, l := range found {
		text := []byte(l.text)
		if m.lower {
			text = appendLower(nil, text)
		}
		m.literals = append(m.literals, text)
	}
	if len(m.literals) == 0 {
		m.re = re
	}
	return m
}

// explain says what to do about a pattern that is not RE2.
func explain(pattern string, err error) error {
	bad, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return fmt.Errorf("the pattern %q is not valid: %w", pattern, err)
	}
	hint := "set literal to search for plain text"
	switch {
	case bad.Code == syntax.ErrInvalidPerlOp || strings.HasPrefix(bad.Expr, "(?"):
		hint = "look-around is not supported: search for a simpler pattern and sort the matches out yourself"
	case bad.Code == syntax.ErrInvalidEscape && len(bad.Expr) > 1 && strings.ContainsAny(bad.Expr[1:2], "123456789k"):
		hint = "back-references are not supported: search for a simpler pattern and sort the matches out yourself"
	case bad.Code == syntax.ErrLarge || bad.Code == syntax.ErrInvalidRepeatSize || bad.Code == syntax.ErrNestingDepth:
		hint = "use smaller repetitions and fewer nested groups"
	}
	return fmt.Errorf("the pattern %q is not valid (%s: %s); %s", pattern, bad.Code, bad.Expr, hint)
}

func hasNewline(tree *syntax.Regexp) bool {
	return tree.Op == syntax.OpLiteral && slices.Contains(tree.Rune, '\n') || slices.ContainsFunc(tree.Sub, hasNewline)
}

// finder goes through the matching lines of a text that ends with a newline.
type finder struct {
	m    *matcher
	text []byte
	// folded is text, in lower case if the matcher wants that.
	folded []byte
	// hits are where each literal occurs next; len(text) means nowhere.
	hits []int
	// stopped, if set, ends a match of a long line early.
	stopped func() bool
}

// next returns the first matching line that begins at from, itself the beginning of a
// line, or later.
func (f *finder) next(from int) (start, end int, ok bool) {
	for from < len(f.text) {
		start = from
		if len(f.m.literals) > 0 {
			hit := f.candidate(from)
			if hit == len(f.text) {
				return 0, 0, false
			}
			start += bytes.LastIndexByte(f.text[from:hit], '\n') + 1
			end = hit
		} else {
			end = start
		}
		end += bytes.IndexByte(f.text[end:], '\n')
		if f.match(f.text[start:end]) {
			return start, end, true
		}
		from = end + 1
	}
	return 0, 0, false
}

func (f *finder) candidate(from int) int {
	first := len(f.text)
	for i, literal := range f.m.literals {
		if f.hits[i] < from {
			f.hits[i] = len(f.text)
			if n := bytes.Index(f.folded[from:], literal); n >= 0 {
				f.hits[i] = from + n
			}
		}
		first = min(first, f.hits[i])
	}
	return first
}

// match tries a line without its newline. A carriage return at its end belongs to the line
// break, unless the pattern asks for it.
func (f *finder) match(line []byte) bool {
	if f.m.re == nil {
		return true
	}
	if n := len(line) - 1; n >= 0 && line[n] == '\r' && f.try(line[:n]) {
		return true
	}
	return f.try(line)
}

// longLine is from which length on a match can take so long, in bytes, that it must be
// possible to stop it.
const longLine = 16 << 10

func (f *finder) try(line []byte) bool {
	if len(line) < longLine || f.stopped == nil {
		return f.m.re.Match(line)
	}
	return f.m.re.MatchReader(&runes{text: line, stopped: f.stopped})
}

// runes reads a line until it ends or the search is stopped.
type runes struct {
	text    []byte
	pos     int
	checked int
	stopped func() bool
}

// ReadRune is for regexp.
func (r *runes) ReadRune() (rune, int, error) {
	if r.pos-r.checked >= longLine {
		if r.checked = r.pos; r.stopped() {
			return 0, 0, io.EOF
		}
	}
	if r.pos == len(r.text) {
		return 0, 0, io.EOF
	}
	char, size := utf8.DecodeRune(r.text[r.pos:])
	r.pos += size
	return char, size, nil
}
