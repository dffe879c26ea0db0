package config_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/config"
)

// ollama plays an Ollama with one model, and counts what it is asked.
func ollama(t *testing.T) *int {
	t.Helper()
	asked := new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		*asked++
		_, _ = w.Write([]byte(`{"models":[{"name":"qwen3:8b"}]}`))
	}))
	t.Cleanup(s.Close)
	t.Setenv("OLLAMA_HOST", s.URL)
	return asked
}

// find looks for Ollama. The limit is short, so a machine that is busy gets further tries.
func find(t *testing.T, c *config.Config) bool {
	t.Helper()
	for range 20 {
		if len(c.FindServers(t.Context(), "ollama")) == 1 {
			return true
		}
	}
	return false
}

func TestServersOfThisMachineNeedNoKey(t *testing.T) {
	asked := ollama(t)
	c := load(t, nil)
	if !c.Empty() || *asked != 0 {
		t.Fatalf("empty: %v, after %d requests", c.Empty(), *asked)
	}
	if !find(t, c) {
		t.Fatal("Ollama was not found")
	}
	if diff := cmp.Diff([]string{"ollama/qwen3:8b"}, names(c.Available())); diff != "" || c.Empty() {
		t.Errorf("available (-want +got):\n%s", diff)
	}
	for _, pattern := range []string{"", "qwen3", "ollama/qwen3:8b"} {
		if m, _, err := c.Find("ollama", pattern); err != nil || m.ID != "qwen3:8b" {
			t.Errorf("%q: %v, %v", pattern, m, err)
		}
	}
	m, err := c.DefaultModel()
	if err != nil || m.ID != "qwen3:8b" {
		t.Fatalf("%v, %v", m, err)
	}
	if got := credential(t, c, "ollama", "qwen3:8b"); got.APIKey != "" || len(got.Headers) != 0 {
		t.Errorf("a server without keys gets %v from %s", got.Headers, got.Source)
	}
	t.Setenv("OPENAI_API_KEY", "k") // a key counts before a server that happens to run
	if m, err := c.DefaultModel(); err != nil || m.Provider != "openai" {
		t.Errorf("%v, %v", m, err)
	}
}

func TestWhatModelsJSONSaysOfAServerCounts(t *testing.T) {
	asked := ollama(t)
	c := load(t, models(`{"providers":{"ollama":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-completions","models":[{"id":"mine"}]}}}`))
	if c.FindServers(t.Context(), "ollama") != nil || *asked != 0 || c.Model("ollama", "qwen3:8b") != nil {
		t.Errorf("the user's own description was not enough: %d requests", *asked)
	}
	c = load(t, models(`{"providers":{"ollama":{"name":"Mine","apiKey":"k","compat":{"x":1},"modelOverrides":{"qwen3:8b":{"contextWindow":99}}}}}`))
	if !find(t, c) {
		t.Fatal("Ollama was not found")
	}
	m := c.Model("ollama", "qwen3:8b")
	if m == nil || m.ContextWindow != 99 || !strings.Contains(string(m.Compat), `"x":1`) || !strings.Contains(string(m.Compat), "max_tokens") || c.ProviderName("ollama") != "Mine" {
		t.Errorf("%+v", m)
	}
	if got := credential(t, c, "ollama", "qwen3:8b"); got.APIKey != "k" {
		t.Errorf("the key is from %s", got.Source)
	}
}

func TestAServerThatDoesNotAnswerIsSaid(t *testing.T) {
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	_, _, err := load(t, nil).Find("ollama", "")
	if err == nil || !strings.Contains(err.Error(), "does not answer at http://127.0.0.1:1. Start it") {
		t.Errorf("%v", err)
	}
}
