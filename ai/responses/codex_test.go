package responses_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/responses"
)

// token makes an access token of this account.
func token(account string) string {
	claims := `{"https://api.openai.com/auth":{"chatgpt_account_id":"` + account + `"}}`
	return "h." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".s"
}

func codexModel() *ai.Model {
	m := model()
	m.API, m.Provider, m.ID = responses.APICodex, "openai-codex", "gpt-5.5"
	m.ContextWindow, m.MaxTokens, m.Reasoning = 200000, 64000, true
	m.Cost = ai.Pricing{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 1.25}
	return m
}

// TestCodexTraces compares with what Pi 0.85 sends and makes of the answers.
func TestCodexTraces(t *testing.T) {
	replay.Cases(t, responses.Codex, "testdata/codex.json", *codexModel(), &replay.Server{
		Key: token("acct_123"), Reply: replay.Events, Plain: jsontext.Value(`{"sse":[{"type":"response.completed","response":{"status":"completed"}}]}`),
	})
}

// codex asks at a server.
func codex(t testing.TB, opts ai.Options, handle http.HandlerFunc) *ai.AssistantMessage {
	t.Helper()
	m, client := listen(t, handle)
	m, base := codexModel(), m.BaseURL
	m.BaseURL, opts.Client = strings.TrimSuffix(base, "/v1"), client
	if opts.APIKey == "" && opts.Headers == nil {
		opts.APIKey = token("acct_123")
	}
	stream := responses.Codex(t.Context(), &ai.Request{Model: m, Options: opts})
	aitest.CheckStream(t, stream)
	return stream.Result()
}

func TestWhoseAccountCodexAsksFor(t *testing.T) {
	tests := map[string]struct {
		opts ai.Options
		want string
	}{
		"key":                {ai.Options{APIKey: token("a1")}, "a1"},
		"bearer token":       {ai.Options{Headers: map[string]string{"authorization": "Bearer " + token("a2")}}, "a2"},
		"header wins":        {ai.Options{APIKey: token("a1"), Headers: map[string]string{"chatgpt-account-id": "a3"}}, "a3"},
		"header alone":       {ai.Options{APIKey: "opaque", Headers: map[string]string{"ChatGPT-Account-Id": "a4"}}, "a4"},
		"an API key":         {ai.Options{APIKey: "sk-proj-abc"}, ""},
		"damaged token":      {ai.Options{APIKey: "a.%%%.c"}, ""},
		"token without one":  {ai.Options{APIKey: "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"x"}`)) + ".s"}, ""},
		"token of something": {ai.Options{APIKey: "h." + base64.RawURLEncoding.EncodeToString([]byte(`[1]`)) + ".s"}, ""},
	}
	for name, test := range tests {
		var got *http.Request
		m := codex(t, test.opts, func(w http.ResponseWriter, r *http.Request) {
			got = r.Clone(context.Background())
			io.WriteString(w, replay.SSE(completed))
		})
		switch {
		case test.want == "":
			if got != nil || ai.IsRetryable(m) || !strings.Contains(m.ErrorMessage, "log in") {
				t.Errorf("%s: asked %v, %q", name, got != nil, m.ErrorMessage)
			}
		case got == nil || got.Header.Get("ChatGPT-Account-Id") != test.want || !strings.HasPrefix(got.Header.Get("Authorization"), "Bearer ") || m.Failed():
			t.Errorf("%s: %v, %q; want %s", name, got, m.ErrorMessage, test.want)
		}
	}
}

func TestSubscriptionUsedUp(t *testing.T) {
	for name, reset := range map[string]string{"in": `"resets_in_seconds":600`, "in, as text": `"resets_in_seconds":"600"`, "neither": `"resets_at":null`} {
		m := codex(t, ai.Options{MaxRetries: 0}, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus",`+reset+`}}`)
		})
		if ai.Classify(m.Err, m.ErrorMessage) != ai.ClassLimit || !strings.Contains(m.ErrorMessage, "plan plus") {
			t.Errorf("%s: got %v, %q", name, ai.Classify(m.Err, m.ErrorMessage), m.ErrorMessage)
		}
		if strings.Contains(m.ErrorMessage, "10m0s") != (name != "neither") {
			t.Errorf("%s: when it is renewed: %q", name, m.ErrorMessage)
		}
	}
}

func TestCodexFailures(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   ai.Class
	}{
		{400, `{"detail":"Unsupported parameter: x"}`, ai.ClassPermanent},
		{401, `{"detail":"Unauthorized"}`, ai.ClassPermanent},
		{403, `<html><title>Just a moment...</title></html>`, ai.ClassPermanent},
		{429, `{"error":{"type":"rate_limit_exceeded","message":"slow"}}`, ai.ClassTransient},
		{429, `{"error":{"type":"usage_not_included","message":"not in your plan"}}`, ai.ClassLimit},
		{503, `{"error":{"message":"down"}}`, ai.ClassTransient},
	}
	for _, test := range tests {
		m := codex(t, ai.Options{}, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			io.WriteString(w, test.body)
		})
		if class := ai.Classify(m.Err, m.ErrorMessage); class != test.want || m.ErrorMessage == "" {
			t.Errorf("%d %s: got %v, %q", test.status, test.body, class, m.ErrorMessage)
		}
	}
}

func TestCodexStreams(t *testing.T) {
	text := replay.SSE(added(0, message1), textDelta(0, "x"))
	if m := codex(t, ai.Options{}, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }); !ai.IsRetryable(m) || !errors.Is(m.Err, io.ErrUnexpectedEOF) {
		t.Errorf("unterminated: %s, %q", replay.Show(m), m.ErrorMessage)
	}
	hold := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, text)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}
	m := codex(t, ai.Options{IdleTimeout: 20 * time.Millisecond}, hold(text))
	if _, silent := errors.AsType[*ai.TimeoutError](m.Err); !silent {
		t.Errorf("silence: %s, %q", replay.Show(m), m.ErrorMessage)
	}
	if m := codex(t, ai.Options{}, hold(text+replay.SSE(`{"type":"response.done","response":{"status":"completed"}}`))); m.StopReason != ai.StopEnd {
		t.Errorf("response.done: %s, %q", replay.Show(m), m.ErrorMessage)
	}
}

func TestLaw_T2_CodexErrorsHideTheToken(t *testing.T) {
	m := codex(t, ai.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, `{"detail":"refused: `+r.Header.Get("Authorization")+`"}`)
	})
	if !strings.Contains(m.ErrorMessage, "refused") || strings.Contains(m.ErrorMessage, token("acct_123")[2:20]) {
		t.Errorf("got %q", m.ErrorMessage)
	}
}
