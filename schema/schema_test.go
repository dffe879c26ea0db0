package schema_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/schema"
)

// What can be no schema of a tool is refused at once and says why.
func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"missing", "", "the schema is missing"},
		{"blank", " \n", "the schema is missing"},
		{"null", "null", "must be a JSON object, not null"},
		{"text", `"string"`, "must be a JSON object, not string"},
		{"array", `[]`, "must be a JSON object, not array"},
		{"boolean", `true`, "must be a JSON object, not boolean"},
		{"no JSON", `{"type":`, "not valid JSON"},
		{"two values", `{} {}`, "not valid JSON"},
		{"duplicate keywords", `{"type":"object","type":"object"}`, "not valid JSON"},
		{"another type", `{"type":"string"}`, `type must be "object", not "string"`},
		{"other types", `{"type":["string","array"]}`, `type must be "object"`},
		{"a type that is none", `{"type":5}`, `type must be "object", not 5`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := schema.Parse(jsontext.Value(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%s) = %v, %v; want …%s…", tt.in, s, err, tt.want)
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	for _, in := range []string{
		`{}`, `{"type":"object"}`, `{"type":["object","null"]}`, ` {"properties":{}} `, `{"$ref":"#/$defs/a","$defs":{"a":{}}}`,
		`{"type":"object","x-vendor":{"a":[1]},"format":"unheard of","properties":{"type":{"type":"string"}}}`,
		`{"$schema":"https://json-schema.org/draft-07/schema#","type":"object"}`,
		`{"$schema":"https://example.com/my-own-dialect","type":"object","$id":"https://example.com/x"}`,
		`{"type":"object","properties":{"v":{"type":"string","pattern":"^(?!x)\\d+\\u0041\\/$"}}}`,
		`{"type":"object","properties":{"v":{"type":"array","items":[{"type":"string"}],"additionalItems":false}}}`,
		`{"type":"object","properties":{"v":{"type":"number","minimum":1,"exclusiveMinimum":true}}}`,
		`{"type":"object","properties":{"v":{"type":"number","required":true}}}`,
	} {
		s, err := schema.Parse(jsontext.Value(in))
		if err != nil {
			t.Errorf("Parse(%s): %v", in, err)
			continue
		}
		if err := s.Check(); err != nil {
			t.Errorf("Check(%s): %v", in, err)
		}
		if string(s.JSON()) != in {
			t.Errorf("JSON = %s, want %s", s.JSON(), in)
		}
	}
}

func TestParseCopies(t *testing.T) {
	raw := jsontext.Value(num)
	s, _ := schema.Parse(raw)
	clear(raw)
	if string(s.JSON()) != num {
		t.Errorf("the schema shares memory with its text: %s", s.JSON())
	}
	if _, err := s.Validate(jsontext.Value(`{"v":1}`)); err != nil {
		t.Error(err)
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "MustParse") {
			t.Errorf("recovered %v", p)
		}
	}()
	schema.MustParse(`[]`)
}

func TestCheckRefuses(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"properties":{"a":{"type":"strin"}}}`, `at #/properties/a/type: there is no type "strin"`},
		{`{"properties":{"a/b":{"type":[]}}}`, "at #/properties/a~1b/type: no type is allowed"},
		{`{"properties":{"a":5}}`, "at #/properties/a: a schema must be an object or a boolean, not number"},
		{`{"properties":[]}`, "at #/properties: expected object, found array"},
		{`{"required":"a"}`, "at #/required: expected array, found string"},
		{`{"required":[1]}`, "at #/required: expected string, found number"},
		{`{"properties":{"a":{"enum":"a"}}}`, "at #/properties/a/enum: expected array"},
		{`{"properties":{"a":{"minimum":"1"}}}`, "at #/properties/a/minimum: expected number"},
		{`{"properties":{"a":{"multipleOf":0}}}`, "must be greater than 0"},
		{`{"properties":{"a":{"minLength":-1}}}`, "expected a count, found -1"},
		{`{"properties":{"a":{"minItems":1.5}}}`, "expected a count, found 1.5"},
		{`{"properties":{"a":{"pattern":"("}}}`, "at #/properties/a/pattern: error parsing regexp: missing closing )"},
		{`{"patternProperties":{"[":{}}}`, "at #/patternProperties/[: error parsing regexp"},
		{`{"anyOf":{}}`, "at #/anyOf: expected array"},
		{`{"properties":{"a":{"$ref":"#/$defs/b"}}}`, `at #/properties/a/$ref: "#/$defs/b" leads nowhere`},
		{`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "must stay within the schema"},
		{`{"properties":{"a":{"$ref":"https://example.com/x"}}}`, "must stay within the schema"},
		{`{"$ref":"#"}`, "leads back to itself"},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"object"},{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`, "leads back to itself"},
	}
	for _, tt := range tests {
		s, err := schema.Parse(jsontext.Value(tt.in))
		if err != nil {
			t.Errorf("Parse(%s): %v", tt.in, err)
			continue
		}
		_, validateErr := s.Validate(jsontext.Value(`{}`))
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), tt.want) || validateErr != err {
			t.Errorf("Check(%s): %v, Validate: %v; want …%s…", tt.in, err, validateErr, tt.want)
		}
	}
}

func TestPatterns(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{`^a+$`, "aaa", true},
		{`^a+$`, "ab", false},
		{`b`, "abc", true},
		{`^\\u0041\\/\\d$`, "A/1", true},
		{`^\\u0041$`, "B", false},
		{`^\\p{L}+$`, "漢é", true},
		{`^(?!x)y`, "x", true}, // not supported: matches everything
		{`(a)\\1`, "b", true},
		{`a{1,5000}`, "b", true},
	}
	for _, tt := range tests {
		s := schema.MustParse(property(`{"pattern":"` + tt.pattern + `"}`))
		_, err := s.Validate(jsontext.Value(`{"v":"` + tt.text + `"}`))
		if (err == nil) != tt.want {
			t.Errorf("%s matches %q: error %v", tt.pattern, tt.text, err)
		}
	}
}
