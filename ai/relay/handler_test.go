package relay_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
)

func hello(_ context.Context, w *ai.Writer) error {
	w.Append(w.StartText(), "hello")
	w.Done(ai.StopEnd)
	return nil
}

func TestHandler_Refuses(t *testing.T) {
	l := newLab(t, hello)
	const good = `{"model":{"id":"m"},"context":{"messages":[]},"options":{}}`
	tests := []struct {
		name, token, body string
		status            int
	}{
		{"good", token, good, 200},
		{"no token", "", good, 401},
		{"wrong token", "relay-tokem", good, 401},
		{"longer token", token + "x", good, 401},
		{"no JSON", token, `{"model":`, 400},
		{"no model", token, `{"context":{"messages":[]}}`, 400},
		{"bad message", token, `{"model":{"id":"m"},"context":{"messages":[{"role":"user","content":7}]}}`, 400},
		{"messages no array", token, `{"model":{"id":"m"},"context":{"messages":{}}}`, 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resp := l.post(t, test.token, test.body)
			text, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != test.status {
				t.Errorf("status = %d, want %d: %s", resp.StatusCode, test.status, text)
			}
			if test.status != 200 && !strings.Contains(string(text), `"error":"`) {
				t.Errorf("body = %s", text)
			}
		})
	}
	if len(l.asked) != 1 {
		t.Errorf("%d requests went through, want 1", len(l.asked))
	}
}

func TestHandler_OnlyPost(t *testing.T) {
	rec := httptest.NewRecorder()
	handler := relay.Handler(nil, relay.Token(token), nil, nil)
	handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, relay.Path, nil))
	if rec.Code != http.StatusMethodNotAllowed || rec.Header().Get("Allow") != "POST" {
		t.Errorf("status = %d, Allow = %q", rec.Code, rec.Header().Get("Allow"))
	}
}

func TestToken_EmptyLetsNobodyIn(t *testing.T) {
	if relay.Token("")("") {
		t.Error("an empty token is accepted")
	}
}

func TestHandler_MaxBody(t *testing.T) {
	ask := func(ctx context.Context, req *ai.Request) *ai.Stream { return ai.NewStream(ctx, req.Model, hello) }
	l := newLabOf(t, ask, resolveTo(relay.Target{Model: serverModel}), &relay.HandlerOptions{MaxBody: 1000})
	req := l.request()
	req.Context.SystemPrompt = strings.Repeat("x", 2000)
	_, final := l.ask(req)
	status, ok := errors.AsType[*ai.StatusError](final.Err)
	if !ok || status.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("error = %v", final.Err)
	}
}

func TestHandler_ResolveDecides(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		status int
	}{
		{"plain", errors.New("the model m is not offered here"), 403},
		{"status", &ai.StatusError{Status: 404, Message: "the model m is not offered here"}, 404},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			refuse := func(_ context.Context, asked *ai.Model) (*relay.Target, error) {
				want := &ai.Model{API: clientModel.API, Provider: clientModel.Provider, ID: clientModel.ID}
				if diff := cmp.Diff(want, asked); diff != "" {
					t.Errorf("asked (-want +got):\n%s", diff)
				}
				return nil, test.err
			}
			l := newLabOf(t, nil, refuse, nil)
			_, final := l.ask(l.request())
			status, ok := errors.AsType[*ai.StatusError](final.Err)
			if !ok || status.Status != test.status || !strings.Contains(final.ErrorMessage, "not offered here") {
				t.Errorf("error = %v", final.Err)
			}
		})
	}
}

// TestHandler_Options checks what of a request reaches the provider, and from whom.
func TestHandler_Options(t *testing.T) {
	target := relay.Target{Model: serverModel, Options: ai.Options{
		APIKey:         "server-secret-key",
		Headers:        map[string]string{"X-Team": "server", "Authorization": "Bearer server-bearer-key"},
		MaxTokens:      500,
		SamplingParams: map[string]jsontext.Value{"top_k": jsontext.Value("1")},
		Metadata:       map[string]string{"org": "server"},
	}}
	ask := func(ctx context.Context, req *ai.Request) *ai.Stream { return ai.NewStream(ctx, req.Model, hello) }
	l := newLabOf(t, ask, resolveTo(target), nil)
	req := l.request()
	req.Options = ai.Options{
		Client: l.client, APIKey: "client-key", Temperature: new(0.5), MaxTokens: 9000, Thinking: ai.ThinkingHigh,
		ThinkingBudgets: map[ai.ThinkingLevel]int{ai.ThinkingHigh: 99}, ToolChoice: "none", CacheRetention: "long",
		SessionID: "s1", MaxRetryDelay: -1,
		SamplingParams: map[string]jsontext.Value{"top_k": jsontext.Value("9"), "top_p": jsontext.Value("0.9"), "model": jsontext.Value(`"dearer"`)},
		Metadata:       map[string]string{"user_id": "u", "org": "client"},
		Headers: map[string]string{
			"x-team": "client", "X-Trace": "t", "x-api-key": "client-key", "AUTHORIZATION": "Bearer client",
			"Host": "evil.example", "Cookie": "c=1", "X-Gone": "",
		},
	}
	req.Context.Tools = []ai.ToolDecl{{Name: "echo", Parameters: jsontext.Value(`{"type":"object"}`)}}
	req.Context.SystemPrompt = "Be brief."
	l.ask(req)
	got := l.asked[0]
	want := ai.Options{
		APIKey: "server-secret-key", Temperature: new(0.5), MaxTokens: 500, Thinking: ai.ThinkingHigh,
		ThinkingBudgets: map[ai.ThinkingLevel]int{ai.ThinkingHigh: 99}, ToolChoice: "none", CacheRetention: "long",
		SessionID: "s1", MaxRetryDelay: -1,
		SamplingParams: map[string]jsontext.Value{"top_k": jsontext.Value("1"), "top_p": jsontext.Value("0.9")},
		Metadata:       map[string]string{"user_id": "u", "org": "server"},
		Headers:        map[string]string{"X-Team": "server", "Authorization": "Bearer server-bearer-key", "X-Trace": "t", "X-Gone": ""},
	}
	if diff := cmp.Diff(want, got.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if got.Model != serverModel {
		t.Errorf("model = %+v, want the server's", got.Model)
	}
	if got.Context.SystemPrompt != "Be brief." || len(got.Context.Tools) != 1 || got.Context.Tools[0].Name != "echo" {
		t.Errorf("context = %+v", got.Context)
	}
}

func TestClient_SendsNoCredentials(t *testing.T) {
	var header http.Header
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		header, body = r.Header, string(raw)
		io.WriteString(w, "data: {\"type\":\"done\",\"reason\":\"stop\"}\n\n")
	}))
	defer server.Close()
	req := &ai.Request{Model: clientModel, Options: ai.Options{
		Client: newClient(t), APIKey: "client-key", Headers: map[string]string{"Authorization": "Bearer client-bearer", "X-Trace": "t"},
	}}
	collect(t, relay.New(server.URL+"/", token)(t.Context(), req))
	if got := header.Get("Authorization"); got != "Bearer "+token {
		t.Errorf("Authorization = %q", got)
	}
	for _, secret := range []string{"client-key", "client-bearer", "client-model-key"} {
		if strings.Contains(body, secret) || strings.Contains(strings.Join(header["X-Api-Key"], ""), secret) {
			t.Errorf("%s was sent: %s %s", secret, header, body)
		}
	}
	if !strings.Contains(body, `"X-Trace":"t"`) {
		t.Errorf("body = %s", body)
	}
}

func TestHandler_KeysNeverReachTheClient(t *testing.T) {
	target := relay.Target{
		Model:   &ai.Model{ID: "m", Headers: map[string]string{"X-Gateway-Token": "gateway-secret"}},
		Options: ai.Options{APIKey: "server-secret-key", Headers: map[string]string{"Authorization": "Bearer server-bearer-key"}},
	}
	leak := func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			w.AddDiagnostic("request", jsontext.Value(`{"sent":"server-bearer-key"}`))
			return &ai.StatusError{
				Status: 401, Message: "wrong key server-secret-key or gateway-secret", Body: "server-secret-key",
			}
		})
	}
	l := newLabOf(t, leak, resolveTo(target), nil)
	resp := l.post(t, token, `{"model":{"id":"m"},"context":{"messages":[]},"options":{"apiKey":"mine"}}`)
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"server-secret-key", "gateway-secret", "server-bearer-key"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the client sees %s:\n%s", secret, text)
		}
	}
	if !strings.Contains(string(text), "wrong key [redacted] or [redacted]") {
		t.Errorf("the explanation is lost:\n%s", text)
	}
	if got := l.asked[0].Options.APIKey; got != "server-secret-key" {
		t.Errorf("APIKey = %q", got)
	}
}

func TestRelay_UnknownMessagesSurvive(t *testing.T) {
	l := newLab(t, hello)
	raws := []string{
		`{"role":"user","content":[{"type":"hologram","x":1}],"timestamp":1,"mood":"good"}`,
		`{"role":"narrator","lines":["a","b"]}`,
		`{"role":"system","content":"s","timestamp":2}`,
		`{"role":"toolResult","toolCallId":"t","toolName":"n","content":[],"details":{"x":[1]},"isError":false,"timestamp":3}`,
	}
	req := l.request()
	req.Context.Messages = nil
	for _, raw := range raws {
		m, err := ai.DecodeMessage(jsontext.Value(raw))
		if err != nil {
			t.Fatal(err)
		}
		req.Context.Messages = append(req.Context.Messages, m)
	}
	l.ask(req)
	var got []string
	for _, m := range l.asked[0].Context.Messages {
		got = append(got, string(appendMessage(t, m)))
	}
	if diff := cmp.Diff(raws, got); diff != "" {
		t.Errorf("messages (-client +server):\n%s", diff)
	}
}

func TestHandler_KeepAlive(t *testing.T) {
	release := make(chan struct{})
	ask := func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			w.Start()
			<-release
			w.Done(ai.StopEnd)
			return nil
		})
	}
	l := newLabOf(t, ask, resolveTo(relay.Target{Model: serverModel}), &relay.HandlerOptions{KeepAlive: time.Millisecond})
	resp := l.post(t, token, `{"model":{"id":"m"},"context":{"messages":[]}}`)
	if control := resp.Header.Get("Cache-Control"); control != "no-store, no-transform" {
		t.Errorf("Cache-Control is %q: a proxy that compresses would hold events back", control)
	}
	comments, last := 0, ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, ":"):
			if comments++; comments == 3 {
				close(release)
			}
		case line != "":
			last = line
		}
	}
	if comments < 3 || !strings.Contains(last, `"done"`) {
		t.Errorf("%d comments, last line %q", comments, last)
	}
}

// TestHandler_StalledClient checks that a client that stops reading does not keep the
// request to the provider alive.
func TestHandler_StalledClient(t *testing.T) {
	upstream := make(chan struct{})
	ask := func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
			defer close(upstream)
			text := w.StartText()
			for !w.Ended() && ctx.Err() == nil {
				w.Append(text, strings.Repeat("x", 1<<20))
			}
			return ctx.Err()
		})
	}
	l := newLabOf(t, ask, resolveTo(relay.Target{Model: serverModel}), &relay.HandlerOptions{WriteTimeout: 50 * time.Millisecond})
	resp := l.post(t, token, `{"model":{"id":"m"},"context":{"messages":[]}}`)
	<-upstream
	resp.Body.Close()
}
