package docs_test

import (
	"go/ast"
	"strings"
	"testing"
)

func TestTerminalPage_HasEveryCommandAndKey(t *testing.T) {
	p := readPage(t, "terminal.md")
	names := 0
	ast.Inspect(sourceOf(t, "../mode/tui/command/commands.go"), func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && lit.Type == nil && len(lit.Elts) == 4 {
			names++
			if name := unquote(t, lit.Elts[0]); !strings.Contains(p.section("Commands"), "`/"+name) {
				t.Errorf("the command /%s is missing", name)
			}
		}
		return true
	})
	keys := 0
	for _, spec := range specs(sourceOf(t, "../mode/tui/input/keys.go")) {
		if spec.Names[0].Name != "bindings" {
			continue
		}
		for _, e := range spec.Values[0].(*ast.CompositeLit).Elts {
			keys++
			pair := e.(*ast.KeyValueExpr)
			action := unquote(t, pair.Key)
			row := "| `" + action + "` |"
			for i, key := range pair.Value.(*ast.CompositeLit).Elts {
				if i > 0 {
					row = strings.TrimSuffix(row, " |") + ","
				}
				row += " `" + unquote(t, key) + "` |"
			}
			if !strings.Contains(p.section("Keys"), row) {
				t.Errorf("the keys are not as they are: no row begins with %s", row)
			}
		}
	}
	if names == 0 || keys == 0 {
		t.Errorf("%d commands and %d keys were found", names, keys)
	}
}
