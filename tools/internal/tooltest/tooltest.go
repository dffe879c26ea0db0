// Package tooltest is what the tests of several tools need.
package tooltest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
)

// Run calls a tool outside of an agent. It returns the text that the model sees and the
// details, which are zero if there are none.
func Run[D any](ctx context.Context, tool *agent.Tool, args map[string]any) (text string, details *D, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return "", nil, err
	}
	result, err := tool.Execute(ctx, &agent.Call{Tool: tool, Args: raw})
	if err != nil {
		return "", nil, err
	}
	details = new(D)
	if result.Details != nil {
		err = json.Unmarshal(result.Details, details)
	}
	return result.Content.Text(), details, err
}

// WriteFile writes a file and makes the folders above it.
func WriteFile(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		tb.Fatal(err)
	}
}
