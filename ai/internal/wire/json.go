package wire

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Lax accepts what servers send and messages hold: text that is no Unicode, repeated names.
var Lax = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Marshal encodes a request: no HTML escaping, and text that is no Unicode (bytes that
// are no UTF-8, lone surrogates) becomes U+FFFD, since servers refuse a request with it.
func Marshal(v any) (jsontext.Value, error) { return json.Marshal(v, Lax) }

// Override returns the object with these members as they are: in place of those it has,
// or at its end in the order of their names.
func Override(object jsontext.Value, members map[string]jsontext.Value) (jsontext.Value, error) {
	if len(members) == 0 {
		return object, nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(object), Lax)
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return nil, errors.New("override members of a request: it is no JSON object")
	}
	rest := maps.Clone(members)
	out := append(make([]byte, 0, len(object)+64), '{')
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if replacement, ok := rest[key]; ok {
			value = replacement
			delete(rest, key)
		}
		out = appendMember(out, key, value)
	}
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		out = appendMember(out, key, rest[key])
	}
	return append(out, '}'), nil
}

func appendMember(dst []byte, key string, value jsontext.Value) []byte {
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	dst, _ = jsontext.AppendQuote(dst, key) // its only error is about invalid UTF-8, which it replaces
	dst = append(dst, ':')
	return append(dst, value...)
}
