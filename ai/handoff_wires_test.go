package ai_test

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/mistral"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/responses"
)

// signed is a token of a provider, in base64 since Google insists on it.
const signed = "U0lHTkFUVVJF"

// handoffWire is one wire in a conversation that is handed from one to another.
type handoffWire struct {
	model *ai.Model
	// reply thinks "Deep thought." with the token [signed], says "Calling." and calls
	// echo({"a":1}) with an id that other wires do not take.
	reply string
	// ids matches the ids that the wire takes from others.
	ids *regexp.Regexp
	// pair returns the ids of the call and of its result in a request.
	pair func(body any) (call, result any)
	// pieces lists what a request says, in its order.
	pieces func(body any) []said
	key    string // of requests
	// plain says that thinking is not signed on this wire.
	plain bool
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
		reply: `data: {"choices":[{"delta":{"reasoning":"Deep thought.","reasoning_details":[{"type":"reasoning.text","text":"Deep thought.","signature":"` + signed + `","index":0}]}}]}

data: {"choices":[{"delta":{"content":"Calling.","tool_calls":[{"index":0,"id":"functions.echo:0` + strings.Repeat("x", 60) + `","function":{"name":"echo","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`,
		ids:    regexp.MustCompile(`^[^|]{1,40}$`),
		pieces: ofCompletions,
		pair: func(body any) (any, any) {
			messages := at(body, "messages")
			return find(messages, "tool_calls", 0, "id"), find(messages, "tool_call_id")
		},
	},
	{
		model: &ai.Model{ID: "claude", API: anthropic.API, Provider: "anthropic", BaseURL: "http://lab"},
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
		ids:    regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`),
		pieces: ofAnthropic,
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
		reply: `data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Deep thought."}],"encrypted_content":"` + signed + `"}}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"Calling."}]}}

data: {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_` + strings.Repeat("1", 61) + `","call_id":"call_` + strings.Repeat("1", 59) + `","name":"echo","arguments":"{\"a\":1}"}}

data: {"type":"response.completed","response":{"status":"completed"}}

`,
		ids:    regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`),
		pieces: ofResponses,
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
		reply: `data: {"candidates":[{"content":{"parts":[{"text":"Deep thought.","thought":true,"thoughtSignature":"` + signed + `"},{"text":"Calling."}]}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"f 1","name":"echo","args":{"a":1}},"thoughtSignature":"` + signed + `"}]},"finishReason":"STOP"}]}

`,
		ids:    regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`),
		pieces: ofGoogle,
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
	{
		model: &ai.Model{ID: "anthropic.claude-opus-4-5-20251101-v1:0", API: bedrock.API, Provider: "amazon-bedrock", BaseURL: "http://lab"},
		key:   "bedrock-key",
		reply: frames(
			"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Deep thought."}}}`,
			"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"`+signed+`"}}}`,
			"contentBlockStop", `{"contentBlockIndex":0}`,
			"contentBlockDelta", `{"contentBlockIndex":1,"delta":{"text":"Calling."}}`,
			"contentBlockStop", `{"contentBlockIndex":1}`,
			"contentBlockStart", `{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"tooluse.1:x","name":"echo"}}}`,
			"contentBlockDelta", `{"contentBlockIndex":2,"delta":{"toolUse":{"input":"{\"a\":1}"}}}`,
			"messageStop", `{"stopReason":"tool_use"}`, "metadata", `{}`),
		ids:    regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`),
		pieces: ofBedrock,
		pair: func(body any) (call, result any) {
			for _, m := range at(body, "messages").([]any) {
				if id := find(at(m, "content"), "toolUse", "toolUseId"); id != nil {
					call = id
				}
				if id := find(at(m, "content"), "toolResult", "toolUseId"); id != nil {
					result = id
				}
			}
			return call, result
		},
	},
	{
		model: &ai.Model{ID: "mistral-small-latest", API: mistral.API, Provider: "mistral", BaseURL: "http://lab"},
		plain: true,
		reply: `data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Deep thought."}]},{"type":"text","text":"Calling."}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"id":"abcdefghi","function":{"name":"echo","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`,
		ids:    regexp.MustCompile(`^[A-Za-z0-9]{9}$`),
		pieces: ofCompletions,
		pair: func(body any) (any, any) {
			messages := at(body, "messages")
			return find(messages, "tool_calls", 0, "id"), find(messages, "tool_call_id")
		},
	},
}

// The variations of a wire: the same bytes, another service.
func init() {
	for _, w := range handoffWires {
		switch w.model.API {
		case responses.API:
			claims := base64.RawURLEncoding.EncodeToString([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"a"}}`))
			handoffWires = append(handoffWires, w.variation(responses.APIAzure, "azure-openai-responses", "azure-key"),
				w.variation(responses.APICodex, "openai-codex", "h."+claims+".s"))
		case google.API:
			handoffWires = append(handoffWires, w.variation(google.APIVertex, "google-vertex", "vertex-key"))
		}
	}
}

func (w *handoffWire) variation(api, provider, key string) *handoffWire {
	other, model := *w, *w.model
	model.API, model.Provider = api, provider
	other.model, other.key = &model, key
	return &other
}

// frames encodes events of Bedrock, given as their types and payloads.
func frames(list ...string) string {
	var out bytes.Buffer
	for i := 0; i < len(list); i += 2 {
		var m eventstream.Message
		m.Headers.Set(":message-type", eventstream.StringValue("event"))
		m.Headers.Set(":event-type", eventstream.StringValue(list[i]))
		m.Payload = []byte(list[i+1])
		if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
			panic(err)
		}
	}
	return out.String()
}
