package mistral_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
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

// script is a transport that answers every request with the same stream.
type script string

func (s script) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// sse makes a stream of these chunks.
func sse(chunks ...string) string {
	var b strings.Builder
	for _, chunk := range chunks {
		fmt.Fprintf(&b, "data: %s\n\n", chunk)
	}
	return b.String()
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
	s := mistral.Stream(t.Context(), &ai.Request{Model: model(), Options: ai.Options{Client: &http.Client{Transport: script(stream)}}})
	aitest.CheckStream(t, s)
	return s.Result()
}

// listen serves one handler on loopback.
func listen(t testing.TB, handle http.HandlerFunc) (*ai.Model, *http.Client) {
	t.Helper()
	address, client := replay.Listen(t, handle)
	m := model()
	m.BaseURL = address
	return m, client
}

// holding serves this stream and then nothing, until the client goes.
func holding(t testing.TB, stream string) (*ai.Model, *http.Client) {
	t.Helper()
	address, client := replay.Holding(t, stream)
	m := model()
	m.BaseURL = address
	return m, client
}
