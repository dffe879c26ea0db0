package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// FileError is something wrong in a file that the user writes.
type FileError struct {
	Path string
	// Line and Column are the place, from 1; a column counts bytes.
	Line, Column int
	// Key is the value that is wrong, such as providers.lab.models[0].id; empty if the
	// file is not JSON.
	Key string
	// Problem says what is wrong, and Fix what to do or to write instead.
	Problem, Fix string
}

// Error is one line: place, key, what is wrong, and what to write.
func (e *FileError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", e.Path, e.Line, e.Column)
	if e.Key != "" {
		b.WriteString(e.Key + " ")
	}
	b.WriteString(e.Problem)
	if e.Fix != "" {
		b.WriteString("; " + e.Fix)
	}
	return b.String()
}

// wrong returns the error for the value at the pointer.
func (d *document) wrong(at jsontext.Pointer, problem, fix string) *FileError {
	e := &FileError{Path: d.path, Key: keyOf(at), Problem: problem, Fix: fix}
	if e.Key == "" {
		e.Key = "the file"
	}
	e.Line, e.Column = d.position(d.offset(at))
	return e
}

// syntaxError says why the file is no JSON.
func (d *document) syntaxError(err *jsontext.SyntacticError) *FileError {
	e := &FileError{Path: d.path, Problem: "is not valid JSON", Fix: "correct the text here"}
	if err.Err != nil {
		e.Problem += ": " + err.Err.Error()
	}
	at := min(int(err.ByteOffset), len(d.data))
	rest := bytes.TrimLeft(d.data[at:], " \t\r\n")
	switch {
	case len(rest) == 0:
		e.Fix = "the end of the file is missing; close what is open"
	case rest[0] == '#':
		e.Fix = "comments begin with //"
	case rest[0] == '\'':
		e.Fix = `write texts in double quotes`
	}
	e.Line, e.Column = d.position(len(d.data) - len(rest))
	return e
}

// position returns line and column of an offset.
func (d *document) position(offset int) (line, column int) {
	before := d.data[:offset]
	return bytes.Count(before, []byte("\n")) + 1, offset - bytes.LastIndexByte(before, '\n')
}

// offset returns where the value at the pointer begins; of one that is missing, its nearest
// parent.
func (d *document) offset(at jsontext.Pointer) int {
	dec := jsontext.NewDecoder(bytes.NewReader(d.data), lenient.Options)
	best, depth := 0, -1
	for {
		start := d.skip(int(dec.InputOffset()), " \t\r\n:,")
		tok, err := dec.ReadToken()
		if err != nil {
			return best
		}
		here := dec.StackPointer()
		if !here.Contains(at) || len(here) <= depth || tok.Kind() == '}' || tok.Kind() == ']' {
			continue
		}
		if kind, n := dec.StackIndex(dec.StackDepth()); kind == '{' && n%2 == 1 { // a name
			start = d.skip(int(dec.InputOffset()), " \t\r\n:")
		}
		best, depth = start, len(here)
	}
}

func (d *document) skip(offset int, chars string) int {
	for offset < len(d.data) && strings.IndexByte(chars, d.data[offset]) >= 0 {
		offset++
	}
	return offset
}

// keyOf writes a pointer as people write it: providers.lab.models[0].
func keyOf(at jsontext.Pointer) string {
	var b strings.Builder
	for name := range at.Tokens() {
		if _, err := strconv.Atoi(name); err == nil {
			b.WriteString("[" + name + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

func article(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case '0':
		return "this number"
	case 't', 'f':
		return kind.String()
	}
	return "of this kind"
}

// wanted says what to write for a value of a Go type.
func wanted(t reflect.Type) string {
	if t == nil {
		return ""
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "write true or false"
	case reflect.Int, reflect.Int64:
		return "write a whole number, such as 1000"
	case reflect.Float64:
		return "write a number, such as 0.5"
	case reflect.String:
		return `write a text in double quotes`
	case reflect.Slice:
		return "write a list: [ … ]"
	case reflect.Map, reflect.Struct:
		return "write an object: { … }"
	}
	return ""
}
