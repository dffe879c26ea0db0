package catalogue_test

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
)

func open(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	return catalogue.Open(filepath.Join(t.TempDir(), catalogue.File))
}

func find(t *testing.T, c *catalogue.Catalogue, provider, id string) *ai.Model {
	t.Helper()
	models := c.Models(provider)
	i := slices.IndexFunc(models, func(m *ai.Model) bool { return m.ID == id })
	if i < 0 {
		t.Fatalf("%s has no model %s", provider, id)
	}
	return models[i]
}

// TestEveryProviderHasItsDefaultModel is what makes a key alone enough.
func TestEveryProviderHasItsDefaultModel(t *testing.T) {
	c := open(t)
	seen := make(map[string]bool)
	for _, p := range catalogue.Providers() {
		if seen[p.ID] {
			t.Errorf("%s is there twice", p.ID)
		}
		seen[p.ID] = true
		m := find(t, c, p.ID, p.Default)
		if m.Provider != p.ID || m.API == "" {
			t.Errorf("%s: %+v", p.ID, m)
		}
		if p.BaseURL != "" && !strings.HasPrefix(p.BaseURL, "https://") {
			t.Errorf("the address of %s is %q", p.ID, p.BaseURL)
		}
	}
}

// TestEveryRecordIsSane looks for what would break a request or a sum.
func TestEveryRecordIsSane(t *testing.T) {
	c := open(t)
	total := 0
	for _, p := range catalogue.Providers() {
		ids := make(map[string]bool)
		own, err := url.Parse(p.BaseURL)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range c.Models(p.ID) {
			total++
			at := p.ID + "/" + m.ID
			base, err := url.Parse(m.BaseURL)
			switch {
			case m.ID == "" || m.Name == "" || ids[m.ID]:
				t.Errorf("%s: the name is missing, or there twice", at)
			case err != nil || base.Host != own.Host:
				t.Errorf("%s is asked at %s", at, m.BaseURL)
			case m.ContextWindow <= 0 || m.MaxTokens <= 0 || m.MaxTokens > m.ContextWindow:
				t.Errorf("%s: window %d, output %d", at, m.ContextWindow, m.MaxTokens)
			case min(m.Cost.Input, m.Cost.Output, m.Cost.CacheRead, m.Cost.CacheWrite) < 0:
				t.Errorf("%s: %+v", at, m.Cost)
			case m.Cost.CacheRead > m.Cost.Input:
				t.Errorf("%s: reading the cache costs more than not to: %+v", at, m.Cost)
			case len(m.SupportedThinkingLevels()) == 0:
				t.Errorf("%s has no thinking level, not even off: %v", at, m.ThinkingLevelMap)
			}
			ids[m.ID] = true
		}
	}
	if total < 800 {
		t.Errorf("there are only %d models", total)
	}
}

// TestEveryProviderOfTheDataIsKnown fails when a new version of the data brings another.
func TestEveryProviderOfTheDataIsKnown(t *testing.T) {
	used := make(map[string][]string)
	for _, p := range catalogue.Providers() {
		for _, source := range p.Sources() {
			used[source] = append(used[source], p.Env...)
		}
	}
	renamed := []string{ // variables that Pi 0.85 names otherwise
		"kimi-coding", "minimax-china", "vercel", "zhipu-coding", "bedrock", "bedrock-europe", "copilot", "vertexai",
	}
	for source, key := range catalogue.Embedded() {
		if source == "azure" { // the models of openai are deployed there
			continue
		}
		env, ok := used[source]
		if !ok {
			t.Errorf("the provider %s (%s) is not in the table", source, key)
			continue
		}
		if name := strings.TrimPrefix(key, "$"); !slices.Contains(env, name) && !slices.Contains(renamed, source) {
			t.Errorf("the key of %s is in %s, not in %v", source, name, env)
		}
	}
}

// TestRecords compares some records with what Pi 0.85 sends for them.
func TestRecords(t *testing.T) {
	c := open(t)
	opus := find(t, c, "anthropic", "claude-opus-4-8")
	if opus.Cost.Input != 5 || opus.Cost.CacheRead != 0.5 || opus.Cost.CacheWrite != 6.25 || string(opus.Compat) != `{"forceAdaptiveThinking":true}` ||
		!opus.Supports(ai.ThinkingMax) || !opus.Supports(ai.ThinkingXHigh) || !opus.Reads(ai.InputImage) {
		t.Errorf("%+v", opus)
	}
	old := find(t, c, "anthropic", "claude-sonnet-4-5-20250929")
	if len(old.Compat) > 0 || !old.Supports(ai.ThinkingMinimal) || old.Supports(ai.ThinkingMax) {
		t.Errorf("%+v", old)
	}
	for at, api := range map[string]string{
		"openai/gpt-5.5": "openai-responses", "azure-openai-responses/gpt-5.4": "azure-openai-responses",
		"openai-codex/gpt-5.5": "openai-codex-responses", "google/gemini-3.1-pro-preview": "google-generative-ai",
		"github-copilot/claude-opus-4.8": "anthropic-messages", "github-copilot/gpt-5.4": "openai-responses", "github-copilot/gemini-2.5-pro": "openai-completions",
		"opencode/claude-opus-4-8": "anthropic-messages", "opencode/gpt-5.5": "openai-responses", "opencode/kimi-k2.6": "openai-completions",
		"amazon-bedrock/us.anthropic.claude-opus-4-6-v1": "bedrock-converse-stream", "mistral/devstral-medium-latest": "mistral-conversations",
		"vercel-ai-gateway/anthropic/claude-opus-4.8": "anthropic-messages", "kimi-coding/kimi-for-coding": "anthropic-messages",
	} {
		provider, id, _ := strings.Cut(at, "/")
		if m := find(t, c, provider, id); m.API != api {
			t.Errorf("%s speaks %s", at, m.API)
		}
	}
	if m := find(t, c, "opencode", "claude-opus-4-8"); m.BaseURL != "https://opencode.ai/zen" {
		t.Errorf("opencode is asked at %s", m.BaseURL)
	}
	for _, m := range c.Models("openai-codex") {
		if m.ContextWindow > 272_000 || strings.Contains(m.ID, "pro") {
			t.Errorf("%+v", m)
		}
	}
}

func TestUnknownProvidersHaveNoModels(t *testing.T) {
	if models := open(t).Models("lab"); models != nil {
		t.Errorf("%v", models)
	}
	if _, ok := catalogue.Find("lab"); ok {
		t.Error("lab is known")
	}
}

func BenchmarkFirstModels(b *testing.B) {
	for b.Loop() {
		catalogue.Embedded()
	}
}

// TestLevels compares with the levels that Pi 0.85 offers, the first of them that of off:
// a level that a provider does not know is refused.
func TestLevels(t *testing.T) {
	c := open(t)
	for at, want := range map[string]string{
		"openai/gpt-5": "minimal low medium high", "openai/gpt-5.1": "off low medium high", "openai/gpt-5.2": "off low medium high xhigh",
		"openai/gpt-5.3-codex": "off low medium high xhigh", "openai/gpt-5.5": "off low medium high xhigh", "openai/gpt-5.4-pro": "medium high xhigh",
		"openai/gpt-5.6-sol": "off low medium high xhigh max", "openai/o3": "low medium high", "openai/gpt-4.1": "off",
		"azure-openai-responses/gpt-5.4": "off low medium high xhigh", "openai-codex/gpt-5.5": "off low medium high xhigh", "opencode/gpt-5": "minimal low medium high",
		"github-copilot/gpt-5.4": "low medium high xhigh", "github-copilot/gemini-2.5-pro": "off", "github-copilot/claude-haiku-4.5": "off minimal low medium high",
		"github-copilot/claude-opus-4.8": "off low medium high xhigh max", "github-copilot/claude-sonnet-4.6": "off low medium high max",
		"anthropic/claude-opus-4-8": "off low medium high xhigh max", "anthropic/claude-sonnet-4-6": "off low medium high max",
		"anthropic/claude-fable-5": "low medium high xhigh max", "anthropic/claude-haiku-4-5": "off minimal low medium high",
		"google/gemini-3.1-pro-preview": "low high", "google/gemini-3.5-flash": "minimal low medium high", "google/gemini-2.5-pro": "off minimal low medium high",
		"xai/grok-4.6": "low medium high xhigh", "xai/grok-4.5": "low medium high", "xai/grok-4.20": "off",
		"deepseek/deepseek-v4-pro": "off high max", "zai/glm-5.2": "off high max", "groq/openai/gpt-oss-120b": "low medium high",
		"mistral/devstral-medium-latest": "off", "kimi-coding/kimi-for-coding": "off minimal low medium high",
	} {
		provider, id, _ := strings.Cut(at, "/")
		var got []string
		for _, level := range find(t, c, provider, id).SupportedThinkingLevels() {
			got = append(got, string(level))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s thinks at %v, want %s", at, got, want)
		}
	}
}
