package ai_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/wires"
)

// sentBy returns the body of the request that a wire sends for a conversation.
func sentBy(t *testing.T, w *handoffWire, messages ...ai.Message) any {
	t.Helper()
	c := &replay.Canned{Stream: w.reply}
	var sent jsontext.Value
	req := &ai.Request{Model: w.model, Context: ai.Context{Messages: messages}, Options: ai.Options{
		Client: c.Client(), APIKey: w.key,
		OnPayload: func(_ context.Context, body jsontext.Value) (jsontext.Value, error) { sent = body; return nil, nil },
	}}
	if m, err := ai.Complete(t.Context(), wires.New().Stream, req); err != nil || m.Failed() {
		t.Fatalf("%s: %v %s", w.model.API, err, m.ErrorMessage)
	}
	var body any
	if err := json.Unmarshal(sent, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// membersNamed collects the strings of members with one of these names, at any depth.
func membersNamed(v any, names ...string) (found []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			for _, wanted := range names {
				if s, ok := member.(string); ok && name == wanted {
					found = append(found, s)
				}
			}
			found = append(found, membersNamed(member, names...)...)
		}
	case []any:
		for _, element := range v {
			found = append(found, membersNamed(element, names...)...)
		}
	}
	return found
}

// What a model has called wrongly goes back under a name that the service takes, on every wire,
// whether the model is the same one or another.
func TestNamesOfCallsAreSendable(t *testing.T) {
	sendable := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	for _, w := range handoffWires {
		for _, name := range []string{"", "functions.bash", "bash<|channel|>commentary", "lese Datei", "größe", strings.Repeat("x", 300), "<|im_end|>", "a\x00b"} {
			for _, own := range []bool{true, false} {
				answer := &ai.AssistantMessage{StopReason: ai.StopToolUse, Model: "other", Content: ai.Content{
					&ai.ToolCall{ID: "call_1", Name: name, Arguments: jsontext.Value("{}")},
				}}
				if own {
					answer.Model, answer.Provider, answer.API = w.model.ID, w.model.Provider, w.model.API
				}
				result := &ai.ToolResultMessage{ToolCallID: "call_1", ToolName: name, Content: ai.TextContent("no such tool"), IsError: true}
				names := membersNamed(sentBy(t, w, user(text("go")), answer, result, user(text("on"))), "name")
				if len(names) == 0 {
					t.Fatalf("%s: no names in the request", w.model.API)
				}
				for _, got := range names {
					limit := sendable
					if w.model.API == "google-generative-ai" || w.model.API == "google-vertex" {
						limit = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)
					}
					if w.model.API == "anthropic-messages" {
						limit = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
					}
					if !limit.MatchString(got) || got != names[0] {
						t.Errorf("%s: %q is sent as %q", w.model.API, name, names)
					}
				}
			}
		}
	}
}

// Calls that were stored without an id are sent with one each, and their results with the same.
func TestEmptyIDsOfCallsAreMadeUp(t *testing.T) {
	for _, w := range handoffWires {
		for _, own := range []bool{true, false} {
			answer := &ai.AssistantMessage{StopReason: ai.StopToolUse, Model: "other", Content: ai.Content{
				&ai.ToolCall{Name: "f", Arguments: jsontext.Value("{}")}, &ai.ToolCall{Name: "g", Arguments: jsontext.Value("{}")},
			}}
			if own {
				answer.Model, answer.Provider, answer.API = w.model.ID, w.model.Provider, w.model.API
			}
			conversation := []ai.Message{
				user(text("go")), answer,
				&ai.ToolResultMessage{ToolName: "f", Content: ai.TextContent("1")}, &ai.ToolResultMessage{ToolName: "g", Content: ai.TextContent("2")},
			}
			body := sentBy(t, w, conversation...)
			calls := membersNamed(body, "id", "call_id", "toolUseId", "tool_use_id", "tool_call_id")
			uses := make(map[string]int)
			for _, id := range calls {
				uses[id]++
				if !w.ids.MatchString(id) {
					t.Errorf("%s: the id %q", w.model.API, id)
				}
			}
			if len(uses) != 2 || len(calls) != 4 {
				t.Errorf("%s: ids %v", w.model.API, calls)
			}
			if again := fmt.Sprint(sentBy(t, w, conversation...)); again != fmt.Sprint(body) {
				t.Errorf("%s: the same conversation is sent with other ids", w.model.API)
			}
		}
	}
}
