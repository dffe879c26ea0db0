package ordered

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Compact writes a value without white space.
func Compact(v any) string { return (&writer{comma: ",", colon: ":"}).write(v) }

// Spaced writes a value on one line with a space after commas and colons.
func Spaced(v any) string { return (&writer{comma: ", ", colon: ": "}).write(v) }

// Indented writes a value over many lines, indented by one space a level, in ASCII alone.
func Indented(v any) string {
	return (&writer{comma: ",", colon: ": ", lines: true, ascii: true}).write(v)
}

// Sorted writes a value over many lines with the members of objects in the order of their
// names: the form of the golden files.
func Sorted(v any) string {
	return (&writer{comma: ",", colon: ": ", lines: true, sorted: true}).write(v)
}

type writer struct {
	strings.Builder
	comma, colon         string
	lines, ascii, sorted bool
	depth                int
}

func (w *writer) write(v any) string {
	w.value(v)
	return w.String()
}

func (w *writer) value(v any) {
	switch v := v.(type) {
	case nil:
		w.WriteString("null")
	case bool:
		w.WriteString(strconv.FormatBool(v))
	case int:
		w.WriteString(strconv.Itoa(v))
	case Number:
		w.WriteString(string(v))
	case string:
		w.text(v)
	case []any:
		w.list('[', ']', len(v), func(i int) { w.value(v[i]) })
	case Object:
		w.object(v)
	default:
		panic(fmt.Sprintf("ordered: a %T is no JSON value of this package", v))
	}
}

func (w *writer) object(o Object) {
	if w.sorted {
		o = slices.SortedStableFunc(slices.Values(o), func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	}
	w.list('{', '}', len(o), func(i int) {
		w.text(o[i].Name)
		w.WriteString(w.colon)
		w.value(o[i].Value)
	})
}

func (w *writer) list(start, end byte, n int, item func(i int)) {
	w.WriteByte(start)
	w.depth++
	for i := range n {
		if i > 0 {
			w.WriteString(w.comma)
		}
		w.newline()
		item(i)
	}
	w.depth--
	if n > 0 {
		w.newline()
	}
	w.WriteByte(end)
}

func (w *writer) newline() {
	if w.lines {
		w.WriteByte('\n')
		w.WriteString(strings.Repeat(" ", w.depth))
	}
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func (w *writer) text(s string) {
	w.WriteByte('"')
	for _, r := range s {
		switch short := shortEscapes[r]; {
		case short != "":
			w.WriteString(short)
		case r < ' ' || (w.ascii && r > '~' && r <= '\uffff'):
			fmt.Fprintf(w, `\u%04x`, r)
		case w.ascii && r > '\uffff':
			fmt.Fprintf(w, `\u%04x\u%04x`, (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00)
		default:
			w.WriteRune(r)
		}
	}
	w.WriteByte('"')
}
