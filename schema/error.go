package schema

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Problem is one thing that is wrong with the arguments of a tool call.
type Problem struct {
	// Path is the place, for instance edits[0].oldText; "arguments" is the whole.
	Path string
	// Reason says what is wrong, for instance: expected number, got string "many".
	Reason string
}

// ValidationError is the error of arguments that do not match a schema. A model can
// correct itself with what [ValidationError.Text] says.
type ValidationError struct {
	// Problems is everything that is wrong, in the order of the schema and the arguments.
	Problems []Problem
	// Received is the arguments as they were given, before any coercion. It may be text
	// that is no JSON.
	Received jsontext.Value
}

// Error lists the problems, one a line.
func (e *ValidationError) Error() string {
	const mostLines = 40
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == mostLines {
			fmt.Fprintf(&b, "  - and %d more", len(e.Problems)-i)
			break
		}
		fmt.Fprintf(&b, "  - %s: %s", p.Path, p.Reason)
	}
	return b.String()
}

// Text is what the model that made the call is told: the tool, the problems, and what it
// sent. Long arguments are cut. The frame is Pi 0.85's, the wording of problems is not.
func (e *ValidationError) Text(tool string) string {
	return fmt.Sprintf("Validation failed for tool %q:\n%s\n\nReceived arguments:\n%s", tool, e.Error(), e.received())
}

func (e *ValidationError) received() string {
	const most = 2000
	pretty := e.Received.Clone()
	// Text that is no JSON stays as it is.
	_ = pretty.Indent(jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	text := strings.ToValidUTF8(string(pretty), "\uFFFD")
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s…\n(%d more bytes are not shown)", text[:cut], len(text)-cut)
}

func pathText(path []step) string {
	if len(path) == 0 {
		return "arguments"
	}
	var b strings.Builder
	for i, s := range path {
		switch {
		case s.name == nil:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case bytes.ContainsAny(s.name, ".[]: \n\"") || len(s.name) == 0:
			b.WriteString("[" + strconv.Quote(string(s.name)) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.Write(s.name)
		}
	}
	return b.String()
}

// describe says what a value is, in a few words.
func describe(v *value) string {
	const longest = 60
	switch v.kind {
	case '"':
		return "string " + shorten(strconv.Quote(v.text()), longest)
	case '0':
		return "number " + shorten(string(v.raw), longest)
	case 't', 'f':
		return "boolean " + string(v.raw)
	}
	return describeKind(v.kind)
}

func describeKind(k jsontext.Kind) string {
	switch k {
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	case '[':
		return "array"
	case '{':
		return "object"
	}
	return "null"
}

// shorten cuts a quoted text to about n characters.
func shorten(s string, n int) string {
	i := 0
	for at := range s {
		if i == n {
			return s[:at] + "…"
		}
		i++
	}
	return s
}

func describeEnum(values []value) string {
	const most = 30
	if len(values) == 0 {
		return "nothing"
	}
	var texts []string
	for i := range values {
		if i == most {
			texts = append(texts, fmt.Sprintf("%d others", len(values)-i))
			break
		}
		texts = append(texts, shorten(string(values[i].raw), 80))
	}
	return orList(texts)
}

func unknownProperty(known []string) string {
	if len(known) == 0 {
		return "unknown property, there are none"
	}
	quoted := make([]string, len(known))
	for i, name := range known {
		quoted[i] = strconv.Quote(name)
	}
	return "unknown property, expected " + orList(quoted)
}

// orList joins alternatives: a, b or c.
func orList(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " or " + items[last]
}
