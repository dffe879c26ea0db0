//go:build unix

package script_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// BenchmarkDispatch sends an event of 1 KB through a handler in TypeScript, there and back: one
// that listens, and one whose result blocks a call; in the engine, and in Node.
func BenchmarkDispatch(b *testing.B) {
	args := []byte(`{"command":"sudo ` + strings.Repeat("x", 900) + `"}`)
	for host, settings := range map[string]func(testing.TB) script.Settings{
		"engine": func(testing.TB) script.Settings { return script.Settings{} }, "node": node, "bun": bun,
	} {
		b.Run(host, func(b *testing.B) {
			s := newStage(b, settings(b), `
export default (pi: any) => {
  let seen = 0;
  pi.on("tool_execution_start", async (e) => { seen += e.args.command.length; });
  pi.on("tool_call", async (e) => { if (e.input.command.startsWith("sudo")) return { block: true, reason: "not here" }; });
}`)
			b.Run("event", func(b *testing.B) {
				defer measureProcessor(b)()
				for b.Loop() {
					s.Emit(b.Context(), &extension.ToolExecutionStart{ToolCallID: "c1", ToolName: "bash", Args: args})
				}
			})
			b.Run("result", func(b *testing.B) {
				defer measureProcessor(b)()
				for b.Loop() {
					if r, err := s.ToolCall(b.Context(), &extension.ToolCall{ToolCallID: "c1", ToolName: "bash", Input: args}); err != nil || !r.Block {
						b.Fatal(r, err)
					}
				}
			})
			if s.failures() != "" {
				b.Fatal(s.failures())
			}
		})
	}
}

// measureProcessor reports allocations, and the processor time of this process beside the time
// that passes, which on a busy machine is also that of others.
func measureProcessor(b *testing.B) (report func()) {
	b.Helper()
	b.ReportAllocs()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}
