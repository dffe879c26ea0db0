package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/catalogue"
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

func TestRPCPage_HasEveryCommand(t *testing.T) {
	p := readPage(t, "rpc.md")
	documented := make(map[string]bool)
	for _, title := range allHeadings(p) {
		for name := range strings.SplitSeq(title, ", ") {
			documented[name] = true
		}
	}
	var commands []string
	for _, spec := range specs(sourceOf(t, "../mode/rpc/commands.go")) {
		if spec.Names[0].Name != "commands" {
			continue
		}
		for _, e := range spec.Values[0].(*ast.CompositeLit).Elts {
			commands = append(commands, unquote(t, e.(*ast.KeyValueExpr).Key))
		}
	}
	if len(commands) == 0 {
		t.Fatal("mode/rpc/commands.go has no commands")
	}
	missing := p.section("Not here yet")
	for _, name := range commands {
		if !documented[name] {
			t.Errorf("the command %s has no heading", name)
		}
		if strings.Contains(missing, "`"+name+"`") {
			t.Errorf("the command %s is there, but the page says that it is not", name)
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
