package tools_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/bash"
)

func names(definitions []tools.Definition) []string {
	var list []string
	for _, d := range definitions {
		list = append(list, d.Name)
	}
	return list
}

func TestBuiltin(t *testing.T) {
	all := tools.Builtin(t.TempDir(), nil)
	want := []string{"read", "bash", "edit", "write", "grep", "find", "ls"}
	if diff := cmp.Diff(want, names(all)); diff != "" {
		t.Error(diff)
	}
	for i, tool := range tools.Tools(all) {
		if tool != all[i].Tool {
			t.Errorf("tool %d is %s", i, tool.Name)
		}
	}
}

func TestOptionsReachTheTools(t *testing.T) {
	for _, structured := range []bool{false, true} {
		all := tools.Builtin(t.TempDir(), &tools.Options{Bash: &bash.Options{Structured: structured}})
		chosen, err := tools.Select(all, []string{"bash"})
		if err != nil {
			t.Fatal(err)
		}
		if (chosen[0].Output != nil) != structured {
			t.Errorf("structured %v: output %v", structured, chosen[0].Output)
		}
	}
}

func TestSelect(t *testing.T) {
	all := tools.Builtin(t.TempDir(), nil)
	for _, tt := range []struct{ names, want []string }{
		{tools.Default, []string{"read", "bash", "edit", "write"}},
		{[]string{"ls", "find", "read", "ls"}, []string{"read", "find", "ls"}},
		{nil, nil},
	} {
		chosen, err := tools.Select(all, tt.names)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, names(chosen)); diff != "" {
			t.Errorf("%q: %s", tt.names, diff)
		}
	}
}

func TestSelectUnknownListsTheKnown(t *testing.T) {
	all := tools.Builtin(t.TempDir(), nil)
	for _, name := range []string{"Read", "", "webfetch"} {
		chosen, err := tools.Select(all, []string{"read", name})
		if err == nil || chosen != nil {
			t.Errorf("%q: chosen %q", name, names(chosen))
			continue
		}
		for _, part := range append(names(all), fmt.Sprintf("%q", name)) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not name %s", err, part)
			}
		}
	}
}

// shapes are the parameters of Pi 0.85, in its order. A star marks those that are required.
var shapes = map[string]string{
	"read":  "path*:string offset:number limit:number",
	"bash":  "command*:string timeout:number",
	"edit":  "path*:string edits*:array[oldText*:string newText*:string]",
	"write": "path*:string content*:string",
	"grep":  "pattern*:string path:string glob:string ignoreCase:boolean literal:boolean context:number limit:number",
	"find":  "pattern*:string path:string limit:number",
	"ls":    "path:string limit:number",
}

type object struct {
	Type       string         `json:"type"`
	Properties jsontext.Value `json:"properties"`
	Required   []string       `json:"required"`
}

type property struct {
	Type        string         `json:"type"`
	Description string         `json:"description"`
	Items       jsontext.Value `json:"items"`
}

// shape is the short form of the schema of an object. All properties must be described.
func shape(t *testing.T, raw jsontext.Value) string {
	t.Helper()
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o.Type != "object" {
		t.Fatalf("%s is no object: %v", raw, err)
	}
	var list []string
	for _, name := range members(t, o.Properties) {
		var properties map[string]property
		if err := json.Unmarshal(o.Properties, &properties); err != nil {
			t.Fatal(err)
		}
		p := properties[name]
		if p.Description == "" {
			t.Errorf("%s is not described", name)
		}
		if slices.Contains(o.Required, name) {
			name += "*"
		}
		if name += ":" + p.Type; p.Items != nil {
			name += "[" + shape(t, p.Items) + "]"
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// members are the names of a JSON object, in order.
func members(t *testing.T, raw jsontext.Value) (list []string) {
	t.Helper()
	dec := jsontext.NewDecoder(strings.NewReader(string(raw)))
	if _, err := dec.ReadToken(); err != nil {
		t.Fatal(err)
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, name.String())
		if err := dec.SkipValue(); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func TestDeclarations(t *testing.T) {
	goodName := regexp.MustCompile(`^[a-z]+$`)
	for _, d := range tools.Builtin(t.TempDir(), nil) {
		decl := d.Declaration()
		s, err := schema.Parse(decl.Parameters)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		if got := shape(t, decl.Parameters); got != shapes[d.Name] {
			t.Errorf("%s has %q, want %q", d.Name, got, shapes[d.Name])
		}
		if decl.Name != d.Name || !goodName.MatchString(decl.Name) {
			t.Errorf("%s is declared as %s", d.Name, decl.Name)
		}
		for what, text := range map[string]string{"description": decl.Description, "snippet": d.Snippet, "guidelines": strings.Join(d.Guidelines, " ")} {
			if strings.TrimSpace(text) != text {
				t.Errorf("%s: spaces around the %s", d.Name, what)
			}
			if what != "description" && strings.Contains(text, "\n") {
				t.Errorf("%s: the %s has several lines", d.Name, what)
			}
		}
		if decl.Description == "" || d.Snippet == "" {
			t.Errorf("%s is not described", d.Name)
		}
	}
}
