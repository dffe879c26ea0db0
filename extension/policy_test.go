package extension_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// events has one of each kind.
var events = []extension.Event{
	&extension.ProjectTrust{}, &extension.ResourcesDiscover{}, &extension.SessionStart{}, &extension.SessionInfoChanged{},
	&extension.SessionBeforeSwitch{}, &extension.SessionBeforeFork{}, &extension.SessionBeforeCompact{}, &extension.SessionCompact{},
	&extension.SessionCompactFailed{}, &extension.SessionShutdown{}, &extension.SessionBeforeTree{}, &extension.SessionTree{},
	&extension.ContextEvent{}, &extension.BeforeProviderRequest{}, &extension.BeforeProviderHeaders{}, &extension.AfterProviderResponse{},
	&extension.BeforeAgentStart{}, &extension.AgentStart{}, &extension.AgentEnd{}, &extension.AgentSettled{},
	&extension.UIPromptStart{}, &extension.UIPromptEnd{}, &extension.TurnStart{}, &extension.TurnEnd{},
	&extension.MessageStart{}, &extension.MessageUpdate{}, &extension.MessageEnd{},
	&extension.ToolExecutionStart{}, &extension.ToolExecutionUpdate{}, &extension.ToolExecutionEnd{},
	&extension.ModelSelect{}, &extension.ThinkingLevelSelect{}, &extension.ToolCall{}, &extension.ToolResult{},
	&extension.UserBash{}, &extension.Input{}, &extension.ContextWithSystem{}, &extension.ProviderStreamEvent{}, &extension.AgentBeforeSettle{},
}

// TestPolicies checks that the table and the events agree: 36 of Pi 0.85 and three of 1.6.
func TestPolicies(t *testing.T) {
	if len(events) != 39 || len(extension.Policies()) != len(events) {
		t.Fatalf("%d events, %d policies", len(events), len(extension.Policies()))
	}
	seen := make(map[string]bool)
	for i, e := range events {
		policy := e.Kind().Policy()
		if int(e.Kind()) != i || policy.Event == "" || seen[policy.Event] || policy.Deadline <= 0 {
			t.Errorf("%T has kind %d, policy %+v", e, e.Kind(), policy)
		}
		seen[policy.Event] = true
		if k, ok := extension.KindOf(policy.Event); !ok || k != e.Kind() || k.String() != policy.Event {
			t.Errorf("KindOf(%q) = %v %v", policy.Event, k, ok)
		}
		if policy.Fired && (policy.Chained || policy.FailsClosed || policy.Ends) {
			t.Errorf("%s is fired, but somebody waits for its result", policy.Event)
		}
	}
	for _, name := range []string{"tool_call", "user_bash"} {
		if k, _ := extension.KindOf(name); !k.Policy().FailsClosed {
			t.Errorf("%s does not fail closed", name)
		}
	}
	if _, ok := extension.KindOf("nothing"); ok {
		t.Error("there is a kind of nothing")
	}
}

// TestEncode checks that every event has its type first and Pi's names.
func TestEncode(t *testing.T) {
	for _, e := range events {
		switch e.(type) {
		case *extension.MessageUpdate, *extension.ProviderStreamEvent:
			continue // they need a stream
		}
		raw, err := extension.Encode(e)
		if err != nil {
			t.Errorf("%T: %v", e, err)
			continue
		}
		if want := `{"type":"` + e.Kind().String() + `"`; !bytes.HasPrefix(raw, []byte(want)) || !raw.IsValid() {
			t.Errorf("%T is %s", e, raw)
		}
	}
	call := &extension.ToolCall{ToolCallID: "c1", ToolName: "bash", Input: []byte(`{"command":"ls"}`)}
	if raw, _ := extension.Encode(call); string(raw) != `{"type":"tool_call","toolCallId":"c1","toolName":"bash","input":{"command":"ls"}}` {
		t.Errorf("%s", raw)
	}
	end := &extension.AgentEnd{Messages: []agent.Message{&ai.UserMessage{Content: ai.TextContent("go"), Timestamp: 1}}}
	if raw, _ := extension.Encode(end); string(raw) != `{"type":"agent_end","messages":[{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1}]}` {
		t.Errorf("%s", raw)
	}
	if raw, _ := extension.Encode(&extension.AgentSettled{Aborted: true}); string(raw) != `{"type":"agent_settled"}` {
		t.Errorf("the JSON form is not that of Pi 0.85: %s", raw)
	}
}

// A streamed message is written only when it is asked for, so that n deltas cost O(n).
func TestMessageUpdateIsLazy(t *testing.T) {
	for ev, err := range ai.NewStream(t.Context(), &ai.Model{ID: "m"}, func(_ context.Context, w *ai.Writer) error {
		i := w.StartText()
		w.Append(i, "hello")
		w.EndAll()
		w.Done(ai.StopEnd)
		return nil
	}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ev.(*ai.TextDelta); !ok {
			continue
		}
		e := &extension.MessageUpdate{Stream: ev}
		raw, err := extension.Encode(e)
		if err != nil || bytes.Contains(raw, []byte(`"role"`)) || !raw.IsValid() {
			t.Errorf("%s: %v", raw, err)
		}
		message, err := e.Lazy("message")
		var m struct {
			Role string `json:"role"`
		}
		if err != nil || json.Unmarshal(message, &m) != nil || m.Role != "assistant" {
			t.Errorf("message %s: %v", message, err)
		}
	}
}
