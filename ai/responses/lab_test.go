package responses_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/responses"
)

const completed = `{"type":"response.completed","response":{"id":"r","status":"completed","usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}}`

func added(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":%s}`, index, item)
}

func done(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, index, item)
}

func textDelta(index int, text string) string {
	return fmt.Sprintf(`{"type":"response.output_text.delta","output_index":%d,"delta":%q}`, index, text)
}

func argsDelta(index int, text string) string {
	return fmt.Sprintf(`{"type":"response.function_call_arguments.delta","output_index":%d,"delta":%q}`, index, text)
}

func model() *ai.Model {
	return &ai.Model{
		ID: "m", API: responses.API, Provider: "lab", BaseURL: "http://lab/v1", Input: []string{ai.InputText, ai.InputImage},
		ContextWindow: 100000, MaxTokens: 4096, Cost: ai.Pricing{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 1.25},
	}
}

// answer returns the events and the final message that come of a stream.
func answer(t testing.TB, stream string) ([]ai.StreamEvent, *ai.AssistantMessage) {
	t.Helper()
	req := &ai.Request{Model: model(), Options: ai.Options{Client: (&replay.Canned{Stream: stream}).Client()}}
	s := responses.Stream(t.Context(), req)
	events := replay.Collect(t, s)
	return events, s.Result()
}

// sent returns what is sent for a request.
func sent(t testing.TB, req *ai.Request) *replay.Canned {
	t.Helper()
	c := &replay.Canned{Stream: replay.SSE(completed)}
	req.Options.Client = c.Client()
	if req.Model == nil {
		req.Model = model()
	}
	ask := responses.Stream
	if req.Model.API == responses.APIAzure {
		ask = responses.Azure{}.Stream
	}
	m, err := ai.Complete(t.Context(), ask, req)
	if err != nil || m.Failed() {
		t.Fatalf("%v %v", err, m)
	}
	return c
}

// input returns the items that a conversation is sent as, one JSON object a line.
func input(t testing.TB, m *ai.Model, messages ...ai.Message) string {
	t.Helper()
	c := sent(t, &ai.Request{Model: m, Context: ai.Context{Messages: messages}})
	return replay.Lines(t, c.Body["input"])
}

// listen serves one handler on loopback.
func listen(t testing.TB, handle http.HandlerFunc) (*ai.Model, *http.Client) {
	t.Helper()
	m := model()
	return m, replay.Serve(t, m, "/v1", handle)
}

func user(text string) ai.Message { return &ai.UserMessage{Content: ai.TextContent(text)} }

func by(m *ai.Model, blocks ...ai.Block) ai.Message {
	return &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopEnd, Content: blocks}
}

func call(id, args string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: "f", Arguments: jsontext.Value(args)}
}

func result(id, text string) ai.Message {
	return &ai.ToolResultMessage{ToolCallID: id, ToolName: "f", Content: ai.TextContent(text)}
}
