package process_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/schema"
)

// gate is the extension of examples/extensions as one that is compiled in.
func gate(_ context.Context, api *extension.API) error {
	dangerous := regexp.MustCompile(`\brm\s+-[a-z]*[rf]|\bsudo\b|\bmkfs\b|>\s*/dev/sd`)
	extension.On(api, func(ctx context.Context, x *extension.Context, e *extension.ToolCall) (*extension.ToolCallResult, error) {
		var input struct {
			Command string `json:"command"`
		}
		if e.ToolName != "bash" || json.Unmarshal(e.Input, &input) != nil || !dangerous.MatchString(input.Command) {
			return nil, nil
		}
		if choice, _ := x.UI().Select(ctx, "Run this?\n\n  "+input.Command, []string{"Yes", "No"}, 0); choice == "Yes" {
			return nil, nil
		}
		return &extension.ToolCallResult{Block: true, Reason: "The user does not want this command to be run."}, nil
	})
	err := api.RegisterTool(&extension.Tool{Tool: &agent.Tool{
		Name: "word_count", Description: "Count the words of a text.",
		Parameters: schema.MustParse(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
		Execute: func(_ context.Context, c *agent.Call) (*agent.ToolResult, error) {
			var args struct {
				Text string `json:"text"`
			}
			if err := json.Unmarshal(c.Args, &args); err != nil {
				return nil, err
			}
			n := len(strings.Fields(args.Text))
			return &agent.ToolResult{Content: ai.TextContent(fmt.Sprintf("%d words", n)), Details: fmt.Appendf(nil, `{"words":%d}`, n)}, nil
		},
	}})
	if err != nil {
		return err
	}
	return api.RegisterCommand(&extension.Command{
		Name: "todo", Description: "Keep a line in the session",
		Handler: func(_ context.Context, x *extension.CommandContext, args string) error {
			text, err := json.Marshal(map[string]string{"text": args})
			if err != nil {
				return err
			}
			if _, err := api.AppendEntry("todo", text); err != nil {
				return err
			}
			s, err := x.Session()
			if err != nil {
				return err
			}
			n := 0
			for _, entry := range s.Entries() {
				n += strings.Count(string(entry), `"customType":"todo"`)
			}
			x.UI().Notify(fmt.Sprintf("%d on the list", n), "info")
			return nil
		},
	})
}

// python skips the test on a machine without it.
func python(t testing.TB) {
	t.Helper()
	if out, err := exec.Command("python3", "-c", "print(1)").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Skip("there is no python3 here")
	}
}

const examples = "../../examples/extensions/"

// built builds the example in Go, so that the test does not wait for go run.
func built(t testing.TB) extension.Source {
	t.Helper()
	program := filepath.Join(t.TempDir(), "go-gate")
	if out, err := exec.Command("go", "build", "-o", program, examples+"go-gate").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return extension.Source{Path: program, Host: process.Kind}
}

// play uses everything that the extension brings.
func play(t *testing.T, s *scene) []string {
	t.Helper()
	call := func(input string) {
		r, after, err := s.toolCall(t.Context(), input)
		s.trace.add("tool_call %s: %+v %v, input %s", input, r, err, after)
	}
	call(`{"command":"ls -l"}`)
	call(`{"command":"rm -rf /tmp/x # \u2028 \"quoted\" 好"}`)
	s.ui.choice = "No"
	call(`{"command":"sudo reboot"}`)
	s.ui.choice = ""
	call("{\n  \"command\": \"sudo reboot\"\r\n}")
	for _, tool := range s.Tools() {
		s.trace.add("tool %s: %s %s", tool.Name, tool.Description, tool.Parameters.JSON())
		r, err := tool.Execute(t.Context(), &agent.Call{ID: "c1", Tool: tool.Tool.Tool, Args: []byte(`{"text":"to be or\nnot"}`)})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		s.trace.add("result %s", raw)
	}
	for _, c := range s.Commands() {
		s.trace.add("command %s: %s", c.Invocation, c.Description)
		for _, args := range []string{"buy milk", "", "ünïcödé \x00 \u2028"} {
			s.trace.add("err %v", s.RunCommand(t.Context(), &c, args))
		}
	}
	return normal(s.trace.all())
}

// normal takes away how a language writes JSON: blanks and the order of names.
func normal(lines []string) []string {
	lines = slices.Clone(lines)
	for i, line := range lines {
		before, object, _ := strings.Cut(line, "{")
		var v any
		if json.Unmarshal([]byte("{"+object), &v) != nil {
			continue
		}
		raw, err := json.Marshal(v, json.Deterministic(true))
		if err == nil {
			lines[i] = before + string(raw)
		}
	}
	return lines
}

// TestConformance_TheSameExtensionInEveryLanguage: whether it is compiled in or a program in Python,
// Go or TypeScript, the session sees the same.
func TestConformance_TheSameExtensionInEveryLanguage(t *testing.T) {
	want := play(t, open(t, sceneOptions{source: extension.Builtin("gate", gate)}).ok(t))
	if len(want) < 12 {
		t.Fatalf("the trace is short: %q", want)
	}
	t.Run("python", func(t *testing.T) {
		python(t)
		got := play(t, open(t, sceneOptions{source: extension.Source{Path: examples + "python-gate", Host: process.Kind}}).ok(t))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("go", func(t *testing.T) {
		got := play(t, open(t, sceneOptions{source: built(t)}).ok(t))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("typescript", func(t *testing.T) {
		got := play(t, open(t, scripts(nil)).ok(t))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("node", func(t *testing.T) {
		if out, err := exec.Command("node", "--version").Output(); err != nil || string(out) < "v20" || runtime.GOOS == "windows" {
			t.Skip("there is no node of version 20 or later here")
		}
		got := play(t, open(t, scripts(&script.Remote{Command: []string{"node"}})).ok(t))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// scripts is an extension in TypeScript, in this process or in Node.
func scripts(remote *script.Remote) sceneOptions {
	return sceneOptions{
		source:  extension.Source{Path: examples + "typescript-gate/index.ts"},
		scripts: script.Host(script.Settings{Remote: remote}),
	}
}

// TestExamples_AreShort: an extension needs no SDK.
func TestExamples_AreShort(t *testing.T) {
	for file, most := range map[string]int{"python-gate/main.py": 100, "go-gate/main.go": 150} {
		raw, err := os.ReadFile(examples + file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(raw), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", file, n, most)
		}
	}
}

// BenchmarkEvent is an event of 1 KB through an extension in Go, there and back.
func BenchmarkEvent(b *testing.B) {
	s := open(b, sceneOptions{source: built(b)}).ok(b)
	e := &extension.ToolCall{ToolCallID: "1", ToolName: "bash", Input: fmt.Appendf(nil, `{"command":"echo %s"}`, strings.Repeat("x", 900))}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.ToolCall(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvent_Builtin is the same for one that is compiled in.
func BenchmarkEvent_Builtin(b *testing.B) {
	s := open(b, sceneOptions{source: extension.Builtin("gate", gate)}).ok(b)
	e := &extension.ToolCall{ToolCallID: "1", ToolName: "bash", Input: fmt.Appendf(nil, `{"command":"echo %s"}`, strings.Repeat("x", 900))}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.ToolCall(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
}
