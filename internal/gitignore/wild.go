package gitignore

import "strings"

// wild is a pattern with wildcards, compiled.
type wild struct {
	// prefix is the text before the first special character.
	prefix string
	tokens []token
	// suffix is set, and tokens are not used, for a star that only literal text follows.
	suffix    string
	hasSuffix bool
}

type token struct {
	kind kind
	char byte // for a literal
	set  *set // for a class
}

type kind int8

const (
	literal  kind = iota
	anyChar       // ?: one byte, not a slash
	class         // [...]: one byte of a set, not a slash
	star          // *: any bytes without a slash
	anything      // **: any bytes
	folders       // **/: nothing, or any bytes up to a slash
)

// compile fails for a pattern that cannot match anything.
func compile(text string) (wild, bool) {
	n := strings.IndexAny(text, `*?[\`)
	if n < 0 {
		return wild{prefix: text}, true
	}
	w := wild{prefix: text[:n]}
	rest := text[n:]
	if rest[0] == '*' && !strings.ContainsAny(rest[1:], `*?[\/`) {
		w.suffix, w.hasSuffix = rest[1:], true
		return w, true
	}
	for i := 0; i < len(rest); {
		tok, size := next(rest, i)
		if size == 0 {
			return wild{}, false
		}
		w.tokens = append(w.tokens, tok)
		i += size
	}
	return w, true
}

// next reads the token at p[i:] and its length, which is 0 if the pattern is malformed.
func next(p string, i int) (token, int) {
	switch p[i] {
	case '*':
		return stars(p, i)
	case '?':
		return token{kind: anyChar}, 1
	case '[':
		set, size := parseSet(p[i:])
		return token{kind: class, set: set}, size
	case '\\':
		if i+1 == len(p) {
			return token{}, 0
		}
		return token{char: p[i+1]}, 2
	}
	return token{char: p[i]}, 1
}

// stars reads a run of stars. Two or more cross slashes if they are a whole element of the
// path. Git looks for the beginning of that element only in what follows the literal
// prefix, so foo** crosses slashes too.
func stars(p string, i int) (token, int) {
	end := i + 1
	for end < len(p) && p[end] == '*' {
		end++
	}
	size, after := end-i, p[end:]
	switch {
	case size == 1 || i > 0 && p[i-1] != '/':
		return token{kind: star}, size
	case after == "" || strings.HasPrefix(after, `\/`):
		return token{kind: anything}, size
	case after[0] == '/':
		return token{kind: folders}, size + 1
	}
	return token{kind: star}, size
}

func (w *wild) match(name string) bool {
	rest, ok := strings.CutPrefix(name, w.prefix)
	if !ok {
		return false
	}
	if w.hasSuffix {
		return strings.HasSuffix(rest, w.suffix) && !strings.Contains(rest[:len(rest)-len(w.suffix)], "/")
	}
	return matchTokens(w.tokens, rest)
}

// retry is the last wildcard of its sort: where it has matched up to and what comes next.
// Earlier wildcards need no second try: what follows them has matched as early as it can,
// which leaves the most to the later ones. So the time is polynomial.
type retry struct {
	set    bool
	token  int
	offset int
}

func matchTokens(p []token, s string) bool {
	var near, far retry // near for star, far for anything and folders
	i, j := 0, 0
	for {
		switch {
		case i == len(p):
			if j == len(s) {
				return true
			}
		case p[i].kind == star:
			i++
			near = retry{true, i, j}
			continue
		case p[i].kind >= anything:
			i++
			near, far = retry{}, retry{true, i, j}
			continue
		case j < len(s) && p[i].accepts(s[j]):
			i, j = i+1, j+1
			continue
		}
		switch {
		case near.set && near.offset < len(s) && s[near.offset] != '/':
			near.offset++
			i, j = near.token, near.offset
		case far.set && far.grow(p[far.token-1].kind, s):
			near = retry{}
			i, j = far.token, far.offset
		default:
			return false
		}
	}
}

// grow lets a wildcard that crosses slashes match more.
func (r *retry) grow(kind kind, s string) bool {
	n := 0
	if kind == folders {
		n = strings.IndexByte(s[r.offset:], '/')
	}
	if n < 0 || r.offset+n >= len(s) {
		return false
	}
	r.offset += n + 1
	return true
}

func (t *token) accepts(c byte) bool {
	switch t.kind {
	case literal:
		return c == t.char
	case class:
		return c != '/' && t.set.has(c)
	default:
		return c != '/'
	}
}
