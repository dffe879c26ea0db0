package relay_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
)

func appendMessage(t testing.TB, m ai.Message) []byte {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// answer is a transport that gives one body.
type answer string

func (a answer) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

func stream(ctx context.Context, body string) *ai.Stream {
	return relay.New("http://relay", token)(ctx, &ai.Request{
		Model: clientModel, Options: ai.Options{Client: &http.Client{Transport: answer(body)}},
	})
}

func lines(events ...string) string {
	var b strings.Builder
	for _, ev := range events {
		b.WriteString("data: " + ev + "\n\n")
	}
	return b.String()
}

// TestClient_PiServer reads what a server of Pi 0.85 sends, which has none of our fields.
func TestClient_PiServer(t *testing.T) {
	_, final := collect(t, stream(t.Context(), lines(
		`{"type":"start"}`,
		`{"type":"thinking_start","contentIndex":0}`,
		`{"type":"thinking_delta","contentIndex":0,"delta":"Hm."}`,
		`{"type":"thinking_end","contentIndex":0,"contentSignature":"sig"}`,
		`{"type":"text_start","contentIndex":1}`,
		`{"type":"text_delta","contentIndex":1,"delta":"Hi"}`,
		`{"type":"text_end","contentIndex":1}`,
		`{"type":"toolcall_start","contentIndex":2,"id":"t1","toolName":"echo"}`,
		`{"type":"toolcall_delta","contentIndex":2,"delta":"{\"a\":1}"}`,
		`{"type":"toolcall_end","contentIndex":2,"toolCall":{"type":"toolCall","id":"t1","name":"echo","arguments":{"a":1}}}`,
		`{"type":"toolcall_start","contentIndex":3,"id":"t2","toolName":"echo"}`,
		`{"type":"toolcall_end","contentIndex":3,"toolCall":{"type":"toolCall","id":"t2","name":"echo","arguments":{"b":2}}}`,
		`{"type":"something_new","contentIndex":9,"content":{"x":1}}`,
		`{"type":"done","reason":"toolUse","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"providerThinkingLevel":"high"}`,
	)))
	want := &ai.AssistantMessage{
		API: "lab-wire", Provider: "lab", Model: "m", ProviderThinkingLevel: "high", StopReason: ai.StopToolUse,
		Usage: ai.Usage{Input: 1, Output: 2, TotalTokens: 3},
		Content: ai.Content{
			&ai.Thinking{Thinking: "Hm.", Signature: "sig"},
			&ai.Text{Text: "Hi"},
			&ai.ToolCall{ID: "t1", Name: "echo", Arguments: []byte(`{"a":1}`)},
			&ai.ToolCall{ID: "t2", Name: "echo", Arguments: []byte(`{"b":2}`)},
		},
	}
	if diff := cmp.Diff(essence(t, want), essence(t, final)); diff != "" {
		t.Errorf("final message (-want +got):\n%s", diff)
	}
}

func TestClient_BadAnswers(t *testing.T) {
	tests := []struct {
		name, body, text string
		class            ai.Class
	}{
		{"empty", "", "ended without a done", ai.ClassTransient},
		{"cut", lines(`{"type":"start"}`, `{"type":"text_start","contentIndex":0}`), "ended without a done", ai.ClassTransient},
		{"no JSON", lines(`{"type":"start"}`, `{"type"}`), "read the relay's answer", ai.ClassPermanent},
		{"no block", lines(`{"type":"text_delta","contentIndex":4,"delta":"x"}`), "content block 4", ai.ClassPermanent},
		{"done with an error", lines(`{"type":"done","reason":"error"}`), "reason", ai.ClassPermanent},
		{"error", lines(`{"type":"error","reason":"error","errorMessage":"529 busy"}`), "529 busy", ai.ClassTransient},
		{"error without a reason", lines(`{"type":"error","errorMessage":"busy"}`), "busy", ai.ClassPermanent},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, final := checked(t, stream(t.Context(), test.body))
			if final.StopReason != ai.StopError || !strings.Contains(final.ErrorMessage, test.text) {
				t.Errorf("got %q: %s", final.StopReason, final.ErrorMessage)
			}
			if got := ai.Classify(final.Err, final.ErrorMessage); got != test.class {
				t.Errorf("class = %v, want %v", got, test.class)
			}
		})
	}
}

func TestClient_ServersAbortIsKept(t *testing.T) {
	_, final := collect(t, stream(t.Context(), lines(`{"type":"error","reason":"aborted","errorMessage":"shutting down"}`)))
	if final.StopReason != ai.StopAborted || final.ErrorMessage != "shutting down" {
		t.Errorf("got %q: %s", final.StopReason, final.ErrorMessage)
	}
}

func FuzzClient(f *testing.F) {
	f.Add(lines(`{"type":"start"}`, `{"type":"text_start","contentIndex":0}`, `{"type":"text_delta","contentIndex":0,"delta":"x"}`,
		`{"type":"text_end","contentIndex":0,"content":"y"}`, `{"type":"done","reason":"stop","content":[{"type":"text","text":"z"}],"brokenCalls":[{"contentIndex":0}]}`))
	f.Add(lines(`{"type":"toolcall_start","contentIndex":3,"id":"t"}`, `{"type":"toolcall_end","contentIndex":3,"toolCall":{"id":"u"},"arguments":"{"}`, `{"type":"error"}`))
	f.Fuzz(func(t *testing.T, body string) {
		events, _ := collect(t, stream(t.Context(), body))
		for i, ev := range events {
			_, partial := ai.PartialOf(ev)
			if last := i == len(events)-1; partial == last {
				t.Fatalf("event %d of %d is %s", i, len(events), ev.Type())
			}
		}
	})
}

func FuzzHandler(f *testing.F) {
	ask := func(ctx context.Context, req *ai.Request) *ai.Stream { return ai.NewStream(ctx, req.Model, hello) }
	handler := relay.Handler(ask, relay.Token(token), resolveTo(relay.Target{Model: serverModel}), nil)
	f.Add(`{"model":{"id":"m"},"context":{"messages":[{"role":"user","content":"x"}]},"options":{"headers":{"a":null},"maxRetryDelayMs":0}}`)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(http.MethodPost, relay.Path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, r)
		if rec.Code == 200 && !strings.Contains(rec.Body.String(), `"type":"done"`) {
			t.Fatalf("no end: %s", rec.Body)
		}
	})
}
