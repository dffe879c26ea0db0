package scripted

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// node is a JSON value of a script that knows where it stands.
type node struct {
	doc    []byte
	offset int            // of raw in doc
	path   string         // such as replies[0].text; empty for the whole
	raw    jsontext.Value // valid JSON
}

// parse checks that data is one JSON value.
func parse(data []byte) (node, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d := jsontext.NewDecoder(bytes.NewReader(data))
	raw, err := d.ReadValue()
	if errors.Is(err, io.EOF) {
		return node{}, errors.New(`there is nothing in it; write {"replies": ["Hello."]}`)
	}
	if err != nil {
		return node{}, syntaxError(data, err)
	}
	n := node{doc: data, offset: int(d.InputOffset()) - len(raw), raw: raw.Clone()}
	if _, err := d.ReadToken(); err == nil {
		return node{}, fmt.Errorf("line %d: there is more after the end of the script; a script is one JSON object", lineAt(data, int(d.InputOffset())))
	} else if !errors.Is(err, io.EOF) {
		return node{}, syntaxError(data, err)
	}
	return n, nil
}

func syntaxError(data []byte, err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	at := min(int(syntax.ByteOffset), len(data))
	column := at - bytes.LastIndexByte(data[:at], '\n')
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("line %d, column %d: the field %q is given twice; keep one of them", lineAt(data, at), column, syntax.JSONPointer.LastToken())
	}
	return fmt.Errorf("line %d, column %d: this is not valid JSON (%w)", lineAt(data, at), column, syntax.Err)
}

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// errorf returns an error that names the node's line and place.
func (n node) errorf(format string, args ...any) error {
	problem := fmt.Sprintf(format, args...)
	if n.path != "" {
		problem = n.path + ": " + problem
	}
	return fmt.Errorf("line %d: %s", lineAt(n.doc, n.offset), problem)
}

// kind names the kind of value.
func (n node) kind() string {
	switch n.raw.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	}
	return "null"
}

// wrong says that the node is of the wrong kind.
func (n node) wrong(instead string) error {
	return n.errorf("this is %s; write %s", n.kind(), instead)
}

// fields maps the names that an object may have to what reads them.
type fields map[string]func(node) error

// aliases are names that other formats use for fields of ours.
var aliases = map[string]string{
	"content": "blocks", "message": "text", "toolcalls": "tools", "tool": "tools", "calls": "tools",
	"finish": "stop", "stopreason": "stop", "finishreason": "stop", "reason": "stop",
	"delay": "delayMs", "latency": "delayMs", "pace": "paceMs", "pieces": "chunks",
	"arguments": "args", "input": "args", "rawarguments": "rawArgs",
	"prompttokens": "input", "inputtokens": "input", "completiontokens": "output", "outputtokens": "output",
	"retryafter": "retryAfterMs", "type": "code", "text": "message", "repeat": "loop", "responses": "replies", "script": "replies",
}

// object reads an object's fields in their order; example is one that is right.
func (n node) object(example string, known fields) error {
	if n.raw.Kind() != '{' {
		return n.wrong("an object, such as " + example)
	}
	return n.each(func(name string, value node) error {
		read, ok := known[name]
		if !ok {
			return value.errorf("there is no such field; %s", known.suggest(name))
		}
		return read(value)
	})
}

// suggest says what may have been meant.
func (f fields) suggest(name string) string {
	plain := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	for known := range f {
		if strings.ToLower(known) == plain {
			return fmt.Sprintf("write %q", known)
		}
	}
	if alias, ok := aliases[plain]; ok && f[alias] != nil {
		return fmt.Sprintf("write %q", alias)
	}
	return "write one of " + strings.Join(slices.Sorted(maps.Keys(f)), ", ")
}

// each visits the members of an object, or the elements of a list with an empty name.
func (n node) each(visit func(name string, value node) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(n.raw))
	open, err := d.ReadToken()
	if err != nil {
		return err
	}
	for i := 0; d.PeekKind() != '}' && d.PeekKind() != ']'; i++ {
		name, path := "", fmt.Sprintf("%s[%d]", n.path, i)
		if open.Kind() == '{' {
			token, err := d.ReadToken()
			if err != nil {
				return err
			}
			name = token.String()
			path = strings.TrimPrefix(n.path+"."+name, ".")
		}
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		offset := n.offset + int(d.InputOffset()) - len(raw)
		if err := visit(name, node{doc: n.doc, offset: offset, path: path, raw: raw.Clone()}); err != nil {
			return err
		}
	}
	return nil
}

// list reads the elements of a list; example is one that is right.
func (n node) list(example string, read func(node) error) error {
	if n.raw.Kind() != '[' {
		return n.wrong("a list, such as " + example)
	}
	return n.each(func(_ string, value node) error { return read(value) })
}

// text returns a string; example is one that is right.
func (n node) text(example string) (string, error) {
	if n.raw.Kind() != '"' {
		return "", n.wrong("a text, such as " + example)
	}
	var s string
	err := json.Unmarshal(n.raw, &s)
	return s, err
}

// pieces returns a string, or the strings of a list, which then are not nil.
func (n node) pieces() (whole string, pieces []string, err error) {
	if n.raw.Kind() != '[' {
		whole, err = n.text(`"Hello.", or a list of texts`)
		return whole, nil, err
	}
	pieces = []string{}
	err = n.list(`["Hel", "lo."]`, func(value node) error {
		piece, err := value.text(`"Hello."`)
		pieces = append(pieces, piece)
		return err
	})
	return strings.Join(pieces, ""), pieces, err
}

// number returns a number between least and most.
func (n node) number(least, most float64) (float64, error) {
	want := "a number from " + strconv.FormatFloat(least, 'f', -1, 64) + " to " + strconv.FormatFloat(most, 'f', -1, 64)
	if n.raw.Kind() != '0' {
		return 0, n.wrong(want)
	}
	var v float64
	if err := json.Unmarshal(n.raw, &v); err != nil || v < least || v > most {
		return 0, n.errorf("%s is out of range; write %s", n.raw, want)
	}
	return v, nil
}

// count returns a whole number between least and most.
func (n node) count(least, most int) (int, error) {
	v, err := n.number(float64(least), float64(most))
	if err != nil {
		return 0, err
	}
	if v != float64(int(v)) {
		return 0, n.errorf("%s is not whole; write a number such as %d", n.raw, int(v))
	}
	return int(v), nil
}
