package bedrock_test

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

func model() *ai.Model {
	return &ai.Model{
		ID: "anthropic.claude-sonnet-4-5-20250929-v1:0", API: bedrock.API, Provider: "amazon-bedrock", BaseURL: "http://lab",
		Input: []string{ai.InputText, ai.InputImage}, Reasoning: true, ContextWindow: 200000, MaxTokens: 64000,
		Cost: ai.Pricing{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 1.25},
	}
}

// clean keeps the machine's own settings out of a test.
func clean(t *testing.T) {
	for _, name := range []string{
		"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AWS_BEARER_TOKEN_BEDROCK", "AWS_BEDROCK_SKIP_AUTH", "AWS_BEDROCK_FORCE_CACHE", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "credentials"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

// listen serves one handler on loopback.
func listen(t testing.TB, handle http.HandlerFunc) (*ai.Model, *http.Client) {
	t.Helper()
	m := model()
	return m, replay.Serve(t, m, "", handle)
}

// ask asks with a key and returns the answer, which keeps the contract.
func ask(t testing.TB, req *ai.Request) *ai.AssistantMessage {
	t.Helper()
	var client bedrock.Client
	if req.Options.APIKey == "" {
		req.Options.APIKey = "bedrock-key"
	}
	stream := client.Stream(t.Context(), req)
	aitest.CheckStream(t, stream)
	return stream.Result()
}

// answer returns what comes of these messages.
func answer(t testing.TB, frames ...[]byte) *ai.AssistantMessage {
	t.Helper()
	c := &replay.Canned{Stream: string(bytes.Join(frames, nil))}
	return ask(t, &ai.Request{Model: model(), Options: ai.Options{Client: c.Client()}})
}

func textPiece(t fataler, index int, text string) []byte {
	t.Helper()
	return frame(t, "contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{"text":%q}}`, index, text))
}

func callStart(t fataler, index int, id string) []byte {
	t.Helper()
	return frame(t, "contentBlockStart", fmt.Sprintf(`{"contentBlockIndex":%d,"start":{"toolUse":{"toolUseId":%q,"name":"f"}}}`, index, id))
}

func callPiece(t fataler, index int, input string) []byte {
	t.Helper()
	return frame(t, "contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{"toolUse":{"input":%q}}}`, index, input))
}

func blockStop(t fataler, index int) []byte {
	t.Helper()
	return frame(t, "contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d}`, index))
}

// end is the end of an answer, with its usage.
func end(t fataler, reason string) []byte {
	t.Helper()
	return append(frame(t, "messageStop", fmt.Sprintf(`{"stopReason":%q}`, reason)),
		frame(t, "metadata", `{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"metrics":{"latencyMs":1}}`)...)
}

// fataler is what of a test the encoders need; an example has no test.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// exampleT is that of an example.
type exampleT struct{}

func (exampleT) Helper() {}

func (exampleT) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
