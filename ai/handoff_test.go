package ai_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	jsonx "github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/responses"
)

// signed is a token of a provider, in base64 since Google insists on it.
const signed = "U0lHTkFUVVJF"

// handoffWire is one wire in a conversation that is handed from one to another.
type handoffWire struct {
	model *ai.Model
	ask   ai.StreamFunc
	// reply thinks "Deep thought." with the token [signed], says "Calling." and calls
	// echo({"a":1}) with an id that other wires do not take.
	reply string
	// ids matches the ids that the wire takes from others.
	ids *regexp.Regexp
	// pair returns the ids of the call and of its result in a request.
	pair func(body any) (call, result any)
}

// at follows keys of objects and indices of arrays.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

// find returns the value at path in the first element of a list that has one.
func find(list any, path ...any) any {
	elements, _ := list.([]any)
	for _, e := range elements {
		if v := at(e, path...); v != nil {
			return v
		}
	}
	return nil
}

var handoffWires = []*handoffWire{
	{
		model: &ai.Model{ID: "kimi", API: openai.APICompletions, Provider: "lab", BaseURL: "http://lab"},
		ask:   openai.Completions,
		reply: `data: {"choices":[{"delta":{"reasoning":"Deep thought.","reasoning_details":[{"type":"reasoning.text","text":"Deep thought.","signature":"` + signed + `","index":0}]}}]}

data: {"choices":[{"delta":{"content":"Calling.","tool_calls":[{"index":0,"id":"functions.echo:0` + strings.Repeat("x", 60) + `","function":{"name":"echo","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`,
		ids: regexp.MustCompile(`^[^|]{1,40}$`),
		pair: func(body any) (any, any) {
			messages := at(body, "messages")
			return find(messages, "tool_calls", 0, "id"), find(messages, "tool_call_id")
		},
	},
	{
		model: &ai.Model{ID: "claude", API: anthropic.API, Provider: "anthropic", BaseURL: "http://lab"},
		ask:   anthropic.Messages,
		reply: `data: {"type":"message_start","message":{}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Deep thought."}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"` + signed + `"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"text"}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Calling."}}

data: {"type":"content_block_stop","index":1}

data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu.1:x","name":"echo"}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}

data: {"type":"content_block_stop","index":2}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

`,
		ids: regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`),
		pair: func(body any) (call, result any) {
			for _, m := range at(body, "messages").([]any) {
				if id := find(at(m, "content"), "id"); id != nil {
					call = id
				}
				if id := find(at(m, "content"), "tool_use_id"); id != nil {
					result = id
				}
			}
			return call, result
		},
	},
	{
		model: &ai.Model{ID: "gpt", API: responses.API, Provider: "openai", BaseURL: "http://lab"},
		ask:   responses.Stream,
		reply: `data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Deep thought."}],"encrypted_content":"` + signed + `"}}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"Calling."}]}}

data: {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_` + strings.Repeat("1", 61) + `","call_id":"call_` + strings.Repeat("1", 59) + `","name":"echo","arguments":"{\"a\":1}"}}

data: {"type":"response.completed","response":{"status":"completed"}}

`,
		ids: regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`),
		pair: func(body any) (call, result any) {
			for _, item := range at(body, "input").([]any) {
				switch at(item, "type") {
				case "function_call":
					call = at(item, "call_id")
				case "function_call_output":
					result = at(item, "call_id")
				}
			}
			return call, result
		},
	},
	{
		model: &ai.Model{ID: "gemini-3-pro", API: google.API, Provider: "google", BaseURL: "http://lab"},
		ask:   google.Stream,
		reply: `data: {"candidates":[{"content":{"parts":[{"text":"Deep thought.","thought":true,"thoughtSignature":"` + signed + `"},{"text":"Calling."}]}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"f 1","name":"echo","args":{"a":1}},"thoughtSignature":"` + signed + `"}]},"finishReason":"STOP"}]}

`,
		ids: regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`),
		pair: func(body any) (call, result any) {
			for _, turn := range at(body, "contents").([]any) {
				if id := find(at(turn, "parts"), "functionCall", "id"); id != nil {
					call = id
				}
				if id := find(at(turn, "parts"), "functionResponse", "id"); id != nil {
					result = id
				}
			}
			return call, result
		},
	},
}

// replying answers with a stream and keeps the request.
type replying struct {
	stream string
	body   string
}

func (r *replying) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.body = string(body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(r.stream))}, nil
}

// converse sends a conversation and returns the request's body and the answer.
func (w *handoffWire) converse(t *testing.T, m *ai.Model, messages []ai.Message) (string, *ai.AssistantMessage) {
	t.Helper()
	r := &replying{stream: w.reply}
	model := *m
	model.Reasoning, model.MaxTokens, model.Input = true, 30000, []string{ai.InputText}
	answer, err := ai.Complete(t.Context(), w.ask, &ai.Request{
		Model: &model, Context: ai.Context{Messages: messages},
		Options: ai.Options{Thinking: ai.ThinkingLow, Client: &http.Client{Transport: r}},
	})
	if err != nil || answer.StopReason != ai.StopToolUse {
		t.Fatalf("%s: %+v, %v", m.API, answer, err)
	}
	return r.body, answer
}

// TestHandoff hands a conversation with thinking, a signature and a call from each wire to
// each other one, to the same model, and to another model of the same wire.
func TestHandoff(t *testing.T) {
	for _, from := range handoffWires {
		_, answer := from.converse(t, from.model, []ai.Message{user(text("go"))})
		call := answer.Content.ToolCalls()[0]
		if len(answer.Content) != 3 || string(call.Arguments) != `{"a":1}` {
			t.Fatalf("%s: the answer is %s", from.model.API, blocks(answer.Content))
		}
		messages := []ai.Message{
			user(text("go")), answer, &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: "echo", Content: ai.TextContent("echoed")}, user(text("next")),
		}
		for _, to := range handoffWires {
			t.Run(from.model.API+" to "+to.model.API, func(t *testing.T) {
				body, _ := to.converse(t, to.model, messages)
				to.check(t, body, from == to)
			})
		}
		t.Run(from.model.API+" to a sibling", func(t *testing.T) {
			sibling := *from.model
			sibling.ID += "-2"
			body, _ := from.converse(t, &sibling, messages)
			from.check(t, body, false)
		})
	}
}

// check looks at a request in which the conversation was handed over; own says that it
// stayed with the model that led it.
func (w *handoffWire) check(t *testing.T, body string, own bool) {
	t.Helper()
	for _, want := range []string{"Deep thought.", "Calling.", "echoed", `"next"`, "echo"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in %s", want, body)
		}
	}
	if strings.Contains(body, signed) != own {
		t.Errorf("the signature is sent: %t; the model is its own: %t; %s", !own, own, body)
	}
	if excused := strings.Contains(body, "skip_thought_signature_validator"); excused != (w.model.API == google.API && !own) {
		t.Errorf("a stand-in for the signature is sent: %t", excused)
	}
	var tree any
	if err := jsonx.Unmarshal([]byte(body), &tree); err != nil {
		t.Fatal(err)
	}
	call, result := w.pair(tree)
	id, _ := call.(string)
	if id == "" || call != result {
		t.Errorf("call %v, result %v in %s", call, result, body)
	}
	if !own && !w.ids.MatchString(id) {
		t.Errorf("the wire does not take the id %q", id)
	}
}

// A conversation that goes to another model and comes back is sent as if it had never
// left, but for what was said meanwhile.
func TestHandoff_ThereAndBack(t *testing.T) {
	for _, home := range handoffWires {
		_, first := home.converse(t, home.model, []ai.Message{user(text("go"))})
		call := first.Content.ToolCalls()[0]
		start := []ai.Message{user(text("go")), first, &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: "echo", Content: ai.TextContent("echoed")}}
		for _, away := range handoffWires {
			if away == home {
				continue
			}
			_, second := away.converse(t, away.model, start)
			other := second.Content.ToolCalls()[0]
			messages := append(start, second, &ai.ToolResultMessage{ToolCallID: other.ID, ToolName: "echo", Content: ai.TextContent("again")})
			body, _ := home.converse(t, home.model, messages)
			if n := strings.Count(body, "Deep thought."); n != 2 {
				t.Errorf("%s by way of %s: %d thoughts in %s", home.model.API, away.model.API, n, body)
			}
			if !strings.Contains(body, signed) || !strings.Contains(body, "again") {
				t.Errorf("%s by way of %s: %s", home.model.API, away.model.API, body)
			}
		}
	}
}
