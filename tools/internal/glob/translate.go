package glob

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxLength bounds the size of the regular expression, which takes memory and time.
const maxLength = 4096

// translate makes a regular expression for the same paths.
func translate(pattern string) (string, error) {
	if len(pattern) > maxLength {
		return "", fmt.Errorf("it has more than %d bytes", maxLength)
	}
	t := translator{rest: pattern, boundary: true}
	t.out.WriteString(`(?s)\A(?:`)
	for t.rest != "" {
		if err := t.next(); err != nil {
			return "", err
		}
	}
	if t.depth > 0 {
		return "", errors.New(`a { has no }; write \{ for the character`)
	}
	t.out.WriteString(`)\z`)
	return t.out.String(), nil
}

type translator struct {
	rest  string
	out   strings.Builder
	depth int // of braces
	// boundary says that an element of the path can begin here.
	boundary bool
}

// next translates what the rest begins with.
func (t *translator) next() error {
	switch c := t.rest[0]; {
	case c == '*':
		t.stars()
	case c == '?':
		t.emit(1, `[^/]`)
	case c == '[':
		return t.class()
	case c == '\\':
		if len(t.rest) == 1 {
			return errors.New(`a \ stands at the end; write \\ for the character`)
		}
		t.rest = t.rest[1:]
		t.literal()
	case c == '{':
		t.depth++
		t.group(`(?:`)
	case c == ',' && t.depth > 0:
		t.group(`|`)
	case c == '}' && t.depth > 0:
		t.depth--
		t.emit(1, `)`)
	default:
		t.literal()
	}
	return nil
}

func (t *translator) emit(size int, expr string) {
	t.rest = t.rest[size:]
	t.out.WriteString(expr)
	t.boundary = false
}

// group begins an alternative. Two stars may begin it if they may stand before it.
func (t *translator) group(expr string) {
	t.emit(1, expr)
	t.boundary = true
}

func (t *translator) literal() {
	_, size := utf8.DecodeRuneInString(t.rest)
	char := t.rest[:size]
	t.emit(size, regexp.QuoteMeta(char))
	t.boundary = char == "/"
}

// stars translates a run of stars. Two or more that are a whole element stand for any
// number of elements, at the end of a pattern for at least one.
func (t *translator) stars() {
	size := len(t.rest) - len(strings.TrimLeft(t.rest, "*"))
	after := t.rest[size:]
	switch {
	case size == 1 || !t.boundary:
		t.emit(size, `[^/]*`)
	case strings.HasPrefix(after, "/"):
		t.emit(size+1, `(?:.*/)?`)
		t.boundary = true
	case after == "" || t.depth > 0 && strings.ContainsAny(after[:1], ",}"):
		t.emit(size, `.+`)
	default:
		t.emit(size, `[^/]*`)
	}
}

// class translates a bracket expression, which never matches a slash.
func (t *translator) class() error {
	p := t.rest[1:]
	negated := strings.HasPrefix(p, "!") || strings.HasPrefix(p, "^")
	var expr strings.Builder
	expr.WriteString(`[`)
	if negated {
		p = p[1:]
		expr.WriteString(`^/`)
	}
	for first := true; first || !strings.HasPrefix(p, "]"); first = false {
		from, rest := member(p)
		to := from
		if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			to, rest = member(rest[1:])
		}
		if rest == "" {
			return errors.New(`a [ has no ]; write \[ for the character`)
		}
		if from > to {
			return fmt.Errorf("the range %c-%c is empty", from, to)
		}
		writeRange(&expr, from, to)
		p = rest
	}
	if expr.Len() == 1 {
		expr.WriteString(`^\x{0}-\x{10ffff}`)
	}
	expr.WriteString(`]`)
	t.emit(len(t.rest)-len(p)+1, expr.String())
	return nil
}

// member reads a character of a class.
func member(p string) (rune, string) {
	if len(p) > 1 && p[0] == '\\' {
		p = p[1:]
	}
	r, size := utf8.DecodeRuneInString(p)
	return r, p[size:]
}

// writeRange writes a range without the slash.
func writeRange(expr *strings.Builder, from, to rune) {
	write := func(from, to rune) {
		if from <= to {
			fmt.Fprintf(expr, `\x{%x}-\x{%x}`, from, to)
		}
	}
	if from <= '/' && '/' <= to {
		write(from, '/'-1)
		from = '/' + 1
	}
	write(from, to)
}
