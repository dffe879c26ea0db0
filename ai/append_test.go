package ai_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// marshalled is what AppendMessage must append.
func marshalled(t *testing.T, m ai.Message) string {
	t.Helper()
	want, err := json.Marshal(m, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(want)
}

func checkAppend(t *testing.T, what string, m ai.Message) {
	t.Helper()
	got, err := ai.AppendMessage([]byte("before"), m)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	} else if want := "before" + marshalled(t, m); string(got) != want {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// blockKinds has a block of each kind.
var blockKinds = []ai.Block{&ai.Text{}, &ai.Thinking{}, &ai.ToolCall{}, &ai.Image{}}

// TestAppendMessage sets each field of each kind alone, and all at once: one that is added
// to a struct and not to the appender fails here.
func TestAppendMessage(t *testing.T) {
	for _, m := range []ai.Message{&ai.UserMessage{}, &ai.AssistantMessage{}, &ai.ToolResultMessage{}, &ai.SystemMessage{}} {
		checkAppend(t, m.Role(), m)
		everyField(m, func(name string) { checkAppend(t, m.Role()+"."+name, m) })
	}
	for _, b := range blockKinds {
		m := &ai.UserMessage{Content: ai.Content{b, b}}
		checkAppend(t, b.Type(), m)
		everyField(b, func(name string) { checkAppend(t, b.Type()+"."+name, m) })
	}
	answer := &ai.AssistantMessage{}
	everyField(&answer.Usage, func(name string) { checkAppend(t, "usage."+name, answer) })
	everyField(&answer.Usage.Cost, func(name string) { checkAppend(t, "cost."+name, answer) })
	for _, price := range []float64{1, -1, 0.1, 1e-5, 1e-6, 9.9e-7, 123456.789, 1e20, 1e21, 1.0 / 3} {
		answer.Usage.Cost.Total = price
		checkAppend(t, fmt.Sprint("price ", price), answer)
	}
}

// everyField calls check with each field of a struct set, one by one and then all.
func everyField(ptr any, check func(name string)) {
	v := reflect.ValueOf(ptr).Elem()
	empty := reflect.New(v.Type()).Elem()
	full := reflect.New(v.Type()).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		fill(full.Field(i))
		v.Set(empty)
		v.Field(i).Set(full.Field(i))
		check(v.Type().Field(i).Name)
	}
	v.Set(full)
	check("all")
	v.Set(empty)
}

func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case jsontext.Value:
		v.Set(reflect.ValueOf(jsontext.Value(`{"x":[1, 2.50,"<é>"]}`)))
		return
	case ai.Content:
		v.Set(reflect.ValueOf(ai.TextContent("text")))
		return
	case error:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("a \"text\" with\nlines, a \t, \x01, é and \xff")
	case reflect.Int, reflect.Int64:
		v.SetInt(-42)
	case reflect.Float64:
		v.SetFloat(0.0625)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && v.Type().Field(i).Tag.Get("json") != ",embed" {
				fill(f)
			}
		}
	}
}

func TestAppendMessage_RefusesWhatIsNoJSON(t *testing.T) {
	got, err := ai.AppendMessage([]byte("before"), &ai.ToolResultMessage{Details: jsontext.Value("{")})
	if err == nil || string(got) != "before" {
		t.Errorf("%s, %v", got, err)
	}
}

func FuzzAppendMessage(f *testing.F) {
	for _, text := range []string{"", "plain ASCII that is longer than eight bytes", "a\"b\\c\nd\te\r\x00\x1f\x7f", "é\u2028世😀", "\xff\xc3", strings.Repeat("\n", 20)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkAppend(t, "text", &ai.UserMessage{Content: ai.TextContent(text)})
	})
}

func BenchmarkAppendMessage(b *testing.B) {
	line := "\tif err != nil {\n\t\treturn fmt.Errorf(\"read %s: %w\", name, err)\n\t}\n"
	m := &ai.AssistantMessage{Content: ai.TextContent(strings.Repeat(line, 15)), API: "a", Provider: "p", Model: "m", StopReason: ai.StopEnd, Timestamp: 1735689600000}
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		var err error
		if buf, err = ai.AppendMessage(buf[:0], m); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(buf)))
}
