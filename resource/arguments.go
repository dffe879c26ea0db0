package resource

import (
	"strconv"
	"strings"
	"unicode"
)

// splitArguments cuts a text into arguments, as a shell does: white space separates them;
// single and double quotes hold one together, and may begin inside of it; an empty pair of
// them is an empty argument. A backslash makes a quote or white space ordinary, inside double
// quotes only the quote; before anything else it stands for itself, as in a path of Windows.
// A quote that is not closed ends with the text.
func splitArguments(text string) []string {
	var args []string
	var arg strings.Builder
	var quote rune
	begun := false
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && i+1 < len(runes) && escapes(runes[i+1], quote):
			i++
			arg.WriteRune(runes[i])
			begun = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				args = append(args, arg.String())
				arg.Reset()
			}
			begun = false
		default:
			arg.WriteRune(r)
			begun = true
		}
	}
	if begun {
		args = append(args, arg.String())
	}
	return args
}

// escapes reports whether a backslash before r takes its meaning away.
func escapes(r, quote rune) bool {
	switch quote {
	case 0:
		return r == '"' || r == '\'' || unicode.IsSpace(r)
	case '"':
		return r == '"'
	}
	return false
}

// fill puts arguments into the places of a template. What an argument or a default holds is
// not looked at again. The places are those of Pi 0.85:
//
//	$1 $2 …              one argument, or nothing
//	$@ $ARGUMENTS        all, with a space between them
//	${1:-text} ${@:-text} ${ARGUMENTS:-text}    the same, or the text if that is empty
//	${@:N} ${@:N:L}      all from the Nth on; L of them
func fill(template string, args []string) string {
	f := filler{args: args, all: strings.Join(args, " "), tail: len(template) - 1 - strings.LastIndexByte(template, '}')}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(template, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		value, size := f.place(after)
		if size == 0 {
			value = "$"
		}
		b.WriteString(value)
		template = after[size:]
	}
}

// filler knows what places stand for.
type filler struct {
	args []string
	all  string
	tail int // how much of the template stands behind its last closing brace
}

// place returns what the place behind a $ stands for, and its length; 0 if it is none.
func (f *filler) place(text string) (value string, size int) {
	inner, braced := strings.CutPrefix(text, "{")
	if !braced {
		return f.subject(text)
	}
	value, n := f.subject(inner)
	if n == 0 || !strings.HasPrefix(inner[n:], ":") {
		return "", 0
	}
	rest := inner[n+len(":"):]
	var content string
	switch {
	case strings.HasPrefix(rest, "-") && len(rest) > f.tail:
		content, _, _ = strings.Cut(rest, "}")
		if value == "" {
			value = content[len("-"):]
		}
	case inner[:n] == "@":
		content = rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789:"))]
		var ok bool
		if value, ok = f.slice(content); !ok || !strings.HasPrefix(rest[len(content):], "}") {
			return "", 0
		}
	default:
		return "", 0
	}
	return value, len("{") + n + len(":") + len(content) + len("}")
}

// subject reads what a place is about: the number of an argument, or all of them.
func (f *filler) subject(text string) (value string, size int) {
	for _, name := range []string{"@", "ARGUMENTS"} {
		if strings.HasPrefix(text, name) {
			return f.all, len(name)
		}
	}
	size = len(text) - len(strings.TrimLeft(text, "0123456789"))
	if n, ok := number(text[:size]); ok && 1 <= n && n <= len(f.args) {
		value = f.args[n-1]
	}
	return value, size
}

// slice reads N or N:L and returns those arguments.
func (f *filler) slice(text string) (string, bool) {
	first, count, counted := strings.Cut(text, ":")
	from, ok := number(first)
	if !ok {
		return "", false
	}
	args := f.args[min(max(from-1, 0), len(f.args)):]
	if counted {
		n, ok := number(count)
		if !ok {
			return "", false
		}
		args = args[:min(n, len(args))]
	}
	return strings.Join(args, " "), true
}

// number reads digits. One that is too large is larger than any list.
func number(digits string) (int, bool) {
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = int(^uint(0) >> 1)
	}
	return n, true
}
