package docs_test

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const anything = "…"

// matchesText reports whether a text is what a block shows.
func matchesText(want, got string) bool {
	pattern := `^`
	for _, line := range strings.Split(strings.TrimRight(want, "\n"), "\n") {
		if line == anything {
			pattern += `(?:[^\n]*\n)*?`
			continue
		}
		pattern += globLine(line) + `\n`
	}
	return regexp.MustCompile(pattern + `$`).MatchString(strings.TrimRight(got, "\n") + "\n")
}

func globLine(line string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(line), anything, `[^\n]*`)
}

// values reads JSON values that follow one another.
func values(text string) ([]jsontext.Value, error) {
	d := jsontext.NewDecoder(strings.NewReader(text))
	var all []jsontext.Value
	for {
		v, err := d.ReadValue()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v.Clone())
	}
}

// optional are members that depend on how long something took.
var optional = map[string]bool{"durationMs": true}

// matchesJSON reports whether a value is what a page shows. Numbers and timestamps match any
// other, since they are mostly times and counts; exit codes and indexes are compared.
func matchesJSON(want, got any) bool {
	switch want := want.(type) {
	case string:
		text, ok := got.(string)
		return ok && regexp.MustCompile(`^(?s:`+strings.ReplaceAll(regexp.QuoteMeta(want), anything, `.*`)+`)$`).MatchString(text)
	case float64:
		_, ok := got.(float64)
		return ok
	case []any:
		list, ok := got.([]any)
		return ok && matchesList(want, list)
	case map[string]any:
		object, ok := got.(map[string]any)
		return ok && matchesObject(want, object)
	}
	return want == got
}

func matchesList(want, got []any) bool {
	if len(want) == 1 && want[0] == anything {
		return true
	}
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if !matchesJSON(want[i], got[i]) {
			return false
		}
	}
	return true
}

func matchesObject(want, got map[string]any) bool {
	_, open := want[anything]
	for name, v := range want {
		if other, ok := got[name]; ok {
			if !matchesMember(name, v, other) {
				return false
			}
		} else if name != anything && !optional[name] {
			return false
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok && !open && !optional[name] {
			return false
		}
	}
	return true
}

func matchesMember(name string, want, got any) bool {
	switch name {
	case "exitCode", "contentIndex":
		return want == got
	case "timestamp":
		return reflect.TypeOf(want) == reflect.TypeOf(got)
	}
	return matchesJSON(want, got)
}

// plain decodes a value for comparison.
func plain(t *testing.T, v jsontext.Value) any {
	t.Helper()
	var out any
	if err := json.Unmarshal(v, &out, jsontext.AllowInvalidUTF8(true)); err != nil {
		t.Fatalf("%v in %s", err, v)
	}
	return out
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		want, got string
		matches   bool
	}{
		{"a\n…\nd", "a\nb\nc\nd\n", true},
		{"a\n…\nd", "a\nd", true},
		{"a\n…", "b\n", false},
		{"rondo …", "rondo 1.0\n", true},
		{"rondo …", "rondo 1\nmore\n", false},
	} {
		if got := matchesText(c.want, c.got); got != c.matches {
			t.Errorf("text %q and %q: %t", c.want, c.got, got)
		}
	}
	for _, c := range []struct {
		want, got string
		matches   bool
	}{
		{`{"a":1}`, `{"a":2}`, true},
		{`{"a":1}`, `{"a":"2"}`, false},
		{`{"a":1}`, `{"a":2,"b":3}`, false},
		{`{"a":1,"…":"…"}`, `{"a":2,"b":3}`, true},
		{`{"a":1,"b":2}`, `{"a":2}`, false},
		{`["…"]`, `[1,2]`, true},
		{`[1]`, `[1,2]`, false},
		{`"x…z"`, `"xyz"`, true},
		{`{"contentIndex":1}`, `{"contentIndex":2}`, false},
		{`{"durationMs":1}`, `{}`, true},
	} {
		if got := matchesJSON(plain(t, jsontext.Value(c.want)), plain(t, jsontext.Value(c.got))); got != c.matches {
			t.Errorf("JSON %s and %s: %t", c.want, c.got, got)
		}
	}
}

// list writes values one a line.
func list[T fmt.Stringer](all []T) string {
	var b strings.Builder
	for _, v := range all {
		b.WriteString("\t" + v.String() + "\n")
	}
	return b.String()
}
