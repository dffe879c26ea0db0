package ordered_test

import (
	"testing"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := ordered.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestCompact(t *testing.T) {
	for text, want := range map[string]string{
		`{"b": 1, "a": [true, null]}`:   `{"b":1,"a":[true,null]}`,
		`{"a": 1, "b": 2, "a": 3}`:      `{"a":3,"b":2}`,
		`"\u00e9\ud83d\ude00\u2028</&"`: "\"é😀\u2028</&\"",
		`"\b\f\n\r\t\u0001\u007f\"\\"`:  `"\b\f\n\r\t\u0001` + "\x7f" + `\"\\"`,
		`"a\ud83db"`:                    `"a�b"`,
		`-0`:                            `0`,
		`-0.0`:                          `-0.0`,
		`1.0`:                           `1.0`,
		`1e3`:                           `1000.0`,
		`0.0001`:                        `0.0001`,
		`0.00001`:                       `1e-05`,
		`1e15`:                          `1000000000000000.0`,
		`1e16`:                          `1e+16`,
		`1e22`:                          `1e+22`,
		`2.5E-10`:                       `2.5e-10`,
		`10000000000000000000000000001`: `10000000000000000000000000001`,
	} {
		if got := ordered.Compact(parse(t, text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestOtherForms(t *testing.T) {
	v := parse(t, `{"b": [1, {"é": []}], "a": {"y": "😀", "x": {}}}`)
	for name, c := range map[string]struct{ got, want string }{
		"spaced": {ordered.Spaced(v), `{"b": [1, {"é": []}], "a": {"y": "😀", "x": {}}}`},
		"indented": {ordered.Indented(v), `{
 "b": [
  1,
  {
   "\u00e9": []
  }
 ],
 "a": {
  "y": "\ud83d\ude00",
  "x": {}
 }
}`},
		"sorted": {ordered.Sorted(v), `{
 "a": {
  "x": {},
  "y": "😀"
 },
 "b": [
  1,
  {
   "é": []
  }
 ]
}`},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", name, c.got, c.want)
		}
	}
}

func TestRound(t *testing.T) {
	for number, want := range map[ordered.Number]ordered.Number{
		"3":                      "3",
		"3.0":                    "3",
		"-0.0":                   "0",
		"1e+22":                  "10000000000000000000000",
		"0.30000000000000004":    "0.3",
		"1e-05":                  "1e-05",
		"2.5e-10":                "0.0",
		"123456789.12345679":     "123456789.123456791",
		"0.00012345678949999999": "0.000123457",
	} {
		want := parse(t, string(want)).(ordered.Number)
		if got := number.Round(); got != want {
			t.Errorf("%s: got %s, want %s", number, got, want)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a": 1, "b": [2]}`, `{"b": [2.0], "a": 1}`, true},
		{`{"a": null}`, `{}`, false},
		{`[1, 2]`, `[2, 1]`, false},
		{`1`, `true`, false},
		{`""`, `null`, false},
		{`[]`, `{}`, false},
	} {
		if got := ordered.Equal(parse(t, c.a), parse(t, c.b)); got != c.want {
			t.Errorf("%s and %s: got %t", c.a, c.b, got)
		}
	}
	if !ordered.Equal(1, ordered.Number("1")) {
		t.Error("an int is not equal to the same Number")
	}
}

func TestObject_MethodsKeepOrderAndChangeNothing(t *testing.T) {
	o := ordered.Of("a", 1, "b", 2, "c", 3)
	for name, c := range map[string]struct {
		got  ordered.Object
		want string
	}{
		"with":    {o.With("b", nil).With("d", "x"), `{"a":1,"b":null,"c":3,"d":"x"}`},
		"without": {o.Without("a", "c"), `{"b":2}`},
		"only":    {o.Only("c", "a"), `{"a":1,"c":3}`},
		"merge":   {o.Merge(ordered.Of("c", 0, "z", 9)), `{"a":1,"b":2,"c":0,"z":9}`},
	} {
		if got := ordered.Compact(c.got); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if got := ordered.Compact(o); got != `{"a":1,"b":2,"c":3}` {
		t.Errorf("the object itself became %s", got)
	}
}

func TestParse_RefusesWhatIsNoJSON(t *testing.T) {
	for _, text := range []string{"", "{", `{"a"}`, "[1,]", "1 2", "nul", `"a` + "\n" + `"`} {
		if v, err := ordered.Parse([]byte(text)); err == nil {
			t.Errorf("%q: got %v, want an error", text, v)
		}
	}
}

func TestDecode_FieldsOfTypeAnyKeepOrder(t *testing.T) {
	var into struct {
		Args any            `json:"args"`
		Rest map[string]any `json:",embed"`
	}
	if err := ordered.Decode(parse(t, `{"x": 1.0, "args": {"z": 1, "a": 2}}`), &into); err != nil {
		t.Fatal(err)
	}
	if got := ordered.Compact(into.Args); got != `{"z":1,"a":2}` {
		t.Errorf("args: %s", got)
	}
	if into.Rest["x"] != ordered.Number("1.0") {
		t.Errorf("rest: %v", into.Rest)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e-7,"\ud83d"],"a":null}`, `"\u00e9"`, "1e999", " [ ] "} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ordered.Parse(data)
		if err != nil {
			return
		}
		for _, text := range []string{ordered.Compact(v), ordered.Indented(v), ordered.Sorted(v)} {
			again, err := ordered.Parse([]byte(text))
			if err != nil {
				t.Fatalf("%q was written as %q, which is no JSON: %v", data, text, err)
			}
			if !ordered.Equal(v, again) {
				t.Fatalf("%q was written as %q", data, text)
			}
		}
	})
}
