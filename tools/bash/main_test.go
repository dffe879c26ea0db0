package bash_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call runs the tool as the loop does, with arguments that are valid.
func call(t testing.TB, tool *agent.Tool, args any) *agent.ToolResult {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	res, err := tool.Execute(t.Context(), &agent.Call{ID: "c1", Tool: tool, Args: raw})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
