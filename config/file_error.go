package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// document is a JSON file.
type document struct {
	path string
	data []byte
}

// readDocument reads a file. One that does not exist, or holds nothing, is an empty object.
func readDocument(path string) (*document, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	d := &document{path: path, data: data}
	if len(bytes.TrimSpace(data)) == 0 {
		d.data = []byte("{}")
	}
	return d, nil
}

// keepDefaults makes null mean that a key is absent.
var keepDefaults = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ any) error {
	if d.PeekKind() != 'n' {
		return errors.ErrUnsupported
	}
	_, err := d.ReadToken()
	return err
}))

// decode reads the document into v.
func (d *document) decode(v any) error {
	err := json.Unmarshal(d.data, v, keepDefaults)
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return d.syntaxError(syntax)
	}
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fmt.Errorf("read %s: %w", d.path, err)
	}
	problem := "must not be " + article(semantic.JSONKind)
	if semantic.JSONKind == 0 && semantic.Err != nil {
		problem = "cannot be read: " + semantic.Err.Error()
	}
	return d.wrong(semantic.JSONPointer, problem, wanted(semantic.GoType))
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
	rest, before := bytes.TrimLeft(d.data[at:], " \t\r\n"), bytes.TrimRight(d.data[:at], " \t\r\n")
	switch {
	case len(rest) == 0:
		e.Fix = "the end of the file is missing; close what is open"
	case rest[0] == '/' || rest[0] == '#':
		e.Fix = "JSON has no comments; remove it"
	case rest[0] == '\'':
		e.Fix = `write texts in double quotes`
	case bytes.HasSuffix(before, []byte(",")) && (rest[0] == '}' || rest[0] == ']'),
		bytes.HasPrefix(rest, []byte(",")) && isClose(rest[1:]):
		e.Fix = fmt.Sprintf("remove the comma before the closing %s", closing(rest))
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Fix = "keep one of the two"
	}
	e.Line, e.Column = d.position(len(d.data) - len(rest))
	return e
}

func isClose(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '}' || text[0] == ']')
}

func closing(text []byte) string {
	return string(bytes.TrimLeft(text, ", \t\r\n")[:1])
}

// position returns line and column of an offset.
func (d *document) position(offset int) (line, column int) {
	before := d.data[:offset]
	return bytes.Count(before, []byte("\n")) + 1, offset - bytes.LastIndexByte(before, '\n')
}

// offset returns where the value at the pointer begins; of one that is missing, its nearest
// parent.
func (d *document) offset(at jsontext.Pointer) int {
	dec := jsontext.NewDecoder(bytes.NewReader(d.data))
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
