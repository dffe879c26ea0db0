package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/catalogue"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/tools"
)

// page returns one page of this folder.
func readPage(t *testing.T, name string) *page {
	t.Helper()
	found := pages(t, name)
	if len(found) != 1 {
		t.Fatalf("there is no page %s", name)
	}
	return found[0]
}

// section returns the text below a heading up to the next one of its level.
func (p *page) section(title string) string {
	_, rest, _ := strings.Cut(p.prose, "\n## "+title+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// sourceOf parses a Go file of this repository.
func sourceOf(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// specs returns the declarations of constants and variables of a file.
func specs(f *ast.File) []*ast.ValueSpec {
	var all []*ast.ValueSpec
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			all = append(all, spec)
		}
		return true
	})
	return all
}

func unquote(t *testing.T, e ast.Expr) string {
	t.Helper()
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		t.Fatalf("%T is no text", e)
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestEventsPage_HasEveryEvent(t *testing.T) {
	p := readPage(t, "events.md")
	headings := strings.Join(allHeadings(p), " , ")
	for _, k := range event.Kinds {
		if !strings.Contains(headings, k.Type) {
			t.Errorf("the event %s has no heading", k.Type)
		}
	}
	for _, spec := range specs(sourceOf(t, "../ai/event.go")) {
		if name := spec.Names[0].Name; strings.HasPrefix(name, "Event") {
			kind := unquote(t, spec.Values[0])
			if !strings.Contains(p.prose, "`"+kind+"`") && kind != "start" && kind != "done" && kind != "error" {
				t.Errorf("the stream event %s is missing", kind)
			}
		}
	}
}

func allHeadings(p *page) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(p.prose, -1) {
		all = append(all, m[1])
	}
	return all
}

// TestRPCPage_HasEveryCommand compares the page with the table of commands: each has a heading,
// and what stands below that names every member of its request and of its answer.
func TestRPCPage_HasEveryCommand(t *testing.T) {
	source, err := os.ReadFile("rpc.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := make(map[string]string)
	for _, part := range strings.Split(string(source), "\n### ")[1:] {
		titles, text, _ := strings.Cut(part, "\n")
		for name := range strings.SplitSeq(titles, ", ") {
			sections[name] = text
		}
	}
	for _, c := range proto.Commands() {
		text, ok := sections[c.Name]
		if !ok {
			t.Errorf("the command %s has no heading", c.Name)
			continue
		}
		for _, name := range append(wireMembers(c.Request), wireMembers(c.Answer)...) {
			if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, `"`+name+`"`) {
				t.Errorf("the section of %s does not name %s", c.Name, name)
			}
		}
	}
}

// wireMembers returns the names of the JSON members of a type of the protocol, with those of
// types of the protocol within it.
func wireMembers(of reflect.Type) []string {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[proto.State]().PkgPath() || of == reflect.TypeFor[proto.Node]() {
		return nil
	}
	var all []string
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(append(all, name), wireMembers(f.Type)...)
	}
	return all
}

// TestHTTPPage_HasEveryCommand: every command of RPC that has an address of its own is named.
func TestHTTPPage_HasEveryCommand(t *testing.T) {
	text := readPage(t, "http.md").prose
	for _, c := range proto.Commands() {
		if !serve.OverHTTP(c.Name) {
			continue
		}
		name, tells := strings.CutPrefix(c.Name, "get_")
		for _, form := range []string{"…/" + name + "`", "…/" + name, "`" + name + "`"} {
			if strings.Contains(text, form) {
				name = ""
			}
		}
		if name != "" {
			t.Errorf("the command %s is not on the page (a GET: %t)", c.Name, tells)
		}
	}
}

func TestConfigurationPage_HasEveryKey(t *testing.T) {
	p := readPage(t, "configuration.md")
	for _, key := range keys(reflect.TypeFor[config.Settings](), "") {
		if !strings.Contains(p.prose, "`"+key+"`") {
			t.Errorf("the setting %s is missing", key)
		}
	}
	for _, key := range keys(reflect.TypeFor[openai.Compat](), "") {
		if !strings.Contains(p.section("models.json"), "`"+key+"`") {
			t.Errorf("the switch %s of compat is missing", key)
		}
	}
}

// keys returns the names of a struct's JSON members; those of structs within it follow a
// dot.
func keys(of reflect.Type, before string) []string {
	var all []string
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() == reflect.Struct {
			all = append(all, keys(f.Type, before+name+".")...)
		} else {
			all = append(all, before+name)
		}
	}
	return all
}

func TestToolsPage_HasEveryParameter(t *testing.T) {
	p := readPage(t, "tools.md")
	for _, tool := range tools.Builtin(t.TempDir(), nil) {
		var schema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
			Required []string `json:"required"`
		}
		if err := json.Unmarshal(tool.Declaration().Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		section := p.section(tool.Name)
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			kind := schema.Properties[name].Type
			if kind == "array" {
				kind = "list"
			}
			if !slices.Contains(schema.Required, name) {
				kind += ", optional"
			}
			if row := "| `" + name + "` | " + kind + " |"; !strings.Contains(section, row) {
				t.Errorf("%s: the row %q is missing", tool.Name, row)
			}
		}
		if rows := strings.Count(section, "\n| `"); rows != len(schema.Properties) {
			t.Errorf("%s has %d parameters, the page %d", tool.Name, len(schema.Properties), rows)
		}
	}
}

func TestModelPages_HaveEveryProvider(t *testing.T) {
	models, auth := readPage(t, "models.md"), readPage(t, "auth.md")
	listed := models.section("Providers")
	at := 0
	for _, p := range catalogue.Providers() {
		if !strings.Contains(listed, "`"+p.ID+"`") {
			t.Errorf("models.md does not name %s", p.ID)
		}
		if row := strings.Index(listed, "\n| `"+p.ID+"` | `"+p.Default+"` |"); row < 0 {
			if strings.Contains(listed, "\n| `"+p.ID+"`") {
				t.Errorf("models.md has another default model than %s for %s", p.Default, p.ID)
			}
		} else if row < at {
			t.Errorf("models.md has %s at another place", p.ID)
		} else {
			at = row
		}
		for _, name := range p.Env {
			if !strings.Contains(auth.section("Variables"), "`"+name+"`") {
				t.Errorf("auth.md does not name %s", name)
			}
		}
	}
}
