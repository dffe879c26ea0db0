package event_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
)

// variants returns the names of the types in a folder that have a method Type on a pointer.
func variants(t *testing.T, dir string) []string {
	t.Helper()
	noTests := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), dir, noTests, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range packages {
		ast.Inspect(p, func(n ast.Node) bool {
			fn, ok := n.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "Type" && fn.Name.Name != "AppendJSON" {
				return true
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				names = append(names, star.X.(*ast.Ident).Name)
			}
			return false
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestEveryVariantHasARowOfTheTable(t *testing.T) {
	listed := make(map[string]bool)
	for _, k := range event.Kinds {
		listed[fmt.Sprintf("%T", k.New())] = true
	}
	for _, name := range variants(t, ".") {
		if !listed["*event."+name] {
			t.Errorf("event.%s is not in Kinds", name)
		}
	}
	for _, name := range variants(t, "../../agent") {
		if name != "AgentEnd" && strings.HasPrefix(name, "Agent") || strings.HasPrefix(name, "Turn") || strings.HasPrefix(name, "Message") || strings.HasPrefix(name, "ToolExecution") {
			if !listed["*agent."+name] {
				t.Errorf("agent.%s is not in Kinds", name)
			}
		}
	}
}

func TestEveryKindIsWrittenWithItsDiscriminant(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range event.Kinds {
		ev := k.New()
		if seen[k.Type] || ev.Type() != k.Type {
			t.Errorf("%T has the type %q in the table and %q itself (seen: %t)", ev, k.Type, ev.Type(), seen[k.Type])
		}
		seen[k.Type] = true
		if incomplete(ev) {
			continue // its form needs a message; the traces check it
		}
		var head struct {
			Type string `json:"type"`
		}
		raw := ev.AppendJSON(nil)
		if err := json.Unmarshal(raw, &head); err != nil || head.Type != k.Type {
			t.Errorf("%s is written as %s (%v)", k.Type, raw, err)
		}
	}
}

// incomplete gives the events that carry a message one, and reports those that cannot have it.
func incomplete(ev event.Event) bool {
	m := &ai.UserMessage{Content: ai.TextContent("x")}
	switch ev := ev.(type) {
	case *agent.MessageStart:
		ev.Message = m
	case *agent.MessageEnd:
		ev.Message = m
	case *agent.TurnEnd:
		ev.Message = &ai.AssistantMessage{}
	case *agent.MessageUpdate:
		return true
	}
	return false
}
