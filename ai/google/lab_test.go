package google_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

// parts makes a chunk of these parts.
func parts(list ...string) string {
	return `{"candidates":[{"content":{"parts":[` + strings.Join(list, ",") + `],"role":"model"},"index":0}],"responseId":"r"}`
}

func finish(reason string) string {
	return `{"candidates":[{"finishReason":"` + reason + `","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15}}`
}

func model(id string) *ai.Model {
	return &ai.Model{
		ID: id, API: google.API, Provider: "google", BaseURL: "http://lab/v1beta", Input: []string{ai.InputText, ai.InputImage},
		ContextWindow: 100000, MaxTokens: 4096, Cost: ai.Pricing{Input: 1, Output: 2, CacheRead: 0.5},
	}
}

// answer returns the final message that comes of a stream, which is checked.
func answer(t testing.TB, stream string) *ai.AssistantMessage {
	t.Helper()
	req := &ai.Request{Model: model("gemini-2.5-pro"), Options: ai.Options{Client: (&replay.Canned{Stream: stream}).Client()}}
	s := google.Stream(t.Context(), req)
	aitest.CheckStream(t, s)
	return s.Result()
}

// sent returns what is sent for a request.
func sent(t testing.TB, req *ai.Request) *replay.Canned {
	t.Helper()
	c := &replay.Canned{Stream: replay.SSE(finish("STOP"))}
	req.Options.Client = c.Client()
	m, err := ai.Complete(t.Context(), google.Stream, req)
	if err != nil || m.Failed() {
		t.Fatalf("%v %v", err, m)
	}
	return c
}

// turns returns what a conversation is sent as, one JSON object a line.
func turns(t testing.TB, m *ai.Model, messages ...ai.Message) string {
	t.Helper()
	c := sent(t, &ai.Request{Model: m, Context: ai.Context{Messages: messages}})
	return replay.Lines(t, c.Body["contents"])
}

// listen serves one handler on loopback.
func listen(t testing.TB, handle http.HandlerFunc) (*ai.Model, *http.Client) {
	t.Helper()
	m := model("gemini-2.5-pro")
	return m, replay.Serve(t, m, "/v1beta", handle)
}

func user(text string) ai.Message { return &ai.UserMessage{Content: ai.TextContent(text)} }

func by(m *ai.Model, blocks ...ai.Block) ai.Message {
	return &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopEnd, Content: blocks}
}

func call(id, signature string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: "f", Arguments: jsontext.Value("{}"), ThoughtSignature: signature}
}

func result(id, text string) ai.Message {
	return &ai.ToolResultMessage{ToolCallID: id, ToolName: "f", Content: ai.TextContent(text)}
}
