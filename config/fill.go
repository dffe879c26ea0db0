package config

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// rules are what a field's tag says of its values, beside their type.
type rules struct {
	values  []string // that a text may have; nil allows all
	atLeast bool     // an int is 0 or more
	url     bool     // a text is empty, or an address
	models  bool     // the names of an object are provider/id or *
	strict  bool     // a wrong value stops the program
	empty   bool     // a text may be empty, which is its default
}

// filler is a type that reads itself.
type filler interface {
	fill(d *document, at jsontext.Pointer, raw jsontext.Value) bool
}

// fill puts what the document holds at a pointer into v, part by part: what is wrong is
// reported, and keeps the value that it had. It returns whether v as a whole is of the right
// type. null means that a key is absent.
func (d *document) fill(at jsontext.Pointer, v reflect.Value, raw jsontext.Value, r rules) bool {
	if raw.Kind() == 'n' {
		return true
	}
	if own, ok := v.Addr().Interface().(filler); ok {
		return own.fill(d, at, raw)
	}
	switch kind := v.Kind(); {
	case isPlainStruct(v):
		return d.fillStruct(at, v, raw)
	case kind == reflect.Map:
		return d.fillMap(at, v, raw, r)
	case kind == reflect.Slice && v.Type() != reflect.TypeFor[jsontext.Value]():
		return d.fillSlice(at, v, raw, r)
	}
	return d.fillValue(at, v, raw, r)
}

// isPlainStruct reports whether a struct is read by its fields.
func isPlainStruct(v reflect.Value) bool {
	_, own := v.Addr().Interface().(json.Unmarshaler)
	return v.Kind() == reflect.Struct && !own
}

func (d *document) fillStruct(at jsontext.Pointer, v reflect.Value, raw jsontext.Value) bool {
	var members map[string]jsontext.Value
	if !d.read(at, raw, &members, v.Type(), rules{}) {
		return false
	}
	for field, value := range v.Fields() {
		if field.Anonymous {
			d.fillStruct(at, reflect.Indirect(value), raw)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if member, ok := members[name]; ok && name != "" {
			d.fill(at.AppendToken(name), value, member, rulesOf(field.Tag))
		}
	}
	return true
}

func (d *document) fillMap(at jsontext.Pointer, v reflect.Value, raw jsontext.Value, r rules) bool {
	var members map[string]jsontext.Value
	if !d.read(at, raw, &members, v.Type(), r) {
		return false
	}
	out := reflect.MakeMap(v.Type()) // others may have the old one
	for _, key := range v.MapKeys() {
		out.SetMapIndex(key, v.MapIndex(key))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		here := at.AppendToken(name)
		if r.models && name != allModels && !strings.Contains(name, "/") {
			d.report(here, "names no model", `write provider/id, or "*" for all models`)
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		if members[name].Kind() == 'n' && item.Kind() != reflect.Pointer {
			continue
		}
		if d.fill(here, item, members[name], r) {
			out.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), item)
		}
	}
	v.Set(out)
	return true
}

// fillSlice drops items that are wrong; one that is to be a struct stays, empty, so that the
// others keep their places.
func (d *document) fillSlice(at jsontext.Pointer, v reflect.Value, raw jsontext.Value, r rules) bool {
	var items []jsontext.Value
	if !d.read(at, raw, &items, v.Type(), r) {
		return false
	}
	out := reflect.MakeSlice(v.Type(), 0, len(items))
	for i, item := range items {
		value := reflect.New(v.Type().Elem()).Elem()
		if item.Kind() == 'n' && value.Kind() != reflect.Struct {
			continue
		}
		if d.fill(at.AppendToken(strconv.Itoa(i)), value, item, r) || value.Kind() == reflect.Struct {
			out = reflect.Append(out, value)
		}
	}
	v.Set(out)
	return true
}

func (d *document) fillValue(at jsontext.Pointer, v reflect.Value, raw jsontext.Value, r rules) bool {
	value := reflect.New(v.Type())
	if !d.read(at, raw, value.Interface(), v.Type(), r) {
		return false
	}
	if problem, fix := r.check(value.Elem()); problem != "" {
		d.reportIf(r.strict, at, problem, fix)
		return false
	}
	v.Set(value.Elem())
	return true
}

// check says what is wrong with a value of the right type; empty if nothing is.
func (r *rules) check(v reflect.Value) (problem, fix string) {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch text := v.String(); {
	case v.Kind() == reflect.Int && r.atLeast && v.Int() < 0:
		return "is negative", "write 0 or more"
	case v.Kind() != reflect.String:
	case r.url && text != "" && !isURL(text):
		return "is not an address", `write it in full, such as "https://example.com/v1"`
	case r.empty && text == "":
	case r.values != nil && !slices.Contains(r.values, text):
		return "is " + quote(text), "write " + alternatives(r.values)
	case r.models && strings.TrimSpace(text) == "":
		return "is empty", "write a model as for --model"
	}
	return "", ""
}

// read decodes a part of the document, and reports what it should be if it is none.
func (d *document) read(at jsontext.Pointer, raw jsontext.Value, into any, want reflect.Type, r rules) bool {
	err := json.Unmarshal(raw, into, lenient.Options)
	if err == nil {
		return true
	}
	kind := raw.Kind()
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok && semantic.JSONPointer != "" {
		at += semantic.JSONPointer
		kind, want = semantic.JSONKind, semantic.GoType
	}
	d.reportIf(r.strict, at, "must not be "+article(kind), wanted(want))
	return false
}
