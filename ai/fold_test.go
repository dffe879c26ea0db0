package ai_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
)

func decl(name, description string) ai.ToolDecl {
	return ai.ToolDecl{Name: name, Description: description}
}

// contextOutline writes a context in short.
func contextOutline(c ai.Context) string {
	var tools []string
	for _, t := range c.Tools {
		tools = append(tools, t.Name+t.Description)
	}
	return strings.Join([]string{c.SystemPrompt, strings.Join(tools, " "), outline(c.Messages)}, "|")
}

func TestFold(t *testing.T) {
	old, newer := "old", "new"
	leading := &ai.SystemMessage{Content: "P", ToolsAdded: []ai.ToolDecl{decl("a", "1"), decl("b", "1")}}
	tests := []struct {
		name      string
		in        ai.Context
		want, all string
	}{
		{"nothing to fold", ai.Context{SystemPrompt: "P", Messages: []ai.Message{user(text("x"))}}, `P||user "x"`, ``},
		{"leading message", ai.Context{Messages: []ai.Message{leading, user(text("x"))}}, `P|a1 b1|user "x"`, ``},
		{"later changes of tools", ai.Context{Messages: []ai.Message{
			leading, user(text("x")),
			&ai.SystemMessage{ToolsAdded: []ai.ToolDecl{decl("c", "1"), decl("b", "2")}, ToolsRemoved: []string{"a"}}, user(text("y")),
		}}, `P|b2 c1|` + "user \"x\"\nuser \"y\"", ``},
		{"later content stays or is folded", ai.Context{Messages: []ai.Message{
			leading, user(text("x")), &ai.SystemMessage{Content: "Q"},
		}}, `P|a1 b1|` + "user \"x\"\nsystem Q", "P\n\nQ|a1 b1|user \"x\""},
		{"sections", ai.Context{Messages: []ai.Message{
			&ai.SystemMessage{Content: "P", Sections: map[string]*string{"z": &old, "a": &old, "gone": &old}},
			&ai.SystemMessage{Sections: map[string]*string{"z": &newer, "gone": nil}},
		}}, "P\n\nold\n\nnew||", ``},
		{"a prompt that is given wins", ai.Context{SystemPrompt: "given", Messages: []ai.Message{leading}}, `given|a1 b1|`, ``},
		{"tools that are given win", ai.Context{Tools: []ai.ToolDecl{decl("given", "")}, Messages: []ai.Message{leading}}, `P|given|`, ``},
		{"no tools that are given win", ai.Context{Tools: []ai.ToolDecl{}, Messages: []ai.Message{leading}}, `P||`, ``},
		{"no prompt", ai.Context{Messages: []ai.Message{user(text("x")), &ai.SystemMessage{Content: "Q"}}}, "||user \"x\"\nsystem Q", `Q||user "x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := marshal(t, test.in.Messages)
			if got := contextOutline(ai.Fold(test.in)); got != test.want {
				t.Errorf("Fold\n got %q\nwant %q", got, test.want)
			}
			all := test.all
			if all == "" {
				all = test.want
			}
			if got := contextOutline(ai.FoldAll(test.in)); got != all {
				t.Errorf("FoldAll\n got %q\nwant %q", got, all)
			}
			if marshal(t, test.in.Messages) != before {
				t.Error("the messages were changed")
			}
		})
	}
}
