package config

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Setting is a row of the table of settings: one key of settings.json.
type Setting struct {
	// Key is the name in the file, such as compaction.enabled.
	Key string
	// Type is "text", "switch" (true or false), "number" (whole), "list" (of texts) or "object".
	Type string
	// Default is the value where no file has the key: a text, a bool or an int; nil for lists
	// and objects, and for texts that have none.
	Default any
	// Shown is the default in words, where it depends on other things.
	Shown string
	// Values are the texts that are allowed, of the setting or of the members of an object; nil
	// allows all.
	Values []string
	// Choices are what a person may choose from: true and false, Values, or some numbers; nil if it
	// is to be written in the file.
	Choices []any
	// UserOnly says that a project cannot change it.
	UserOnly bool
	// Strict says that a wrong value stops the program, since any other would be unsafe.
	Strict bool
	// Help says what it does, in a few words, and More the rest. See names a page of the
	// documentation about it.
	Help, More, See string
}

// Table lists the settings, in the order of the documentation. It must not be changed.
var Table = sync.OnceValue(func() []Setting {
	rows := tableOf("", reflect.TypeFor[Settings]())
	return append(rows, tableOf("", reflect.TypeFor[lists]())...)
})

// FindSetting returns a row of the table.
func FindSetting(key string) (Setting, bool) {
	for _, row := range Table() {
		if row.Key == key {
			return row, true
		}
	}
	return Setting{}, false
}

// tableOf lists the rows of a struct whose keys begin with prefix.
func tableOf(prefix string, t reflect.Type) []Setting {
	var rows []Setting
	for i := range t.NumField() {
		field := t.Field(i)
		key := prefix + field.Tag.Get("json")
		if field.Type.Kind() == reflect.Struct {
			rows = append(rows, tableOf(key+".", field.Type)...)
			continue
		}
		tag := rulesOf(field.Tag)
		rows = append(rows, Setting{
			Key: key, Type: typeName(field.Type), Default: defaultOf(field), Shown: field.Tag.Get("shown"), Values: tag.values, Choices: choicesOf(field),
			UserOnly: field.Tag.Get("scope") == "user", Strict: tag.strict, Help: field.Tag.Get("help"), More: field.Tag.Get("more"), See: field.Tag.Get("see"),
		})
	}
	return rows
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "switch"
	case reflect.Int:
		return "number"
	case reflect.Slice:
		return "list"
	case reflect.Map:
		return "object"
	}
	return "text"
}

// choicesOf returns what a person may choose from.
func choicesOf(field reflect.StructField) (choices []any) {
	switch field.Type.Kind() {
	case reflect.Bool:
		return []any{true, false}
	case reflect.String:
		for _, value := range rulesOf(field.Tag).values {
			choices = append(choices, value)
		}
	case reflect.Int:
		for text := range strings.FieldsSeq(field.Tag.Get("choices")) {
			n, err := strconv.Atoi(text)
			if err != nil {
				panic("config: a choice of " + field.Name + " is no number")
			}
			choices = append(choices, n)
		}
	}
	return choices
}

// defaultOf returns the default of a field; nil if it has none.
func defaultOf(field reflect.StructField) any {
	text, ok := field.Tag.Lookup("default")
	if !ok {
		return nil
	}
	switch field.Type.Kind() {
	case reflect.Bool:
		return text == "true"
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			panic("config: the default of " + field.Name + " is no number")
		}
		return n
	}
	return text
}

// rulesOf reads the tags of a field.
func rulesOf(tag reflect.StructTag) rules {
	r := rules{atLeast: tag.Get("min") == "0", strict: tag.Get("strict") == "true"}
	_, hasDefault := tag.Lookup("default")
	r.empty = !hasDefault
	switch tag.Get("kind") {
	case "url":
		r.url = true
	case "models":
		r.models = true
	}
	switch values := tag.Get("values"); values {
	case "":
	case "levels":
		r.values = levelNames()
	default:
		r.values = strings.Fields(values)
	}
	return r
}

// DefaultSettings returns the settings of an empty file.
func DefaultSettings() *Settings {
	s := new(Settings)
	setDefaults(reflect.ValueOf(s).Elem())
	return s
}

func setDefaults(v reflect.Value) {
	for field, value := range v.Fields() {
		if value.Kind() == reflect.Struct {
			setDefaults(value)
		} else if def := defaultOf(field); def != nil {
			value.Set(reflect.ValueOf(def).Convert(field.Type))
		}
	}
}

// Value returns the value of a key as JSON has it; nil if there is no such setting.
func (s *Settings) Value(key string) any {
	v := reflect.ValueOf(s).Elem()
	for name := range strings.SplitSeq(key, ".") {
		found := false
		for field, value := range v.Fields() {
			if v.Kind() == reflect.Struct && field.Tag.Get("json") == name {
				v, found = value, true
				break
			}
		}
		if !found {
			return nil
		}
	}
	raw, err := json.Marshal(v.Interface())
	if err != nil {
		return nil
	}
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return nil
	}
	return value
}

// keepUsers takes the settings that a project cannot change from those of the user.
func (s *Settings) keepUsers(own *Settings) {
	to, from := reflect.ValueOf(s).Elem(), reflect.ValueOf(own).Elem()
	for field, value := range to.Fields() {
		if field.Tag.Get("scope") == "user" {
			value.Set(from.FieldByIndex(field.Index))
		}
	}
}

// readHosts checks the names in the setting extensionHosts of a file.
func (d *document) readHosts(hosts map[string]string) map[string]string {
	for _, key := range slices.Sorted(maps.Keys(hosts)) {
		if strings.TrimSpace(key) == "" {
			d.report(jsontext.Pointer("/extensionHosts").AppendToken(key), "names no extension", "write its name or a path")
			delete(hosts, key)
		}
	}
	return hosts
}
