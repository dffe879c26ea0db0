package schema_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/schema"
)

const (
	num     = `{"type":"object","properties":{"v":{"type":"number"}},"required":["v"]}`
	integ   = `{"type":"object","properties":{"v":{"type":"integer"}},"required":["v"]}`
	boolean = `{"type":"object","properties":{"v":{"type":"boolean"}},"required":["v"]}`
	str     = `{"type":"object","properties":{"v":{"type":"string"}},"required":["v"]}`
)

// property makes a schema with the required property v.
func property(v string) string {
	return `{"type":"object","properties":{"v":` + v + `},"required":["v"]}`
}

// The recorded traces of Pi 0.85 (validate-coerce-scalars, validate-nested,
// validate-optional-null, coerced-arguments) and the rules behind them.
func TestValidateCoerces(t *testing.T) {
	tests := []struct{ name, schema, args, want string }{
		{"numeric text to number", num, `{"v":"4.5"}`, `{"v":4.5}`},
		{"true to number", num, `{"v":true}`, `{"v":1}`},
		{"false to number", num, `{"v":false}`, `{"v":0}`},
		{"null to required number", num, `{"v":null}`, `{"v":0}`},
		{"padded text to number", num, `{"v":" 7 "}`, `{"v":7}`},
		{"text that is a number but no JSON", num, `{"v":"+.5"}`, `{"v":0.5}`},
		{"exponent", num, `{"v":"1e3"}`, `{"v":1e3}`},
		{"digits are kept", num, `{"v":"12345678901234567890.10"}`, `{"v":12345678901234567890.10}`},
		{"text to integer", integ, `{"v":"42"}`, `{"v":42}`},
		{"text to a large integer", integ, `{"v":"12345678901234567890"}`, `{"v":12345678901234567890}`},
		{"text with a zero fraction to integer", integ, `{"v":"42.0"}`, `{"v":42}`},
		{"integer in the notation of a float", integ, `{"v":42.0}`, `{"v":42}`},
		{"integer with an exponent", integ, `{"v":1.5e3}`, `{"v":1500}`},
		{"true to integer", integ, `{"v":true}`, `{"v":1}`},
		{"text to boolean", boolean, `{"v":"true"}`, `{"v":true}`},
		{"other text to boolean", boolean, `{"v":"false"}`, `{"v":false}`},
		{"0 to boolean", boolean, `{"v":0}`, `{"v":false}`},
		{"1 to boolean", boolean, `{"v":1}`, `{"v":true}`},
		{"number to text", str, `{"v":1.5}`, `{"v":"1.5"}`},
		{"number to text as it was written", str, `{"v":1.10}`, `{"v":"1.10"}`},
		{"boolean to text", str, `{"v":false}`, `{"v":"false"}`},
		{"empty text to null", property(`{"type":"null"}`), `{"v":""}`, `{"v":null}`},
		{
			"nested", `{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string"}}}},"o":{"type":"object","properties":{"on":{"type":"boolean"}}}}}`,
			`{"list":[{"a":"3","b":4},{"a":null}],"o":{"on":"false"}}`, `{"list":[{"a":3,"b":"4"},{}],"o":{"on":false}}`,
		},
		{
			"optional null is dropped", `{"type":"object","properties":{"v":{"type":"string"},"w":{"type":["string","null"]},"n":{"type":"number"}},"required":["n"]}`,
			`{"v":null,"w":null,"n":null}`, `{"w":null,"n":0}`,
		},
		{"everything else is copied byte for byte", num, "{ \"big\" : 12345678901234567890 ,\n\"v\":\"1\", \"x\\u0041\": [ 1.0 ] }", `{"big":12345678901234567890,"v":1,"xA":[ 1.0 ]}`},
		{"type list", property(`{"type":["integer","null"]}`), `{"v":"5"}`, `{"v":5}`},
		{"null comes last in a type list", property(`{"type":["null","boolean"]}`), `{"v":0}`, `{"v":false}`},
		{"text of a nullable integer", property(`{"type":["null","integer"]}`), `{"v":""}`, `{"v":null}`},
		{"enum of a type", property(`{"type":"string","enum":["1","2"]}`), `{"v":2}`, `{"v":"2"}`},
		{"enum without a type", property(`{"enum":[1,2,null]}`), `{"v":"2"}`, `{"v":2}`},
		{"const", property(`{"const":true}`), `{"v":"true"}`, `{"v":true}`},
		{"anyOf", property(`{"anyOf":[{"type":"object"},{"type":"integer"}]}`), `{"v":"5"}`, `{"v":5}`},
		{"oneOf", property(`{"oneOf":[{"type":"boolean"},{"type":"integer"}]}`), `{"v":"5"}`, `{"v":5}`},
		{"allOf", property(`{"allOf":[{"type":"integer"},{"minimum":3}]}`), `{"v":"5"}`, `{"v":5}`},
		{
			"union of objects", property(`{"anyOf":[{"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer"}},"required":["k","n"]},{"type":"object","properties":{"k":{"const":"b"},"s":{"type":"string"}},"required":["k","s"]}]}`),
			`{"v":{"k":"b","s":1}}`, `{"v":{"k":"b","s":"1"}}`,
		},
		{"$ref", `{"type":"object","properties":{"v":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"v":"1"}`, `{"v":1}`},
		{"recursive $ref", `{"type":"object","properties":{"n":{"type":"integer"},"next":{"$ref":"#"}}}`, `{"n":"1","next":{"n":"2","next":{"n":"3"}}}`, `{"n":1,"next":{"n":2,"next":{"n":3}}}`},
		{"definitions", `{"type":"object","properties":{"v":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"integer"}}}`, `{"v":null}`, `{}`},
		{"additionalProperties", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"a":"1","b":2}`, `{"a":1,"b":2}`},
		{"patternProperties", `{"type":"object","patternProperties":{"^n":{"type":"integer"}}}`, `{"n1":"1","m":"2"}`, `{"n1":1,"m":"2"}`},
		{"prefixItems", property(`{"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"string"}}`), `{"v":["1",2]}`, `{"v":[1,"2"]}`},
		{"then", `{"type":"object","properties":{"v":{}},"if":{"properties":{"k":{"const":"n"}}},"then":{"properties":{"v":{"type":"integer"}}}}`, `{"k":"n","v":"1"}`, `{"k":"n","v":1}`},
		{"dependentSchemas", `{"type":"object","dependentSchemas":{"k":{"properties":{"v":{"type":"integer"}}}}}`, `{"k":0,"v":"1"}`, `{"k":0,"v":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := jsontext.Value(tt.args)
			got, err := schema.MustParse(tt.schema).Validate(args)
			if err != nil || string(got) != tt.want {
				t.Errorf("Validate(%s) = %s, %v; want %s", tt.args, got, err, tt.want)
			}
			if string(args) != tt.args {
				t.Errorf("the arguments have been changed to %s", args)
			}
		})
	}
}

// Arguments that match are not touched, not even their whitespace.
func TestValidateReturnsTheSameBytes(t *testing.T) {
	tests := []struct{ schema, args string }{
		{num, ` { "v" : 1.0e0 , "x" : null } `},
		{integ, `{"v":12345678901234567890}`},
		{property(`{"type":["string","null"]}`), `{"v":null}`},
		{property(`{"type":"number"}`), `{"v":42.0}`},
		{property(`true`), `{"v":{"a":[1,2]}}`},
		{`{}`, `{"anything":1}`},
	}
	for _, tt := range tests {
		args := jsontext.Value(tt.args)
		got, err := schema.MustParse(tt.schema).Validate(args)
		if err != nil || len(got) != len(args) || &got[0] != &args[0] {
			t.Errorf("Validate(%s) = %s, %v", tt.args, got, err)
		}
	}
}

func TestNoArguments(t *testing.T) {
	for _, args := range []string{"", " \n", "null", "{}"} {
		got, err := schema.Empty.Validate(jsontext.Value(args))
		if err != nil || string(got) != "{}" {
			t.Errorf("Validate(%q) = %s, %v", args, got, err)
		}
		if _, err := schema.MustParse(num).Validate(jsontext.Value(args)); err == nil {
			t.Errorf("Validate(%q): a required property may be missing", args)
		}
	}
}

// A value that matches an arm of a union is not converted.
func TestUnionsCheckBeforeTheyCoerce(t *testing.T) {
	tests := []struct{ schema, args string }{
		{property(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), `{"v":null}`},
		{property(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), `{"v":null}`},
		{property(`{"anyOf":[{"type":"integer"},{"type":"string"}]}`), `{"v":"5"}`},
		{property(`{"anyOf":[{"type":"string"},{"type":"integer"}]}`), `{"v":5}`},
		{property(`{"oneOf":[{"type":"boolean"},{"type":"string"}]}`), `{"v":"true"}`},
		{property(`{"type":["boolean","string"]}`), `{"v":"true"}`},
		{`{"type":"object","properties":{"limit":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"limit":null}`},
	}
	for _, tt := range tests {
		if got, err := schema.MustParse(tt.schema).Validate(jsontext.Value(tt.args)); err != nil || string(got) != tt.args {
			t.Errorf("%s: Validate(%s) = %s, %v", tt.schema, tt.args, got, err)
		}
	}
}

// problems are "path: reason" lines.
func problems(t *testing.T, s, args string) []string {
	t.Helper()
	got, err := schema.MustParse(s).Validate(jsontext.Value(args))
	invalid, ok := errors.AsType[*schema.ValidationError](err)
	if !ok {
		t.Fatalf("Validate(%s) = %s, %v", args, got, err)
	}
	if string(invalid.Received) != args {
		t.Errorf("Received = %s, want %s", invalid.Received, args)
	}
	var lines []string
	for _, p := range invalid.Problems {
		lines = append(lines, p.Path+": "+p.Reason)
	}
	return lines
}

func TestValidateRefuses(t *testing.T) {
	const shapes = `{"anyOf":[{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]}`
	tests := []struct {
		name, schema, args string
		want               []string
	}{
		// validate-refused of Pi 0.85
		{"words for numbers", num, `{"v":"many"}`, []string{`v: expected number, got string "many"`}},
		{"other words for booleans", boolean, `{"v":"yes"}`, []string{`v: expected boolean, got string "yes"`}},
		{"an object for text", str, `{"v":{"a":1}}`, []string{"v: expected string, got object"}},
		{"missing", str, `{}`, []string{"v: missing"}},
		{"outside of an enum", property(`{"type":"string","enum":["a","b"]}`), `{"v":"c"}`, []string{`v: expected "a" or "b", got string "c"`}},
		{"forbidden", `{"type":"object","properties":{"v":{"type":"string"}},"additionalProperties":false}`, `{"v":"x","w":1}`, []string{`w: unknown property, expected "v"`}},

		{"fraction for integer", integ, `{"v":"4.5"}`, []string{`v: expected integer, got string "4.5"`}},
		{"number for integer", integ, `{"v":4.5}`, []string{`v: expected integer, got number 4.5`}},
		{"integer out of all bounds", integ, `{"v":1e300}`, []string{`v: expected integer, got number 1e300`}},
		{"text that is no decimal number", num, `{"v":"0x10"}`, []string{`v: expected number, got string "0x10"`}},
		{"infinity", num, `{"v":"1e999"}`, []string{`v: expected number, got string "1e999"`}},
		{"null for a required text", str, `{"v":null}`, []string{"v: expected string, got null"}},
		{
			"null for a required text in a list", `{"properties":{"e":{"items":{"properties":{"o":{"type":"string"},"n":{"type":"string"}},"required":["o","n"]}}}}`,
			`{"e":[{"o":"a","n":null}]}`,
			[]string{"e[0].n: expected string, got null"},
		},
		{"null for a text of a union", property(`{"anyOf":[{"type":"string"},{"type":"array"}]}`), `{"v":null}`, []string{"v: expected string or array, got null"}},
		{"null for a text of a reference", `{"properties":{"v":{"$ref":"#/$defs/s"}},"required":["v"],"$defs":{"s":{"type":"string"}}}`, `{"v":null}`, []string{"v: expected string, got null"}},
		{"0 for null", property(`{"type":"null"}`), `{"v":0}`, []string{"v: expected null, got number 0"}},
		{"false for null", property(`{"type":"null"}`), `{"v":false}`, []string{"v: expected null, got boolean false"}},
		{"null for boolean", boolean, `{"v":null}`, []string{"v: expected boolean, got null"}},
		{"null that converts to nothing valid", property(`{"type":"string","minLength":1}`), `{"v":null}`, []string{"v: expected string, got null"}},
		{"2 for boolean", boolean, `{"v":2}`, []string{"v: expected boolean, got number 2"}},
		{"array for text", str, `{"v":[]}`, []string{"v: expected string, got array"}},
		{"text for array", property(`{"type":"array"}`), `{"v":"x"}`, []string{`v: expected array, got string "x"`}},
		{"no object", str, `[1]`, []string{"arguments: expected object, got array"}},
		{"text", str, `"{}"`, []string{`arguments: expected object, got string "{}"`}},
		{
			"everything that is wrong", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"array","items":{"type":"object","properties":{"c":{"type":"boolean"},"e.f":{"type":"null"}},"required":["d"]}}},"required":["x","y"]}`,
			`{"a":"one","b":[{"c":"no","d":1},{"c":true,"e.f":5}]}`,
			[]string{"x: missing", "y: missing", `a: expected number, got string "one"`, `b[0].c: expected boolean, got string "no"`, "b[1].d: missing", `b[1]["e.f"]: expected null, got number 5`},
		},
		{"what can be converted is no problem", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}`, `{"a":"1","b":"two"}`, []string{`b: expected number, got string "two"`}},
		{
			"limits of numbers", property(`{"type":"number","minimum":1,"maximum":0,"exclusiveMinimum":2,"exclusiveMaximum":-1,"multipleOf":3}`), `{"v":0.5}`,
			[]string{"v: expected at least 1, got number 0.5", "v: expected at most 0, got number 0.5", "v: expected more than 2, got number 0.5", "v: expected less than -1, got number 0.5", "v: expected a multiple of 3, got number 0.5"},
		},
		{"limits of text", property(`{"minLength":2,"pattern":"^a"}`), `{"v":"é"}`, []string{"v: expected at least 2 characters, got 1", `v: expected text that matches the pattern ^a, got string "é"`}},
		{"limits of arrays", property(`{"minItems":1,"maxItems":1,"uniqueItems":true}`), `{"v":[1,2,1.0]}`, []string{"v: expected at most 1 element, got 3", "v: the elements 0 and 2 are the same"}},
		{"limits of objects", property(`{"minProperties":2,"propertyNames":{"maxLength":1}}`), `{"v":{"ab":1}}`, []string{"v: expected at least 2 properties, got 1", `v: the name string "ab" is not allowed`}},
		{"contains", property(`{"contains":{"type":"string"}}`), `{"v":[1]}`, []string{"v: expected at least 1 element that fits what the array must contain, got 0"}},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{"b: missing"}},
		{"not", property(`{"not":{"type":"string"}}`), `{"v":"x"}`, []string{`v: string "x" is not allowed here`}},
		{"false schema", property(`false`), `{"v":1}`, []string{"v: not allowed"}},
		{"unevaluated", `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, []string{"b: not allowed"}},
		{"type list", property(`{"type":["string","null","integer"]}`), `{"v":[]}`, []string{"v: expected string, integer or null, got array"}},
		{
			"union of types", `{"properties":{"v":{"anyOf":[{"type":"integer"},{"type":"null"},{"$ref":"#/$defs/s"}]}},"$defs":{"s":{"type":"array"}}}`,
			`{"v":"many"}`,
			[]string{`v: expected integer, array or null, got string "many"`},
		},
		{
			"union of which one arm fits", property(`{"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"type":"integer"}},"required":["a","b"]}]}`), `{"v":{"a":"x"}}`,
			[]string{"v.b: missing", `v.a: expected integer, got string "x"`},
		},
		{"union of literals", property(`{"anyOf":[{"const":"a"},{"const":"b"}]}`), `{"v":"c"}`, []string{`v: expected "a" or "b", got string "c"`}},
		{"union told apart by a member", property(shapes), `{"v":{"kind":"square","side":"long"}}`, []string{`v.side: expected number, got string "long"`}},
		{"union of which nothing fits", property(shapes), `{"v":{"kind":"line"}}`, []string{`v: object matches none of 2 allowed forms: (1) r: missing; (2) side: missing`}},
		{"more than one of oneOf", property(`{"oneOf":[{"type":"integer"},{"minimum":1}]}`), `{"v":1}`, []string{"v: number 1 fits 2 of the allowed forms, but must fit exactly one"}},
		{"more than one of oneOf, in any notation", property(`{"oneOf":[{"type":"integer"},true]}`), `{"v":1e1}`, []string{"v: number 1e1 fits 2 of the allowed forms, but must fit exactly one"}},
		{"long text is cut", num, `{"v":"` + strings.Repeat("x", 100) + `"}`, []string{`v: expected number, got string "` + strings.Repeat("x", 59) + `…`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, problems(t, tt.schema, tt.args)); diff != "" {
				t.Errorf("Validate(%s) (-want +got):\n%s", tt.args, diff)
			}
		})
	}
}

func TestValidateRefusesInvalidJSON(t *testing.T) {
	for _, args := range []string{`{"v":`, `{"v":1}}`, `{"v":1,"v":2}`, "{\"v\":\"\xff\"}", `{"v":"\ud800"}`, `{}{}`} {
		got := problems(t, `{}`, args)
		if len(got) != 1 || !strings.HasPrefix(got[0], "arguments: not valid JSON: ") {
			t.Errorf("Validate(%q): %q", args, got)
		}
	}
}

// The model is told the field, the type and what it sent.
func TestErrorNamesFieldAndType(t *testing.T) {
	s := schema.MustParse(`{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"number"}},"required":["command"]}`)
	_, err := s.Validate(jsontext.Value(`{"command":{"cmd":"ls"},"timeout":"soon"}`))
	invalid, ok := errors.AsType[*schema.ValidationError](err)
	if !ok {
		t.Fatal(err)
	}
	want := `Validation failed for tool "bash":
  - command: expected string, got object
  - timeout: expected number, got string "soon"

Received arguments:
{
  "command": {
    "cmd": "ls"
  },
  "timeout": "soon"
}`
	if diff := cmp.Diff(want, invalid.Text("bash")); diff != "" {
		t.Errorf("Text (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(want, `Validation failed for tool "bash":`+"\n"+invalid.Error()) {
		t.Errorf("Error = %s", invalid)
	}
}

func TestValidationErrorIsBounded(t *testing.T) {
	args := `{"v":[` + strings.Repeat(`"é",`, 10_000) + `0]}`
	_, err := schema.MustParse(property(`{"type":"array","items":{"type":"integer"}}`)).Validate(jsontext.Value(args))
	invalid, ok := errors.AsType[*schema.ValidationError](err)
	if !ok || len(invalid.Problems) != 10_000 {
		t.Fatal(err)
	}
	text := invalid.Text("t")
	if len(text) > 6000 || !strings.Contains(text, "and 9960 more") || !strings.Contains(text, "more bytes are not shown)") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

// Unions that refer to themselves cannot make a check run for ever.
func TestValidateEnds(t *testing.T) {
	s := schema.MustParse(`{"type":"object","properties":{"v":{"$ref":"#/$defs/t"}},"$defs":{"t":{"anyOf":[
		{"type":"object","properties":{"a":{"$ref":"#/$defs/t"},"x":{"type":"integer"}},"required":["a"]},
		{"type":"object","properties":{"a":{"$ref":"#/$defs/t"},"y":{"type":"integer"}},"required":["a"]},
		{"type":"integer"}]}}}`)
	for _, depth := range []int{5, 60, 2000} {
		args := `{"v":` + strings.Repeat(`{"a":`, depth) + `"leaf"` + strings.Repeat("}", depth+1)
		if _, err := s.Validate(jsontext.Value(args)); err == nil {
			t.Errorf("depth %d is accepted", depth)
		}
	}
}

func TestValidateConcurrently(t *testing.T) {
	s := schema.MustParse(num)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if got, err := s.Validate(jsontext.Value(`{"v":"1"}`)); err != nil || string(got) != `{"v":1}` {
					t.Errorf("%s, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestValidateAllocs(t *testing.T) {
	s := schema.MustParse(`{"type":"object","properties":{"i":{"type":"number"}},"required":["i"]}`)
	args := jsontext.Value(`{"i":1}`)
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := s.Validate(args); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 2 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkValidate(b *testing.B) {
	edit := `{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"}},"required":["oldText","newText"]}}},"required":["path","edits"]}`
	text := strings.Repeat(`line of text\n`, 100)
	for _, bench := range []struct{ name, schema, args string }{
		{"number", `{"type":"object","properties":{"i":{"type":"number"}},"required":["i"]}`, `{"i":1}`},
		{"edit", edit, `{"path":"/tmp/main.go","edits":[{"oldText":"` + text + `","newText":"` + text + `"}]}`},
		{"coerced", num, `{"v":"1"}`},
		{"refused", num, `{"v":"one"}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := schema.MustParse(bench.schema)
			args := jsontext.Value(bench.args)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = s.Validate(args)
			}
		})
	}
}

func BenchmarkParseAndCheck(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if err := schema.MustParse(num).Check(); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzValidate(f *testing.F) {
	schemas := []string{
		num, integ, boolean, str, `{}`, property(`{"anyOf":[{"type":"integer"},{"$ref":"#"},{"enum":["a",null]}]}`),
		`{"properties":{"a":{"type":["string","null"],"minLength":1},"b":{"items":{"$ref":"#"}}},"additionalProperties":{"type":"integer"}}`,
		`{"if":{"required":["a"]},"then":{"properties":{"a":{"multipleOf":0.1}}},"unevaluatedProperties":{"type":"boolean"},"dependentRequired":{"a":["b"]}}`,
	}
	for _, s := range schemas {
		for _, args := range []string{`{"v":"1"}`, `{"v":null,"a":1.50,"b":[{"a":""}]}`, `{"v":{"v":"5.0e1"}}`, `[]`, ``, `{"v":`} {
			f.Add(s, args)
		}
	}
	f.Fuzz(func(t *testing.T, schemaText, args string) {
		s, err := schema.Parse(jsontext.Value(schemaText))
		if err != nil || s.Check() != nil {
			return
		}
		got, err := s.Validate(jsontext.Value(args))
		if err != nil {
			if invalid, ok := errors.AsType[*schema.ValidationError](err); !ok || len(invalid.Problems) == 0 || invalid.Text("t") == "" {
				t.Fatalf("%s: Validate(%q): %#v", schemaText, args, err)
			}
			return
		}
		again, err := s.Validate(got)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s: Validate(%q) = %s, and of that %s, %v", schemaText, args, got, again, err)
		}
		if err := json.Unmarshal(got, new(map[string]any)); err != nil && !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%s: Validate(%q) = %s: %v", schemaText, args, got, err)
		}
	})
}
