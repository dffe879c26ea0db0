package mistral_test

import (
	"net/http"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/mistral"
)

func model() *ai.Model {
	return &ai.Model{
		ID: "mistral-large-latest", API: mistral.API, Provider: "mistral", BaseURL: "http://lab", Input: []string{ai.InputText, ai.InputImage},
		ContextWindow: 200000, MaxTokens: 64000, Cost: ai.Pricing{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 1.25},
	}
}

// delta makes a chunk with this delta.
func delta(members string) string {
	return `{"id":"r1","object":"chat.completion.chunk","model":"mistral-large-latest","choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func finish(reason string) string {
	return `{"id":"r1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"` + reason + `"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`
}

// answer returns the final message that comes of a stream, which is checked.
func answer(t testing.TB, stream string) *ai.AssistantMessage {
	t.Helper()
	s := mistral.Stream(t.Context(), &ai.Request{Model: model(), Options: ai.Options{Client: (&replay.Canned{Stream: stream}).Client()}})
	aitest.CheckStream(t, s)
	return s.Result()
}

// listen serves one handler on loopback.
func listen(t testing.TB, handle http.HandlerFunc) (*ai.Model, *http.Client) {
	t.Helper()
	m := model()
	return m, replay.Serve(t, m, "", handle)
}
