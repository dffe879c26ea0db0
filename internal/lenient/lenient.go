// Package lenient reads and writes JSON that other programs have made and that strict parsers
// refuse: JavaScript cuts a character into two halves of a surrogate pair, Python writes file
// names that are not UTF-8 in that way, and an object may have a name twice.
package lenient

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Options accept invalid UTF-8 and duplicate names. Invalid characters become U+FFFD, and
// the last of several members of one name counts.
var Options = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// UTF8 accepts invalid UTF-8 alone: a text of ours is written with U+FFFD in place of it.
var UTF8 = jsontext.AllowInvalidUTF8(true)

// JSON rewrites JSON that only lenient parsing accepts as strict JSON: what is no Unicode
// becomes U+FFFD, and of members of one name the last counts. Strict JSON is returned as it is.
// An error says that raw is no JSON at all.
func JSON(raw jsontext.Value) (jsontext.Value, error) {
	if raw.IsValid() {
		return raw, nil
	}
	switch raw.Kind() {
	case '{':
		var fields map[string]jsontext.Value
		return all(raw, &fields, func() error {
			for name, v := range fields {
				m, err := JSON(v)
				if err != nil {
					return err
				}
				fields[name] = m
			}
			return nil
		})
	case '[':
		var items []jsontext.Value
		return all(raw, &items, func() (err error) {
			for i := range items {
				if items[i], err = JSON(items[i]); err != nil {
					return err
				}
			}
			return nil
		})
	case '"':
		var text string
		return all(raw, &text, func() error { return nil })
	}
	return nil, errors.New("no JSON value")
}

func all[T any](raw jsontext.Value, into *T, each func() error) (jsontext.Value, error) {
	if err := json.Unmarshal(raw, into, Options); err != nil {
		return nil, err
	}
	if err := each(); err != nil {
		return nil, err
	}
	return json.Marshal(into, UTF8, json.Deterministic(true))
}
