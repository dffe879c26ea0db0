package partialjson_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai/internal/partialjson"
)

func TestObject(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"complete", `{"a":1,"b":[true,null,{"c":"d"}]}`, `{"a":1,"b":[true,null,{"c":"d"}]}`},
		{"kept as it is", " { \"a\" : 1.0e0 }\n", " { \"a\" : 1.0e0 }\n"},
		{"raw newline and tab", "{\"a\":\"x\ny\tz\"}", `{"a":"x\ny\tz"}`},
		{"raw NUL", "{\"a\":\"\x00\"}", `{"a":"\u0000"}`},
		{"raw control character in a name", "{\"a\nb\":1}", `{"a\nb":1}`},
		{"bad escapes", `{"a":"\x41 \d \' \U1F600"}`, `{"a":"\\x41 \\d \\' \\U1F600"}`},
		{"good escapes beside bad ones", `{"a":"\d\"\\\/\b\f\n\r\t\u00e9"}`, `{"a":"\\d\"\\/\b\f\n\r\té"}`},
		{"short unicode escapes", `{"a":"\u12","b":"\u12g4","c":"\u"}`, `{"a":"\\u12","b":"\\u12g4","c":"\\u"}`},
		{"backslash before a newline", "{\"a\":\"x\\\ny\"}", `{"a":"x\\\ny"}`},
		{"lone surrogates", `{"a":"\ud800","b":"\udc00x","c":"\ud800\ud800\udc00","d":"\ud83d\n"}`, `{"a":"` + "\uFFFD" + `","b":"` + "\uFFFDx" + `","c":"` + "\uFFFD\U00010000" + `","d":"` + "\uFFFD" + `\n"}`},
		{"surrogate pairs", `{"a":"\d\ud83d\ude00\uD83D\uDE00"}`, `{"a":"\\d😀😀"}`},
		{"invalid UTF-8", "{\"a\":\"x\xffy\xe6\xbc\"}", `{"a":"x` + "\uFFFDy\uFFFD\uFFFD" + `"}`},
		{"the last duplicate counts", `{"a":1,"b":2,"a":{"c":3}}`, `{"a":{"c":3},"b":2}`},
		{"duplicates that differ in spelling", `{"a":1,"\u0061":2}`, `{"a":2}`},
		{"nested duplicates", `{"a":[{"b":1,"b":2}]}`, `{"a":[{"b":2}]}`},
		{"digits are kept while mending", `{"n":12345678901234567890.10,"a":"\d"}`, `{"n":12345678901234567890.10,"a":"\\d"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := partialjson.Object(tt.in)
			if err != nil || string(got) != tt.want {
				t.Errorf("Object(%q) = %s, %v; want %s", tt.in, got, err, tt.want)
			}
			var m map[string]any
			if err := json.Unmarshal(got, &m); err != nil {
				t.Errorf("the result cannot be decoded: %v", err)
			}
		})
	}
}

// Providers leave out the arguments of a tool without parameters.
func TestNoArguments(t *testing.T) {
	for _, in := range []string{"", " ", "\r\n\t "} {
		if got, err := partialjson.Object(in); string(got) != "{}" || err != nil {
			t.Errorf("Object(%q) = %s, %v", in, got, err)
		}
	}
}

// Arguments that are cut short are no arguments.
func TestCutShort(t *testing.T) {
	tests := []struct{ in, salvaged, reason string }{
		{`{"path":"/tmp/a","content":"hel`, `{"path":"/tmp/a","content":"hel"}`, `cut short after 31 bytes, inside the value of "content"`},
		{`{"edits":[{"old":"a"},{"old":"b`, `{"edits":[{"old":"a"},{"old":"b"}]}`, `inside the value of "edits[1].old"`},
		{`{"path":"/tmp/a"`, `{"path":"/tmp/a"}`, `after the value of "path"`},
		{`{"path":"/tmp/a","con`, `{"path":"/tmp/a"}`, "before the end of an object"},
		{`{"path"`, `{}`, `before the value of "path"`},
		{`{`, `{}`, "before the end of an object"},
	}
	for _, tt := range tests {
		checkBroken(t, tt.in, tt.salvaged, tt.reason)
	}
}

// Damage whose meaning would have to be guessed is an error.
func TestDamaged(t *testing.T) {
	tests := []struct{ in, salvaged, reason string }{
		{`{"command":"ls", "timeout": }`, `{"command":"ls"}`, `byte 28 of 29: expected a value, found "}"`},
		{`{"a":1}}`, `{"a":1}`, `byte 7 of 8: expected nothing after the object, found "}"`},
		{`{"a":1} {"b":2}`, `{"a":1}`, "expected nothing after the object"},
		{`{"a":1 "b":2}`, `{"a":1}`, `expected "," or "}", found "\"b\":2}"`},
		{`{"a":[1 2]}`, `{"a":[1]}`, `expected "," or "]", found "2]}"`},
		{`{"a":[1}`, `{"a":[1]}`, `expected "," or "]"`},
		{`{"a":1]`, `{"a":1}`, `expected "," or "}"`},
		{`{"a":1,}`, `{"a":1}`, "expected a name in quotes, found"},
		{`{"a":[1,]}`, `{"a":[1]}`, "expected a value"},
		{`{a:1}`, `{}`, `expected a name in quotes or "}", found "a:1}"`},
		{`{'a':1}`, `{}`, "expected a name in quotes"},
		{`{"a" 1}`, `{}`, `expected ":"`},
		{`{"a":01}`, `{}`, `malformed number "01"`},
		{`{"a":1.}`, `{}`, `malformed number "1."`},
		{`{"a":-}`, `{}`, `malformed number "-"`},
		{`{"a":1e+,"b":2}`, `{}`, `malformed number "1e+"`},
		{`{"a":NaN}`, `{}`, `expected a value, found "NaN}"`},
		{`{"a":trux}`, `{}`, "expected true"},
		{`{"a":truex}`, `{"a":true}`, `expected "," or "}"`},
		{`{"a":None}`, `{}`, "expected a value"},
		{`[{"a":1}]`, `{}`, "expected a JSON object"},
		{`"text"`, `{}`, "expected a JSON object"},
		{`null`, `{}`, "expected a JSON object"},
		{"```json\n{}\n```", `{}`, "expected a JSON object, found \"```json\""},
		{`{"a":` + strings.Repeat("é", 40), `{}`, `found "` + strings.Repeat("é", 20) + `"…`},
		{"\xff", `{}`, "expected a JSON object"},
		{`{"a":"\d` + strings.Repeat(`","b":[`, 1) + strings.Repeat("[", 2000), "", "nested more than 1000 deep"},
	}
	for _, tt := range tests {
		checkBroken(t, tt.in, tt.salvaged, tt.reason)
	}
}

// checkBroken checks that in is refused for the reason, and, unless it is empty, what is
// salvaged.
func checkBroken(t *testing.T, in, salvaged, reason string) {
	t.Helper()
	got, err := partialjson.Object(in)
	if err == nil {
		t.Errorf("Object(%q) is accepted as %s", in, got)
		return
	}
	if !strings.Contains(err.Error(), reason) {
		t.Errorf("Object(%q): %v; want …%s…", in, err, reason)
	}
	if !got.IsValid() || salvaged != "" && string(got) != salvaged {
		t.Errorf("Object(%q) salvages %s, want %s", in, got, salvaged)
	}
	if s := partialjson.Salvage(in); string(s) != string(got) {
		t.Errorf("Salvage(%q) = %s, but Object gives %s", in, s, got)
	}
}

// LaTeX and Windows paths have backslashes that are no escapes.
func TestBackslashesInText(t *testing.T) {
	tests := map[string]map[string]any{
		`{"oldText":"\usepackage{a}","newText":"b"}`: {"oldText": `\usepackage{a}`, "newText": "b"},
		`{"path":"C:\Users\me","x":"\section"}`:      {"path": `C:\Users\me`, "x": `\section`},
	}
	for in, want := range tests {
		got, err := partialjson.Object(in)
		if err != nil {
			t.Errorf("Object(%s): %v", in, err)
		}
		var m map[string]any
		if err := json.Unmarshal(got, &m); err != nil {
			t.Errorf("Object(%s) = %s: %v", in, got, err)
		}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("Object(%s) (-want +got):\n%s", in, diff)
		}
	}
}

func TestSalvage(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", `{}`},
		{"  ", `{}`},
		{` {"a" : 1 , "b"`, `{"a":1}`},
		{`{"a":"`, `{"a":""}`},
		{`{"a":"x\`, `{"a":"x"}`},
		{`{"a":"x\u00`, `{"a":"x"}`},
		{`{"a":"x\ud83d`, `{"a":"x"}`},
		{`{"a":"x\ud83d\ude0`, `{"a":"x"}`},
		{`{"a":"x\ud83d\ude00`, `{"a":"x😀"}`},
		{`{"a":"x\ud83dy`, `{"a":"x` + "\uFFFD" + `y"}`},
		{"{\"a\":\"x\xf0\x9f\x98", `{"a":"x"}`},
		{`{"a":t`, `{"a":true}`},
		{`{"a":[fal`, `{"a":[false]}`},
		{`{"a":1,"b":n`, `{"a":1,"b":null}`},
		{`{"a":-`, `{}`},
		{`{"a":12`, `{"a":12}`},
		{`{"a":12.`, `{"a":12}`},
		{`{"a":12.5e`, `{"a":12.5}`},
		{`{"a":12.5e-`, `{"a":12.5}`},
		{`{"a":12.5e-3`, `{"a":12.5e-3}`},
		{`{"a":0`, `{"a":0}`},
		{`{"a":01`, `{"a":0}`},
		{`{"a":[`, `{"a":[]}`},
		{`{"a":[1,`, `{"a":[1]}`},
		{`{"a":[[1],[2,{"b":`, `{"a":[[1],[2,{}]]}`},
		{`{"a":1,"a":`, `{"a":1}`},
		{`{"a":1,"b":0,"a":"x`, `{"a":"x","b":0}`},
		{`{"a":{"b":1}`, `{"a":{"b":1}}`},
		{`{"":{"":"`, `{"":{"":""}}`},
		{`{"a":1e999`, `{"a":1e999}`},
	}
	for _, tt := range tests {
		if got := partialjson.Salvage(tt.in); string(got) != tt.want {
			t.Errorf("Salvage(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestSalvageDepth(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		got := partialjson.Salvage(`{"x":` + strings.Repeat(open, 1<<20))
		if !got.IsValid() || len(got) > 10_000 {
			t.Errorf("%d bytes, valid: %v", len(got), got.IsValid())
		}
	}
}

func BenchmarkObject(b *testing.B) {
	for name, in := range map[string]string{
		"small":  `{"command":"ls -la","timeout":10}`,
		"100KiB": document(100 << 10),
		"mended": strings.Replace(document(100<<10), `\"q\"`, `\d`, 1),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := partialjson.Object(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSalvage(b *testing.B) {
	in := document(100 << 10)
	in = in[:len(in)-20]
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		partialjson.Salvage(in)
	}
}

func FuzzObject(f *testing.F) {
	for _, s := range documents {
		f.Add(s)
		f.Add(s[:len(s)*2/3])
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := partialjson.Object(in)
		var m map[string]any
		if !got.IsValid() || got.Kind() != '{' {
			t.Fatalf("Object(%q) = %s, %v", in, got, err)
		}
		if err != nil {
			return
		}
		again, err := partialjson.Object(string(got))
		if err != nil || string(again) != string(got) {
			t.Errorf("Object(%q) = %s, and of that %s, %v", in, got, again, err)
		}
		// What a decoder accepts must mean the same to us.
		if json.Unmarshal([]byte(in), &m) == nil && m != nil {
			if diff := diff(m, decode(t, got)); diff != "" {
				t.Errorf("Object(%q) = %s (-decoder +got):\n%s", in, got, diff)
			}
		}
	})
}

func FuzzSalvage(f *testing.F) {
	for _, s := range documents {
		f.Add(s)
		f.Add(s[:len(s)*2/3])
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := partialjson.Salvage(in)
		if !got.IsValid() || got.Kind() != '{' {
			t.Fatalf("Salvage(%q) = %s", in, got)
		}
		if again := partialjson.Salvage(string(got)); string(again) != string(got) {
			t.Errorf("Salvage(%q) = %s, and of that %s", in, got, again)
		}
	})
}
