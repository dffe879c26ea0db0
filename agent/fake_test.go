package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// answers is a model that gives these answers, one a request. Its stop reasons are
// toolUse and stop, unless the answer says otherwise.
func answers(list ...*ai.AssistantMessage) *fakeModel { return &fakeModel{list: list} }

type fakeModel struct {
	mu       sync.Mutex
	list     []*ai.AssistantMessage
	requests []*ai.Request
}

func (m *fakeModel) stream(ctx context.Context, req *ai.Request) *ai.Stream {
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, req)
	m.mu.Unlock()
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if n >= len(m.list) {
			return fmt.Errorf("request %d has no answer", n+1)
		}
		answer := *m.list[n]
		for _, block := range answer.Content {
			i, whole := open(w, block)
			w.Append(i, whole)
			w.End(i)
		}
		if answer.StopReason == "" {
			answer.StopReason = ai.StopEnd
			if len(answer.Content.ToolCalls()) > 0 {
				answer.StopReason = ai.StopToolUse
			}
		}
		w.DoneWith(&answer)
		return nil
	})
}

func (m *fakeModel) seen() []*ai.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests
}

func says(text string) *ai.AssistantMessage {
	return &ai.AssistantMessage{Content: ai.TextContent(text)}
}

// calls is an answer that calls tools: name:id, each with empty arguments.
func calls(names ...string) *ai.AssistantMessage {
	m := &ai.AssistantMessage{}
	for _, n := range names {
		name, id, _ := strings.Cut(n, ":")
		m.Content = append(m.Content, &ai.ToolCall{ID: id, Name: name, Arguments: jsontext.Value("{}")})
	}
	return m
}

func toolOf(name string, run func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error)) *agent.Tool {
	return &agent.Tool{Name: name, Description: name, Execute: run}
}

func okTool(name string) *agent.Tool {
	return toolOf(name, func(context.Context, *agent.Call) (*agent.ToolResult, error) { return agent.TextResult("ok"), nil })
}

// recorder writes down events in a short form.
type recorder struct {
	mu  sync.Mutex
	log []string
}

func (r *recorder) listen(_ context.Context, ev agent.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, update := ev.(*agent.MessageUpdate); !update {
		r.log = append(r.log, label(ev))
	}
	return nil
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.log, " ")
}

// label names an event, with its call or role.
func label(ev agent.Event) string {
	switch ev := ev.(type) {
	case *agent.MessageStart:
		return "start:" + ev.Message.Role()
	case *agent.MessageEnd:
		return "end:" + ev.Message.Role()
	case *agent.ToolExecutionStart:
		return "run:" + ev.ToolCallID
	case *agent.ToolExecutionUpdate:
		return "update:" + ev.ToolCallID
	case *agent.ToolExecutionEnd:
		if ev.IsError {
			return "failed:" + ev.ToolCallID
		}
		return "done:" + ev.ToolCallID
	}
	return ev.Type()
}

// mustPrompt runs a prompt that has to succeed.
func mustPrompt(t *testing.T, a *agent.Agent, text string) {
	t.Helper()
	if err := a.Prompt(t.Context(), agent.User(text)); err != nil {
		t.Fatal(err)
	}
}

// results returns the transcript's tool results as id=text, with ! for errors.
func results(a *agent.Agent) string {
	var out []string
	for _, m := range a.State().Messages {
		if r, ok := m.(*ai.ToolResultMessage); ok {
			mark := ""
			if r.IsError {
				mark = "!"
			}
			text, _, _ := strings.Cut(r.Content.Text(), "\n")
			out = append(out, mark+r.ToolCallID+"="+text)
		}
	}
	return strings.Join(out, " | ")
}
