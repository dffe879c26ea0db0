package ai_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	jsonx "github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/mistral"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/responses"
	"github.com/rondo-agent/rondo/ai/wires"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// piecewise is an answer whose thinking, text and arguments come in pieces, which are JSON strings.
type piecewise func(thinking, text, arguments []string) string

// each writes a piece of JSON for each piece of text.
func each(pieces []string, form string) string {
	var b strings.Builder
	for _, p := range pieces {
		fmt.Fprintf(&b, form, p)
	}
	return b.String()
}

var piecewiseWires = map[string]piecewise{
	openai.APICompletions: func(thinking, text, arguments []string) string {
		return each(thinking, `data: {"choices":[{"delta":{"reasoning_content":%s}}]}`+"\n\n") +
			each(text, `data: {"choices":[{"delta":{"content":%s}}]}`+"\n\n") +
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"echo","arguments":""}}]}}]}` + "\n\n" +
			each(arguments, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":%s}}]}}]}`+"\n\n") +
			`data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	},
	anthropic.API: func(thinking, text, arguments []string) string {
		return `data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}` + "\n\n" +
			each(thinking, `data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":%s}}`+"\n\n") +
			`data: {"type":"content_block_start","index":1,"content_block":{"type":"text"}}` + "\n\n" +
			each(text, `data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":%s}}`+"\n\n") +
			`data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"echo"}}` + "\n\n" +
			each(arguments, `data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":%s}}`+"\n\n") +
			`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	},
	responses.API: func(thinking, text, arguments []string) string {
		return `data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"r"}}` + "\n\n" +
			each(thinking, `data: {"type":"response.reasoning_summary_text.delta","output_index":0,"delta":%s}`+"\n\n") +
			`data: {"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"m"}}` + "\n\n" +
			each(text, `data: {"type":"response.output_text.delta","output_index":1,"delta":%s}`+"\n\n") +
			`data: {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"f","call_id":"c","name":"echo"}}` + "\n\n" +
			each(arguments, `data: {"type":"response.function_call_arguments.delta","output_index":2,"delta":%s}`+"\n\n") +
			`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n"
	},
	google.API: func(thinking, text, arguments []string) string { // arguments come as a whole
		return each(thinking, `data: {"candidates":[{"content":{"parts":[{"thought":true,"text":%s}]}}]}`+"\n\n") +
			each(text, `data: {"candidates":[{"content":{"parts":[{"text":%s}]}}]}`+"\n\n") +
			`data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"echo","args":` + inOne(arguments) + `}}]},"finishReason":"STOP"}]}` + "\n\n"
	},
	mistral.API: func(thinking, text, arguments []string) string {
		return each(thinking, `data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":%s}]}]}}]}`+"\n\n") +
			each(text, `data: {"choices":[{"delta":{"content":%s}}]}`+"\n\n") +
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"echo","arguments":""}}]}}]}` + "\n\n" +
			each(arguments, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":%s}}]}}]}`+"\n\n") +
			`data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	},
	bedrock.API: func(thinking, text, arguments []string) string {
		var list []string
		delta := func(index int, form string, pieces []string) {
			for _, p := range pieces {
				list = append(list, "contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":`+form+`}`, index, p))
			}
			list = append(list, "contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d}`, index))
		}
		delta(0, `{"reasoningContent":{"text":%s}}`, thinking)
		delta(1, `{"text":%s}`, text)
		list = append(list, "contentBlockStart", `{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"c","name":"echo"}}}`)
		delta(2, `{"toolUse":{"input":%s}}`, arguments)
		return frames(append(list, "messageStop", `{"stopReason":"tool_use"}`, "metadata", `{}`)...)
	},
}

// inOne joins JSON strings that hold JSON, and unescapes what one level of strings escapes.
func inOne(pieces []string) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p[1 : len(p)-1])
	}
	return strings.ReplaceAll(b.String(), `\"`, `"`)
}

// A server that counts in UTF-16 cuts characters in two.
func TestCharactersThatAreCutInTwoAreJoined(t *testing.T) {
	tests := []struct {
		name   string
		pieces []string
		want   string
	}{
		{"cut between two deltas", []string{`hi \ud83d`, `\ude00!`}, "hi 😀!"},
		{"each half alone", []string{`hi `, `\ud83d`, `\ude00`, `!`}, "hi 😀!"},
		{"two in a row", []string{`\ud83d`, `\ude00\ud83c`, `\udf89`}, "😀🎉"},
		{"the second half never comes", []string{`hi \ud83d`, `!`}, "hi \uFFFD!"},
		{"nothing follows", []string{`hi`, `\ud83d`}, "hi\uFFFD"},
		{"no first half", []string{`hi `, `\ude00!`}, "hi \uFFFD!"},
	}
	for api, answer := range piecewiseWires {
		for _, test := range tests {
			t.Run(api+"/"+test.name, func(t *testing.T) {
				quoted := make([]string, len(test.pieces))
				for i, p := range test.pieces {
					quoted[i] = `"` + p + `"`
				}
				arguments := slices.Concat([]string{`"{\"a\":\""`}, quoted, []string{`"\"}"`})
				checkPieces(t, api, answer(quoted, quoted, arguments), test.want)
			})
		}
	}
}

// checkPieces reads an answer whose blocks hold want and checks that the deltas add up to them.
func checkPieces(t *testing.T, api, stream, want string) {
	t.Helper()
	key := ""
	if api == bedrock.API {
		key = "bedrock-key"
	}
	req := &ai.Request{
		Model:   &ai.Model{ID: "m", API: api, Provider: "lab", BaseURL: "http://lab", Reasoning: true, Input: []string{ai.InputText}},
		Context: ai.Context{Messages: []ai.Message{user(text("go"))}},
		Options: ai.Options{APIKey: key, Client: &http.Client{Transport: &replying{stream: stream}}},
	}
	added := make(map[int]string)
	var final *ai.AssistantMessage
	for ev, err := range wires.New().Stream(t.Context(), req).Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch ev := ev.(type) {
		case *ai.ThinkingDelta:
			added[ev.ContentIndex] += ev.Delta
		case *ai.TextDelta:
			added[ev.ContentIndex] += ev.Delta
		case *ai.ToolCallDelta:
			added[ev.ContentIndex] += ev.Delta
		case *ai.Done:
			final = ev.Message
		case *ai.Error:
			t.Fatal(ev.Message.ErrorMessage)
		default:
		}
	}
	if final == nil || len(final.Content) != 3 {
		t.Fatalf("got %+v", final)
	}
	var called struct{ A string }
	thinking, said, call := final.Content[0].(*ai.Thinking), final.Content[1].(*ai.Text), final.Content[2].(*ai.ToolCall)
	if err := jsonx.Unmarshal(call.Arguments, &called, lenient.Options, jsonx.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if thinking.Thinking != want || said.Text != want || called.A != want {
		t.Errorf("thinking %q, text %q, arguments %s; want %q", thinking.Thinking, said.Text, call.Arguments, want)
	}
	if added[0] != want || added[1] != want || added[2] != `{"a":"`+want+`"}` && api != google.API {
		t.Errorf("the deltas add up to %v", added)
	}
}
