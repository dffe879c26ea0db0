package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// document is a JSON file that people write: comments and commas behind the last member are
// allowed.
type document struct {
	path string
	text []byte // as it is in the file
	data []byte // without comments, of the same length

	problems []problem
	fatal    *FileError // the first problem that must not be passed over
}

// problem is something wrong with one value.
type problem struct {
	at  jsontext.Pointer
	err *FileError
}

// byteOrderMark begins files of some editors.
var byteOrderMark = []byte("\xef\xbb\xbf")

// readDocument reads a file. One that does not exist is empty.
func readDocument(path string) (*document, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return newDocument(path, text), nil
}

// newDocument makes a document of a text. An empty one, or null, is an empty object.
func newDocument(path string, text []byte) *document {
	d := &document{path: path, text: text, data: bytes.Clone(text)}
	if bytes.HasPrefix(d.data, byteOrderMark) {
		copy(d.data, "   ")
	}
	if standard, err := hujson.Standardize(bytes.Clone(d.data)); err == nil {
		d.data = standard
	} // else what is wrong is found when the document is decoded
	if content := bytes.TrimSpace(d.data); len(content) == 0 || bytes.Equal(content, []byte("null")) {
		d.text, d.data = []byte("{}"), []byte("{}")
	}
	return d
}

// decode reads the document into v, a pointer to a struct or a map. What is wrong in single
// values is reported; the error says that the document as a whole cannot be used.
func (d *document) decode(v any) error {
	var raw jsontext.Value
	err := json.Unmarshal(d.data, &raw, lenient.Options)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return d.syntaxError(syntax)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", d.path, err)
	}
	if kind := raw.Kind(); kind != '{' {
		return d.wrong("", "must not be "+article(kind), wanted(reflect.TypeOf(v).Elem()))
	}
	d.reportTwice()
	d.fill("", reflect.ValueOf(v).Elem(), raw, rules{})
	return d.failure()
}

// reportTwice reports a name that an object has twice.
func (d *document) reportTwice() {
	_, err := jsontext.NewDecoder(bytes.NewReader(d.data), jsontext.AllowInvalidUTF8(true)).ReadValue()
	if twice, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		d.report(twice.JSONPointer, "is there twice, and the last one counts", "keep one of the two")
	}
}

// decodeStrict is decode for a document in which nothing may be wrong.
func (d *document) decodeStrict(v any) error {
	if err := d.decode(v); err != nil {
		return err
	}
	return d.first()
}

// first returns the first problem.
func (d *document) first() error {
	if len(d.problems) == 0 {
		return nil
	}
	return d.problems[0].err
}

// failure returns the first problem that must not be passed over.
func (d *document) failure() error {
	if d.fatal == nil {
		return nil
	}
	return d.fatal
}

// report takes note of something wrong with the value at a pointer.
func (d *document) report(at jsontext.Pointer, what, fix string) { d.reportIf(false, at, what, fix) }

func (d *document) reportIf(fatal bool, at jsontext.Pointer, what, fix string) {
	err := d.wrong(at, what, fix)
	d.problems = append(d.problems, problem{at, err})
	if fatal && d.fatal == nil {
		d.fatal = err
	}
}

// isWrong reports whether something is wrong within the value at a pointer.
func (d *document) isWrong(at jsontext.Pointer) bool {
	for _, p := range d.problems {
		if at.Contains(p.at) {
			return true
		}
	}
	return false
}

// warnings are the problems, for people.
func (d *document) warnings() []*FileError {
	var all []*FileError
	for _, p := range d.problems {
		all = append(all, p.err)
	}
	return all
}
