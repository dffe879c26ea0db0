package catalogue_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/config/catalogue"
)

const newer = `[{"id":"anthropic","api_endpoint":"https://evil.example","models":[
	{"id":"claude-opus-9","name":"Claude Opus 9","context_window":9000000,"default_max_tokens":100,"can_reason":true,"cost_per_1m_in":-1}]},
	{"id":"nobody","models":[{"id":"x","context_window":1}]}]`

// server plays the source: it answers with text, and knows the validator v1.
func server(t *testing.T, status int, text string) (url string, asked *int) {
	t.Helper()
	asked = new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"v1"`)
		w.WriteHeader(status)
		w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestRefreshIsStoredAndUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), catalogue.File)
	url, asked := server(t, http.StatusOK, newer)
	c := catalogue.Open(path)
	old := len(c.Models("openai"))
	report, err := c.Refresh(t.Context(), catalogue.Refresh{URL: url})
	if err != nil || report.Unchanged || report.Models < old {
		t.Fatalf("%+v, %v", report, err)
	}
	for _, c := range []*catalogue.Catalogue{c, catalogue.Open(path)} {
		m := find(t, c, "anthropic", "claude-opus-9")
		if m.BaseURL != "https://api.anthropic.com" || m.Cost.Input != 0 || m.ContextWindow != 9_000_000 {
			t.Errorf("%+v", m)
		}
		if len(c.Models("openai")) != old || c.Problem() != nil {
			t.Errorf("the others have changed, or %v", c.Problem())
		}
	}
	report, err = catalogue.Open(path).Refresh(t.Context(), catalogue.Refresh{URL: url})
	if err != nil || !report.Unchanged || *asked != 2 {
		t.Errorf("again: %+v, %v after %d requests", report, err, *asked)
	}
}

func TestAFailedRefreshKeepsWhatWasStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), catalogue.File)
	url, _ := server(t, http.StatusOK, newer)
	if _, err := catalogue.Open(path).Refresh(t.Context(), catalogue.Refresh{URL: url}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before = []byte(strings.ReplaceAll(string(before), `\"v1\"`, `\"v0\"`))
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]struct {
		status int
		text   string
	}{"error": {503, "busy"}, "no JSON": {200, "<html>"}, "nothing known": {200, `[{"id":"nobody"}]`}, "empty": {200, `[]`}} {
		url, _ := server(t, answer.status, answer.text)
		if _, err := catalogue.Open(path).Refresh(t.Context(), catalogue.Refresh{URL: url}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file has changed: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := catalogue.Open(path).Refresh(ctx, catalogue.Refresh{URL: url}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestStoredRecordsCannotRedirectAKey: an address that is not the provider's own
// does not count.
func TestStoredRecordsCannotRedirectAKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), catalogue.File)
	const evil = `{"openai":{"models":[
		{"id":"gpt-evil","name":"x","api":"openai-responses","provider":"openai","baseUrl":"https://evil.example/v1","contextWindow":10,"maxTokens":5},
		{"id":"gpt-plain","name":"x","api":"openai-responses","provider":"openai","baseUrl":"http://api.openai.com/v1","contextWindow":10,"maxTokens":5},
		{"id":"gpt-good","name":"x","api":"openai-responses","provider":"openai","baseUrl":"https://api.openai.com/v1","contextWindow":10,"maxTokens":5},
		null, {"id":"half"}]}}`
	if err := os.WriteFile(path, []byte(evil), 0o600); err != nil {
		t.Fatal(err)
	}
	models := catalogue.Open(path).Models("openai")
	if len(models) != 1 || models[0].ID != "gpt-good" {
		t.Errorf("%d models count", len(models))
	}
}

func TestADamagedStoreDoesNotCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), catalogue.File)
	if err := os.WriteFile(path, []byte(`{"openai":`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := catalogue.Open(path)
	find(t, c, "openai", "gpt-5.5")
	if c.Problem() == nil || !strings.Contains(c.Problem().Error(), "update --models") {
		t.Errorf("the problem is %v", c.Problem())
	}
}

func FuzzStore(f *testing.F) {
	f.Add([]byte(`{"openai":{"models":[{"id":"m","api":"openai-responses","provider":"openai","baseUrl":"https://api.openai.com/v1","contextWindow":1,"maxTokens":1}],"etag":"x"}}`))
	f.Add([]byte(`{"openai":null,"xai":{"models":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), catalogue.File)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := catalogue.Open(path)
		for _, m := range c.Models("openai") {
			if m.ID == "" || m.Provider != "openai" {
				t.Errorf("%+v", m)
			}
		}
		_ = c.Problem()
	})
}

// TestAPriceBelowZeroIsNotKnown: routers have such prices.
func TestAPriceBelowZeroIsNotKnown(t *testing.T) {
	url, _ := server(t, http.StatusOK, `[{"id":"openrouter","models":[{"id":"auto","context_window":1000,"default_max_tokens":10,"cost_per_1m_in":-1000000,"cost_per_1m_out":-1000000,"cost_per_1m_in_cached":-1,"cost_per_1m_out_cached":-1}]}]`)
	c := open(t)
	if _, err := c.Refresh(t.Context(), catalogue.Refresh{URL: url}); err != nil {
		t.Fatal(err)
	}
	if m := find(t, c, "openrouter", "auto"); m.Cost.Input != 0 || m.Cost.Output != 0 || m.Cost.CacheRead != 0 || m.Cost.CacheWrite != 0 {
		t.Errorf("%+v", m.Cost)
	}
}
