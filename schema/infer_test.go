package schema_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/schema"
)

type edit struct {
	Old string `json:"oldText" jsonschema:"The text to replace, \"exactly\"."`
	New string `json:"newText"`
}

type base struct {
	Path string `json:"path" jsonschema:"The file."`
}

func TestFor(t *testing.T) {
	type all struct {
		base
		Edits   []edit            `json:"edits"`
		Limit   *int              `json:"limit,omitzero" jsonschema:"At most this many."`
		Null    *string           `json:"null"`
		Mode    string            `json:"mode,omitempty" enum:"text,binary"`
		Modes   []string          `json:"modes,omitzero" enum:"a,b"`
		Level   int8              `json:"level,omitzero" enum:"1,2"`
		Ratio   float64           `json:"ratio"`
		On      bool              `json:"on"`
		Env     map[string]string `json:"env,omitzero"`
		Any     any               `json:"any,omitzero"`
		Raw     jsontext.Value    `json:"raw,omitzero" jsonschema:"Anything."`
		Data    []byte            `json:"data,omitzero"`
		When    time.Time         `json:"when,omitzero"`
		Nested  *edit             `json:"nested,omitzero"`
		Pair    [2]uint8          `json:"pair,omitzero"`
		Plain   string
		Skipped string         `json:"-"`
		hidden  string         //nolint:unused // shows that unexported fields are left out
		Unknown jsontext.Value `json:",embed"`
	}
	s, err := schema.For[all]()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
		"type":"object",
		"properties":{
			"path":{"type":"string","description":"The file."},
			"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string","description":"The text to replace, \"exactly\"."},"newText":{"type":"string"}},"required":["oldText","newText"]}},
			"limit":{"type":"integer","description":"At most this many."},
			"null":{"type":["string","null"]},
			"mode":{"type":"string","enum":["text","binary"]},
			"modes":{"type":"array","items":{"type":"string","enum":["a","b"]}},
			"level":{"type":"integer","enum":[1,2],"minimum":-128,"maximum":127},
			"ratio":{"type":"number"},
			"on":{"type":"boolean"},
			"env":{"type":"object","additionalProperties":{"type":"string"}},
			"any":{},
			"raw":{"description":"Anything."},
			"data":{"type":"string","contentEncoding":"base64"},
			"when":{"type":"string"},
			"nested":{"type":"object","properties":{"oldText":{"type":"string","description":"The text to replace, \"exactly\"."},"newText":{"type":"string"}},"required":["oldText","newText"]},
			"pair":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","minimum":0,"maximum":255}},
			"Plain":{"type":"string"}
		},
		"required":["path","edits","null","ratio","on","Plain"]
	}`
	want = strings.NewReplacer("\n", "", "\t", "").Replace(want)
	if diff := cmp.Diff(want, string(s.JSON())); diff != "" {
		t.Errorf("For (-want +got):\n%s", diff)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestForSmallTypes(t *testing.T) {
	empty, err := schema.For[struct{}]()
	if err != nil || string(empty.JSON()) != string(schema.Empty.JSON()) {
		t.Errorf("struct{}: %s, %v", empty.JSON(), err)
	}
	pointer, err := schema.For[*base]()
	if want := `{"type":"object","properties":{"path":{"type":"string","description":"The file."}},"required":["path"]}`; err != nil || string(pointer.JSON()) != want {
		t.Errorf("*base: %s, %v", pointer.JSON(), err)
	}
	dict, err := schema.For[map[string]any]()
	if want := `{"type":"object","additionalProperties":{}}`; err != nil || string(dict.JSON()) != want {
		t.Errorf("map: %s, %v", dict.JSON(), err)
	}
}

type recursive struct {
	Next *recursive `json:"next,omitzero"`
}

func TestForRefuses(t *testing.T) {
	check := func(name string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want …%s…", name, err, want)
		}
	}
	_, err := schema.For[string]()
	check("string", err, "must be a struct or a map")
	_, err = schema.For[[]int]()
	check("slice", err, "must be a struct or a map")
	_, err = schema.For[any]()
	check("any", err, "must be a struct or a map")
	_, err = schema.For[struct{ F func() }]()
	check("function", err, "unsupported")
	_, err = schema.For[recursive]()
	check("recursive", err, "cycle")
	_, err = schema.For[struct {
		N int `enum:"one"`
	}]()
	check("enum", err, `field N: the enum tag lists "one"`)
	_, err = schema.For[struct {
		B bool `enum:"true"`
	}]()
	check("enum of booleans", err, "needs a string or a number")
}

// Whatever passes the schema of a type can be read into it.
func TestForAgreesWithDecoding(t *testing.T) {
	type args struct {
		Path  string   `json:"path"`
		Limit *int     `json:"limit,omitzero"`
		Tags  []string `json:"tags,omitzero"`
		Null  *bool    `json:"null"`
	}
	s, err := schema.For[args]()
	if err != nil {
		t.Fatal(err)
	}
	five, yes := 5, true
	tests := []struct {
		in   string
		want args
	}{
		{`{"path":"a","null":null}`, args{Path: "a"}},
		{`{"path":"a","limit":null,"tags":null,"null":null}`, args{Path: "a"}},
		{`{"path":1,"limit":"5","tags":[true],"null":"true","extra":[1]}`, args{Path: "1", Limit: &five, Tags: []string{"true"}, Null: &yes}},
		{`{"path":"a","limit":5.0,"null":true}`, args{Path: "a", Limit: &five, Null: &yes}},
	}
	for _, tt := range tests {
		valid, err := s.Validate(jsontext.Value(tt.in))
		if err != nil {
			t.Errorf("Validate(%s): %v", tt.in, err)
			continue
		}
		var got args
		if err := json.Unmarshal(valid, &got); err != nil {
			t.Errorf("Unmarshal(%s): %v", valid, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.in, diff)
		}
	}
}

func BenchmarkFor(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schema.For[edit](); err != nil {
			b.Fatal(err)
		}
	}
}
