package ordered

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient accepts what programs do write: lone surrogates, which become U+FFFD, and names
// that occur twice, of which the last value counts.
var lenient = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// Parse reads one JSON value; anything but white space behind it is an error.
func Parse(data []byte) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(data), lenient...)
	value, err := read(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("read JSON: something follows the value at byte %d", dec.InputOffset())
	}
	return value, nil
}

// Decode puts a value into a Go type. Fields of type any receive values of this package.
func Decode(value, into any) error {
	return json.Unmarshal([]byte(Compact(value)), into,
		json.JoinOptions(lenient...),
		json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) (err error) {
				*v, err = read(dec)
				return err
			}),
			json.UnmarshalFromFunc(unmarshalObject),
		)))
}

func unmarshalObject(dec *jsontext.Decoder, o *Object) error {
	value, err := read(dec)
	if err != nil {
		return err
	}
	object, ok := value.(Object)
	if !ok && value != nil {
		return fmt.Errorf("read JSON: an object is expected, not %s", Compact(value))
	}
	*o = object
	return nil
}

func read(dec *jsontext.Decoder) (any, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return readObject(dec)
	case '[':
		return readArray(dec)
	case '"':
		return token.String(), nil
	case '0':
		return numberOf(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	default:
		return nil, nil
	}
}

func readObject(dec *jsontext.Decoder) (Object, error) {
	object, places := Object{}, map[string]int{}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := read(dec)
		if err != nil {
			return nil, err
		}
		if at, ok := places[name]; ok {
			object[at].Value = value
			continue
		}
		places[name] = len(object)
		object = append(object, Member{Name: name, Value: value})
	}
	_, err := dec.ReadToken()
	return object, err
}

func readArray(dec *jsontext.Decoder) ([]any, error) {
	array := []any{}
	for dec.PeekKind() != ']' {
		value, err := read(dec)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := dec.ReadToken()
	return array, err
}
