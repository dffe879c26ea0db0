//go:build unix

package tools_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

func TestTimeoutsOutOfRange(t *testing.T) {
	dir := t.TempDir()
	timeouts := []string{"0", "-5", "1e12", `"-1"`, "null", "30", "0.9e1"}
	var calls []*ai.ToolCall
	for _, timeout := range timeouts {
		calls = append(calls, call("bash", `{"command":"echo ran >> ran; echo hi","timeout":`+timeout+`}`))
	}
	c := newConversation(agent.Options{Tools: builtin(dir), ToolExecution: agent.Sequential}, calls...)
	for i, r := range c.run(t) {
		if i < 4 {
			mustFail(t, r, "timeout", "more than 0 and at most 2147483.647")
		} else if r.IsError || r.Content.Text() != "hi\n" {
			t.Errorf("timeout %s: %q", timeouts[i], r.Content.Text())
		}
	}
	mustHold(t, dir, "ran", strings.Repeat("ran\n", 3))
}

func TestPipeWithoutAWriter(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	results := runBatch(t, builtin(dir), call("read", args{"path": "fifo"}), replace("fifo", "a", "b"), create("fifo", "x"), call("grep", args{"pattern": "x", "path": "fifo"}))
	for _, r := range results {
		mustFail(t, r, "fifo")
	}
}

func TestAbortOfACommand(t *testing.T) {
	dir := t.TempDir()
	c := newConversation(agent.Options{Tools: builtin(dir)}, call("bash", args{"command": "echo begun; sleep 100; touch ran"}))
	c.Subscribe(func(_ context.Context, ev agent.Event) error {
		if u, ok := ev.(*agent.ToolExecutionUpdate); ok && u.PartialResult.Content.Text() != "" {
			c.Abort()
		}
		return nil
	})
	mustFail(t, c.run(t)[0], "begun\n", "Command aborted")
	mustHold(t, dir, "ran", "")
}
