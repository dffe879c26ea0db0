package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/internal/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type args = map[string]any

// call is a tool call; a is its arguments as a Go value or as JSON text.
func call(name string, a any) *ai.ToolCall {
	text, ok := a.(string)
	if !ok {
		raw, err := json.Marshal(a, json.Deterministic(true))
		if err != nil {
			panic(err)
		}
		text = string(raw)
	}
	return &ai.ToolCall{Name: name, Arguments: jsontext.Value(text)}
}

func replace(name, oldText, newText string) *ai.ToolCall {
	return call("edit", args{"path": name, "edits": []args{{"oldText": oldText, "newText": newText}}})
}

func create(name, content string) *ai.ToolCall {
	return call("write", args{"path": name, "content": content})
}

// script is a model whose first answer is a batch of calls, and all others a text.
type script struct {
	calls []*ai.ToolCall

	mu       sync.Mutex
	requests []*ai.Request
}

func (s *script) stream(ctx context.Context, req *ai.Request) *ai.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	answer := s.answer
	if len(s.requests) > 1 {
		answer = func(w *ai.Writer) ai.StopReason {
			w.Append(w.StartText(), "done")
			return ai.StopEnd
		}
	}
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.Done(answer(w))
		return nil
	})
}

// answer numbers the calls from 1.
func (s *script) answer(w *ai.Writer) ai.StopReason {
	for n, c := range s.calls {
		i := w.StartToolCall(strconv.Itoa(n+1), c.Name)
		w.Append(i, string(c.Arguments))
		w.End(i)
	}
	return ai.StopToolUse
}

// seen returns what the tools told the model, in its second request.
func (s *script) seen(t *testing.T) []*ai.ToolResultMessage {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) != 2 {
		t.Fatalf("%d requests", len(s.requests))
	}
	var results []*ai.ToolResultMessage
	for _, m := range s.requests[1].Context.Messages {
		if r, ok := m.(*ai.ToolResultMessage); ok {
			results = append(results, r)
		}
	}
	return results
}

// conversation is an agent, what its model says and what its listener saw.
type conversation struct {
	*agent.Agent
	*script
	starts []jsontext.Value
	log    []string
}

// newConversation returns an agent with these settings, whose model makes one batch of
// calls.
func newConversation(opts agent.Options, calls ...*ai.ToolCall) *conversation {
	opts.Model = &ai.Model{ID: "m", API: "test", Provider: "test", Input: []string{"text", "image"}, ContextWindow: 100_000, MaxTokens: 1000}
	c := &conversation{script: &script{calls: calls}}
	c.Agent = agent.New(c.stream, &opts)
	c.Subscribe(c.listen)
	return c
}

func (c *conversation) listen(_ context.Context, ev agent.Event) error {
	switch ev := ev.(type) {
	case *agent.ToolExecutionStart:
		c.starts = append(c.starts, ev.Args)
		c.log = append(c.log, "start:"+ev.ToolCallID)
	case *agent.ToolExecutionEnd:
		mark := "end:"
		if ev.IsError {
			mark = "failed:"
		}
		c.log = append(c.log, mark+ev.ToolCallID)
	case *agent.MessageEnd:
		if m, ok := ev.Message.(*ai.ToolResultMessage); ok {
			c.log = append(c.log, "result:"+m.ToolCallID)
		}
	}
	return nil
}

// events are those about tools, in short.
func (c *conversation) events() string { return strings.Join(c.log, " ") }

// run makes the calls and returns their results, of which there is one for each, in order
// (law L6).
func (c *conversation) run(t *testing.T) []*ai.ToolResultMessage {
	t.Helper()
	if err := c.Prompt(t.Context(), agent.User("go")); err != nil {
		t.Fatal(err)
	}
	var results []*ai.ToolResultMessage
	for _, m := range c.State().Messages {
		if r, ok := m.(*ai.ToolResultMessage); ok {
			results = append(results, r)
		}
	}
	if len(results) != len(c.calls) {
		t.Fatalf("%d results for %d calls; %s", len(results), len(c.calls), c.State().Error)
	}
	for i, r := range results {
		if r.ToolCallID != strconv.Itoa(i+1) || r.ToolName != c.calls[i].Name {
			t.Errorf("result %d is that of call %s, %s", i+1, r.ToolCallID, r.ToolName)
		}
	}
	return results
}

// runBatch lets an agent with these tools make one batch of calls.
func runBatch(t *testing.T, list []*agent.Tool, calls ...*ai.ToolCall) []*ai.ToolResultMessage {
	t.Helper()
	return newConversation(agent.Options{Tools: list}, calls...).run(t)
}

// mustSucceed makes a batch of calls, none of which may fail.
func mustSucceed(t *testing.T, list []*agent.Tool, calls ...*ai.ToolCall) {
	t.Helper()
	for _, r := range runBatch(t, list, calls...) {
		if r.IsError {
			t.Errorf("call %s of %s: %s", r.ToolCallID, r.ToolName, r.Content.Text())
		}
	}
}

// mustFail checks that a result is a failure whose text has these parts.
func mustFail(t *testing.T, r *ai.ToolResultMessage, parts ...string) {
	t.Helper()
	if !r.IsError {
		t.Errorf("%s succeeded: %q", r.ToolName, r.Content.Text())
	}
	for _, part := range parts {
		if !strings.Contains(r.Content.Text(), part) {
			t.Errorf("%s: %q does not have %q", r.ToolName, r.Content.Text(), part)
		}
	}
}

// builtin are all tools, in a folder.
func builtin(dir string) []*agent.Tool { return tools.Tools(tools.Builtin(dir, nil)) }

// folder makes a folder with these files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, name)
		tooltest.WriteFile(t, p, content)
	}
	return dir
}

// mustHold checks the content of a file; empty means that there is none.
func mustHold(t *testing.T, dir, name, want string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if string(data) != want || (err == nil) != (want != "") {
		t.Errorf("%s holds %q, %v, not %q", name, data, err, want)
	}
}
