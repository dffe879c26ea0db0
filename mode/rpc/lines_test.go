package rpc_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/session"
)

// TestEveryLineIsOneMessage: JSON of a model and of a tool with line breaks stays on one line, in
// events and in answers.
func TestEveryLineIsOneMessage(t *testing.T) {
	const spaced = "{\n  \"path\":\r\n\t\"x\"\n}"
	read := &agent.Tool{Name: "read", Execute: func(_ context.Context, c *agent.Call) (*agent.ToolResult, error) {
		c.Update(&agent.ToolResult{Content: ai.TextContent("half"), Details: jsontext.Value(spaced)})
		return &agent.ToolResult{Content: ai.TextContent("all"), Details: jsontext.Value(spaced), Structured: jsontext.Value(spaced)}, nil
	}}
	model := scripted.New(scripted.Of(scripted.Call("c1", "read", jsontext.Value(spaced))), scripted.Say("done"))
	c := connect(t, open(t, model.Stream, session.Options{Tools: []*agent.Tool{read}}), nil)
	c.send(`{"type":"prompt","message":"go"}`)
	lines := c.until("agent_settled")
	for _, command := range []string{"get_messages", "get_entries", "get_tree"} {
		lines = append(lines, c.ask(`{"id":[1,`+"\r\t"+`2],"type":"`+command+`"}`))
	}
	lines = append(lines, c.end()...)
	for _, line := range lines {
		if !jsontext.Value(line).IsValid() || strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\n\r") {
			t.Errorf("a line that is no message: %q", line)
		}
	}
	all := strings.Join(lines, "\n")
	for _, want := range []string{`"args":{"path":"x"}`, `"partialResult":{"content":[{"type":"text","text":"half"}],"details":{"path":"x"}}`, `"id":[1,2]`} {
		if !strings.Contains(all, want) {
			t.Errorf("there is no %s in\n%s", want, all)
		}
	}
}
