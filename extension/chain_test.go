package extension_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

func TestLaw_X3_ContextIsACopy(t *testing.T) {
	messages := []agent.Message{agent.User("secret"), agent.User("open")}
	s := load(t, nil, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ContextEvent) (*extension.ContextResult, error) {
			return &extension.ContextResult{Messages: slices.Delete(e.Messages, 0, 1)}, nil
		})
	}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ContextEvent) (*extension.ContextResult, error) {
			e.Messages = append(e.Messages, agent.User("in place"))
			return nil, nil
		})
	})
	got := s.Context(t.Context(), messages)
	if len(messages) != 2 || messages[0] == nil || text(got) != "open in place" || text(messages) != "secret open" {
		t.Errorf("%q, and the history is %q", text(got), text(messages))
	}
}

func text(messages []agent.Message) string {
	var parts []string
	for _, m := range messages {
		parts = append(parts, m.(*ai.UserMessage).Content.Text())
	}
	return strings.Join(parts, " ")
}

func TestLaw_X3_MessageEndReplacesTheSameRole(t *testing.T) {
	replace := func(m agent.Message) func(*api) {
		return func(api *api) {
			extension.On(api, func(context.Context, *x, *extension.MessageEnd) (*extension.MessageEndResult, error) {
				return &extension.MessageEndResult{Message: m}, nil
			})
		}
	}
	other := agent.User("other")
	s := load(t, nil, replace(&ai.AssistantMessage{}), replace(other))
	if got := s.MessageEnd(t.Context(), agent.User("one")); got != agent.Message(other) {
		t.Errorf("%v", got)
	}
	if !strings.HasPrefix(s.String(), "<a> message_end failed: a user message cannot be replaced by a assistant message") {
		t.Error(s)
	}
}

func TestToolCall(t *testing.T) {
	var got recorder
	s := load(t, nil, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			e.Input = jsontext.Value(`{"command":"one two"}`)
			return nil, nil
		})
		js := func(_ context.Context, _ *x, e *extension.Envelope) (extension.Reply, error) {
			got.add("%s", e.JSON)
			return extension.Reply{Mutated: jsontext.Value(`{"command":"one two three"}`)}, nil
		}
		if _, err := api.OnJSON("tool_call", js); err != nil {
			t.Error(err)
		}
		if _, err := api.OnJSON("nothing", js); err == nil {
			t.Error("there is an event called nothing")
		}
	}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			got.add("%s", e.Input)
			return &extension.ToolCallResult{Block: true, Reason: "no", Terminate: true}, nil
		})
		extension.On(api, func(context.Context, *x, *extension.ToolCall) (*extension.ToolCallResult, error) {
			t.Error("a blocked call is shown to later handlers")
			return nil, nil
		})
	})
	e := &extension.ToolCall{ToolCallID: "c1", ToolName: "bash", Input: jsontext.Value(`{"command":"one"}`)}
	res, err := s.ToolCall(t.Context(), e)
	if err != nil || !res.Block || res.Reason != "no" || !res.Terminate || string(e.Input) != `{"command":"one two three"}` {
		t.Errorf("%+v %v %s", res, err, e.Input)
	}
	if got.String() != `{"type":"tool_call","toolCallId":"c1","toolName":"bash","input":{"command":"one two"}}, {"command":"one two three"}` {
		t.Error(got.String())
	}
}

// An error of a tool_call handler blocks the call, and a panic is reported as well.
func TestLaw_X2_ToolCallFailsClosed(t *testing.T) {
	s := load(t, nil, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			if e.ToolName == "panic" {
				panic("guard is gone")
			}
			return nil, errors.New("guard is broken")
		})
		extension.On(api, func(context.Context, *x, *extension.ToolCall) (*extension.ToolCallResult, error) {
			t.Error("later handlers are called")
			return nil, nil
		})
	})
	if _, err := s.ToolCall(t.Context(), &extension.ToolCall{ToolName: "bash"}); err == nil || err.Error() != "guard is broken" || s.String() != "" {
		t.Errorf("%v; %s", err, s)
	}
	if _, err := s.ToolCall(t.Context(), &extension.ToolCall{ToolName: "panic"}); err == nil || s.String() != "<a> tool_call failed: panic: guard is gone" {
		t.Errorf("%v; %s", err, s)
	}
}

func TestToolResultPatchesAreChained(t *testing.T) {
	var got recorder
	isError := true
	s := load(t, nil, func(api *api) {
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolResult) (*extension.ToolResultPatch, error) {
			return &extension.ToolResultPatch{Content: ai.TextContent(e.Content.Text() + " more")}, nil
		})
	}, func(api *api) {
		_, _ = api.OnJSON("tool_result", func(_ context.Context, _ *x, e *extension.Envelope) (extension.Reply, error) {
			got.add("%s", e.Event.(*extension.ToolResult).Content.Text())
			return extension.Reply{Result: jsontext.Value(`{"details":{"by":"b"}}`)}, nil
		})
		extension.On(api, func(_ context.Context, _ *x, e *extension.ToolResult) (*extension.ToolResultPatch, error) {
			got.add("%s", e.Details)
			return &extension.ToolResultPatch{IsError: &isError}, nil
		})
	})
	patch := s.ToolResult(t.Context(), &extension.ToolResult{Content: ai.TextContent("text")})
	if patch.Content.Text() != "text more" || string(patch.Details) != `{"by":"b"}` || !*patch.IsError || got.String() != `text more, {"by":"b"}` {
		t.Errorf("%+v; %s", patch, got.String())
	}
}

// What a handler of another language returns is checked.
func TestAResultOfTheWrongForm(t *testing.T) {
	reply := func(result string) func(*api) {
		return func(api *api) {
			_, _ = api.OnJSON("input", func(context.Context, *x, *extension.Envelope) (extension.Reply, error) {
				return extension.Reply{Result: jsontext.Value(result)}, nil
			})
		}
	}
	s := load(t, nil, reply(`"yes"`), reply(`null`), reply(`{"action":"transform","text":"b"}`), reply(`{"action":"swallow"}`))
	res := s.Input(t.Context(), &extension.Input{Text: "a"})
	if res.Action != "continue" || res.Text != "b" || strings.Count(s.String(), "failed") != 2 {
		t.Errorf("%+v; %s", res, s)
	}
}

// Half a character, which is what JavaScript makes of one that it cuts, becomes U+FFFD.
func TestHalfCharacters(t *testing.T) {
	answer := func(event string, reply extension.Reply) func(*api) {
		return func(api *api) {
			_, _ = api.OnJSON(event, func(context.Context, *x, *extension.Envelope) (extension.Reply, error) { return reply, nil })
		}
	}
	s := load(t, nil,
		answer("tool_result", extension.Reply{Result: jsontext.Value(`{"content":[{"type":"text","text":"a\ud83d"}],"details":{"b":"\ude00"}}`)}),
		answer("message_end", extension.Reply{Result: jsontext.Value(`{"message":{"role":"user","content":"c\ud83d","timestamp":1}}`)}),
		answer("tool_call", extension.Reply{Mutated: jsontext.Value(`{"command":"d\ud83d"}`)}))
	patch := s.ToolResult(t.Context(), &extension.ToolResult{Input: jsontext.Value(`{}`)})
	message := s.MessageEnd(t.Context(), agent.User("x"))
	call := &extension.ToolCall{Input: jsontext.Value(`{}`)}
	if _, err := s.ToolCall(t.Context(), call); err != nil || s.String() != "" {
		t.Fatalf("%v; %s", err, s)
	}
	user, _ := message.(*ai.UserMessage)
	if got := patch.Content.Text() + string(patch.Details) + user.Content.Text() + string(call.Input); got != "a\uFFFD{\"b\":\"\uFFFD\"}c\uFFFD{\"command\":\"d\uFFFD\"}" {
		t.Errorf("%q", got)
	}
}

func TestInputIsChained(t *testing.T) {
	var got recorder
	handler := func(name string, fn func(text string) *extension.InputResult) func(*api) {
		return func(api *api) {
			extension.On(api, func(_ context.Context, _ *x, e *extension.Input) (*extension.InputResult, error) {
				got.add("%s %s", name, e.Text)
				return fn(e.Text), nil
			})
		}
	}
	s := load(t, nil,
		handler("a", func(text string) *extension.InputResult {
			if text == "ping" {
				return &extension.InputResult{Action: "handled"}
			}
			return &extension.InputResult{Action: "transform", Text: text + "!"}
		}),
		handler("b", func(string) *extension.InputResult { return nil }))
	if res := s.Input(t.Context(), &extension.Input{Text: "hello"}); res.Action != "continue" || res.Text != "hello!" {
		t.Errorf("%+v", res)
	}
	if res := s.Input(t.Context(), &extension.Input{Text: "ping"}); res.Action != "handled" {
		t.Errorf("%+v", res)
	}
	if got.String() != "a hello, b hello!, a ping" {
		t.Error(got.String())
	}
}

// An input is not transformed into nothing, which models refuse.
func TestAnInputIsNotTransformedIntoNothing(t *testing.T) {
	s := load(t, nil, func(api *api) {
		_, _ = api.OnJSON("input", func(context.Context, *x, *extension.Envelope) (extension.Reply, error) {
			return extension.Reply{Result: jsontext.Value(`{"action":"transform"}`)}, nil
		})
	})
	if res := s.Input(t.Context(), &extension.Input{Text: "a"}); res.Text != "a" || !strings.Contains(s.String(), "use handled") {
		t.Errorf("%+v; %s", res, s)
	}
	image := []*ai.Image{{Data: "AAAA", MIMEType: "image/png"}}
	if res := s.Input(t.Context(), &extension.Input{Text: "a", Images: image}); res.Text != "" || len(res.Images) != 1 {
		t.Errorf("%+v; %s", res, s)
	}
}

func TestUserBashFailsClosed(t *testing.T) {
	s := load(t, nil, func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.UserBash) (*extension.UserBashResult, error) {
			return nil, errors.New("the container is gone")
		})
	})
	if _, err := s.UserBash(t.Context(), &extension.UserBash{Command: "ls"}); err == nil || !strings.Contains(err.Error(), "<a>") {
		t.Errorf("the command is run where it should not be, or nobody knows who keeps it from that: %v", err)
	}
}

func TestAnswersEndTheChain(t *testing.T) {
	yes := func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.ProjectTrust) (*extension.ProjectTrustResult, error) {
			return &extension.ProjectTrustResult{Trusted: "yes"}, nil
		})
		extension.On(api, func(context.Context, *x, *extension.SessionBeforeSwitch) (*extension.SwitchResult, error) {
			return &extension.SwitchResult{Cancel: true}, nil
		})
		extension.On(api, func(context.Context, *x, *extension.SessionBeforeCompact) (*extension.CompactResult, error) {
			return &extension.CompactResult{Cancel: true}, nil
		})
	}
	never := func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.ProjectTrust) (*extension.ProjectTrustResult, error) {
			t.Error("asked about trust")
			return nil, nil
		})
		extension.On(api, func(context.Context, *x, *extension.SessionBeforeSwitch) (*extension.SwitchResult, error) {
			t.Error("asked about the switch")
			return nil, nil
		})
		extension.On(api, func(context.Context, *x, *extension.SessionBeforeCompact) (*extension.CompactResult, error) {
			t.Error("asked about the compaction")
			return nil, nil
		})
	}
	s := load(t, nil, func(api *api) {
		extension.On(api, func(context.Context, *x, *extension.ProjectTrust) (*extension.ProjectTrustResult, error) {
			return &extension.ProjectTrustResult{Trusted: "undecided"}, nil
		})
	}, yes, never)
	if answer := s.Trust(t.Context(), "/"); answer == nil || answer.Trusted != "yes" {
		t.Errorf("%+v", answer)
	}
	if !s.BeforeSwitch(t.Context(), &extension.SessionBeforeSwitch{}) {
		t.Error("the switch goes on")
	}
	if answer := s.BeforeCompact(t.Context(), &extension.SessionBeforeCompact{}); answer == nil || !answer.Cancel {
		t.Errorf("%+v", answer)
	}
}
