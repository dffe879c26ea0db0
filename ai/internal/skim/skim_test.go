package skim_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/internal/skim"
)

// record has one member of each kind that a scanner reads.
type record struct {
	Text  string         `json:"text"`
	Count int            `json:"count"`
	List  []string       `json:"list"`
	Flag  bool           `json:"flag"`
	Any   jsontext.Value `json:"any"`
}

func (r *record) skim(data []byte) bool {
	s := skim.New(data)
	return s.Object(func(name []byte) bool {
		switch string(name) {
		case "text":
			return s.Text(&r.Text)
		case "count":
			return s.Int(&r.Count)
		case "flag":
			return s.Bool(&r.Flag)
		case "any":
			return s.Value((*[]byte)(&r.Any))
		case "list":
			r.List = nil
			return s.Array(func() bool {
				var raw []byte
				ok := s.Raw(&raw)
				if ok {
					r.List = append(r.List, skim.Unquote(raw))
				}
				return ok
			})
		}
		return s.Skip()
	}) && s.End()
}

var read = []string{
	`{}`, `{"text":"a","count":7,"list":["x","y"]}`, `{"text":null,"count":0,"list":[]}`,
	" {\n \"count\" : 123456789 , \"text\" : \"a\\n\\u00e9\\ud83d\\ude42\" }\r\n",
	`{"other":{"a":[1,-2.5e+3,true,null,{}],"b":"\\\""},"text":"Grüße 🙂"}`,
	`{"text":"x","other":[[]]}`, `{"flag":true,"other":false}`, `{"flag" : false}`,
	`{"any": {"a" : [1 ,"]}"]} }`, `{"any":null,"text":"a"}`, `{"any":"\u00e9"}`,
}

var left = []string{
	``, `null`, `[]`, `{`, `{"text"}`, `{"text":}`, `{"text":"a"`, `{"text":"a"} x`, `{"text":"a",}`,
	`{"text":"\x"}`, "{\"text\":\"a\nb\"}", `{"text":"a`, `{"text":1}`, `{"text":"a\`,
	`{"count":-1}`, `{"count":01}`, `{"count":1.5}`, `{"count":1e3}`, `{"count":1234567890}`, `{"count":""}`, `{"count":1`,
	`{"flag":null}`, `{"flag":tru}`, `{"flag":1}`, `{"flag":trueish}`,
	`{"list":["a"}`, `{"list":["a",]}`, `{"list":null}`, `{"list":[1]}`, `{"te\u0078t":"a"}`, `{"other":}`, `{"other":?}`, `{"any":}`, `{"any":[}`,
	`{"other":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
}

// same compares a scanner with the JSON package.
func same(t *testing.T, data string) (ok bool) {
	t.Helper()
	var quick, full record
	if !quick.skim([]byte(data)) {
		return false
	}
	if err := json.Unmarshal([]byte(data), &full, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return true // a number or a literal that is passed over is not looked at
	}
	if string(quick.Any) != string(full.Any) {
		t.Errorf("%s: skimmed %s, decoded %s", data, quick.Any, full.Any)
	}
	if quick.Text != full.Text || quick.Count != full.Count || quick.Flag != full.Flag || strings.Join(quick.List, "\x00") != strings.Join(full.List, "\x00") {
		t.Errorf("%s: skimmed %+v, decoded %+v", data, quick, full)
	}
	return true
}

func TestScanner(t *testing.T) {
	for _, data := range read {
		if !same(t, data) {
			t.Errorf("%s was not read", data)
		}
	}
	for _, data := range left {
		if same(t, data) {
			t.Errorf("%s was read", data)
		}
	}
}

func TestUnquote_WhatIsNoUnicodeIsReplaced(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"a"`: "a", "\"a\xff\"": "a\uFFFD", `"\ud83d"`: "\uFFFD", `"\t\\"`: "\t\\",
	} {
		if got := skim.Unquote([]byte(raw)); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, data := range append(read, left...) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data string) { same(t, data) })
}

func BenchmarkScanner(b *testing.B) {
	data := []byte(`{"type":"response.output_text.delta","sequence_number":17,"text":" beautiful","other":{"a":[],"b":null},"count":3}`)
	b.ReportAllocs()
	for b.Loop() {
		var r record
		if !r.skim(data) {
			b.Fatal("not read")
		}
	}
}
