package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config"
)

type level = ai.ThinkingLevel

const lab = `{"providers":{"lab":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-completions","apiKey":"lab-key",
	"headers":{"x-p":"provider","x-both":"provider"},"compat":{"a":1,"b":1},"future":true,
	"models":[
		{"id":"m","name":"Lab Model","reasoning":false,"input":["text","image"],"contextWindow":100000,"maxTokens":4096,"cost":{"input":1,"output":2,"cacheRead":0.5,"cacheWrite":1.25}},
		{"id":"plain"},
		{"id":"own","api":"anthropic-messages","baseUrl":"http://127.0.0.1:2","compat":{"b":2,"c":2},"headers":{"X-Both":"model"},"samplingParams":{"top_k":5},"thinkingLevelMap":{"off":"none","minimal":null}}
	]}}}`

func names(list []*ai.Model) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Provider+"/"+m.ID)
	}
	return out
}

// TestAvailableModels compares with the models that Pi 0.85 lists for the same file.
func TestAvailableModels(t *testing.T) {
	c := load(t, models(lab))
	if diff := cmp.Diff([]string{"lab/m", "lab/plain", "lab/own"}, names(c.Available())); diff != "" {
		t.Errorf("available (-want +got):\n%s", diff)
	}
	for id, want := range map[string]string{
		"m":     `{"id":"m","name":"Lab Model","api":"openai-completions","provider":"lab","baseUrl":"http://127.0.0.1:1/v1","reasoning":false,"input":["text","image"],"cost":{"input":1,"output":2,"cacheRead":0.5,"cacheWrite":1.25},"contextWindow":100000,"maxTokens":4096,"compat":{"a":1,"b":1}}`,
		"plain": `{"id":"plain","name":"plain","api":"openai-completions","provider":"lab","baseUrl":"http://127.0.0.1:1/v1","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":128000,"maxTokens":16384,"compat":{"a":1,"b":1}}`,
		"own":   `{"id":"own","name":"own","api":"anthropic-messages","provider":"lab","baseUrl":"http://127.0.0.1:2","reasoning":false,"thinkingLevelMap":{"minimal":null,"off":"none"},"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":128000,"maxTokens":16384,"samplingParams":{"top_k":5},"compat":{"a":1,"b":2,"c":2}}`,
	} {
		raw, err := json.Marshal(c.Model("lab", id), json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(raw)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestBuiltInModelsAreReplacedAndOverridden(t *testing.T) {
	c := load(t, models(`{"providers":{
		"openai":{"baseUrl":"https://proxy.example/v1","compat":{"supportsStore":false},
			"models":[{"id":"gpt-5.5","name":"Mine"},{"id":"new"}],
			"modelOverrides":{"gpt-5.4":{"name":"Changed","cost":{"output":7},"compat":{"x":1},"thinkingLevelMap":{"max":"max"}},"gone":{"name":"x"}}},
		"anthropic":{"modelOverrides":{"claude-opus-4-8":{"contextWindow":5}}}}}`))
	mine, fresh, changed := c.Model("openai", "gpt-5.5"), c.Model("openai", "new"), c.Model("openai", "gpt-5.4")
	if mine.Name != "Mine" || mine.ContextWindow != 128_000 || mine.Cost.Input != 0 || mine.API != "openai-responses" || mine.BaseURL != "https://proxy.example/v1" {
		t.Errorf("replaced: %+v", mine)
	}
	if fresh.API != "openai-responses" || fresh.BaseURL != "https://proxy.example/v1" {
		t.Errorf("added: %+v", fresh)
	}
	if changed.Name != "Changed" || changed.Cost.Output != 7 || changed.Cost.Input != 2.5 || string(changed.Compat) != `{"supportsStore":false,"x":1}` || !changed.Supports("max") || !changed.Supports("xhigh") {
		t.Errorf("overridden: %+v", changed)
	}
	if m := c.Model("anthropic", "claude-opus-4-8"); m.ContextWindow != 5 || m.BaseURL != "https://api.anthropic.com" {
		t.Errorf("overridden: %+v", m)
	}
	other := load(t, nil)
	if m := other.Model("openai", "gpt-5.4"); m.Supports("max") || m.Name == "Changed" {
		t.Error("one configuration changed another")
	}
}

func TestBuiltInModels(t *testing.T) {
	for provider, want := range map[string]struct{ env, model string }{
		"anthropic": {"ANTHROPIC_API_KEY", "claude-opus-4-8"}, "openai": {"OPENAI_API_KEY", "gpt-5.5"}, "deepseek": {"DEEPSEEK_API_KEY", "deepseek-v4-pro"},
		"groq": {"GROQ_API_KEY", "openai/gpt-oss-120b"}, "cerebras": {"CEREBRAS_API_KEY", "gpt-oss-120b"}, "openrouter": {"OPENROUTER_API_KEY", "moonshotai/kimi-k2.6"},
		"xai": {"XAI_API_KEY", "grok-4.6"}, "zai": {"ZAI_API_KEY", "glm-5.3"}, "moonshotai": {"MOONSHOT_API_KEY", "kimi-k2.6"},
		"together": {"TOGETHER_API_KEY", "moonshotai/Kimi-K2.6"}, "fireworks": {"FIREWORKS_API_KEY", "accounts/fireworks/models/kimi-k2p6"},
		"google": {"GEMINI_API_KEY", "gemini-3.1-pro-preview"}, "mistral": {"MISTRAL_API_KEY", "devstral-medium-latest"}, "azure-openai-responses": {"AZURE_OPENAI_API_KEY", "gpt-5.4"},
		"amazon-bedrock": {"AWS_BEARER_TOKEN_BEDROCK", "us.anthropic.claude-opus-4-6-v1"}, "google-vertex": {"GOOGLE_CLOUD_API_KEY", "gemini-3.1-pro-preview"},
	} {
		t.Run(provider, func(t *testing.T) {
			t.Setenv(want.env, "k")
			c := load(t, nil)
			m, err := c.DefaultModel()
			if err != nil || m.Provider != provider || m.ID != want.model {
				t.Fatalf("with %s: %+v, %v", want.env, m, err)
			}
			cred, err := c.Credential(t.Context(), m)
			if err != nil || cred.APIKey != "k" || cred.Source != want.env {
				t.Errorf("credential from %s: %v", cred.Source, err)
			}
			for _, m := range c.Available() {
				if !strings.HasPrefix(m.Provider, provider) { // moonshotai-cn has the key of moonshotai
					t.Errorf("%+v", m)
				}
			}
		})
	}
}

func TestDefaultModel(t *testing.T) {
	settings := `{"defaultProvider":"lab","defaultModel":"plain","defaultThinkingLevel":"high"}`
	c := load(t, map[string]string{config.ModelsFile: lab, config.SettingsFile: settings})
	t.Setenv("OPENAI_API_KEY", "k")
	if m, err := c.DefaultModel(); err != nil || m.ID != "plain" {
		t.Errorf("the saved one: %v, %v", m, err)
	}
	if got := c.DefaultThinking(c.Model("lab", "plain")); got != ai.ThinkingOff {
		t.Errorf("a model that does not think starts at %s", got)
	}
	if got := c.DefaultThinking(c.Model("openai", "gpt-5.5")); got != ai.ThinkingHigh {
		t.Errorf("starts at %s", got)
	}
	c = load(t, map[string]string{config.ModelsFile: lab, config.SettingsFile: `{"defaultProvider":"anthropic","defaultModel":"claude-opus-4-8"}`})
	if m, err := c.DefaultModel(); err != nil || m.ID != "gpt-5.5" {
		t.Errorf("the saved one has no key; instead: %v, %v", m, err)
	}
	c = load(t, map[string]string{config.ModelsFile: lab, config.SettingsFile: `{"defaultProvider":"lab"}`})
	if m, err := c.DefaultModel(); err != nil || m.ID != "m" {
		t.Errorf("of the provider that is named alone: %v, %v", m, err)
	}
	c = load(t, models(lab))
	t.Setenv("OPENAI_API_KEY", "")
	if m, err := c.DefaultModel(); err != nil || m.ID != "m" {
		t.Errorf("none of the defaults has a key; instead: %v, %v", m, err)
	}
}

func TestFind(t *testing.T) {
	t.Setenv("CEREBRAS_API_KEY", "k")
	c := load(t, models(strings.Replace(lab, `{"id":"plain"}`, `{"id":"plain"},{"id":"plain:free"},{"id":"openai/gpt-5.5","name":"Routed"}`, 1)))
	for _, test := range []struct {
		provider, pattern, want string
		level                   level
	}{
		{"lab", "m", "lab/m", ""},
		{"LAB", "M", "lab/m", ""},
		{"", "lab/m", "lab/m", ""},
		{"lab", "lab/m", "lab/m", ""},
		{"lab", "m:high", "lab/m", "high"},
		{"", "lab/plain:free", "lab/plain:free", ""},
		{"", "lab/plain:free:low", "lab/plain:free", "low"},
		{"lab", "openai/gpt-5.5", "lab/openai/gpt-5.5", ""},
		{"", "openai/gpt-5.5", "lab/openai/gpt-5.5", ""}, // the other provider has no key
		{"openai", "openai/gpt-5.5", "openai/gpt-5.5", ""},
		{"", "claude-opus-4-8", "anthropic/claude-opus-4-8", ""},
		{"", "opus", "anthropic/claude-opus-4-8", ""},
		{"anthropic", "claude", "anthropic/claude-opus-4-8", ""},
		{"anthropic", "sonnet", "anthropic/claude-sonnet-5", ""}, // the newest
		{"", "anthropic/haiku:low", "anthropic/claude-haiku-4-5", "low"},
		{"", "Anthropic/Opus", "anthropic/claude-opus-4-8", ""},
		{"anthropic", "haiku:low", "anthropic/claude-haiku-4-5", "low"},
		{"openai", "mini", "openai/gpt-5.4-mini", ""},
		{"", "moonshotai/kimi-k2.6", "moonshotai/kimi-k2.6", ""},
		{"", "Claude Opus 4.8", "anthropic/claude-opus-4-8", ""},
		{"", "gpt-oss-120b", "cerebras/gpt-oss-120b", ""},
		{"", "routed", "lab/openai/gpt-5.5", ""},
		{"anthropic", "", "anthropic/claude-opus-4-8", ""},
		{"lab", "", "lab/m", ""},
		{"", "", "cerebras/gpt-oss-120b", ""},
	} {
		m, level, err := c.Find(test.provider, test.pattern)
		if err != nil || m.Provider+"/"+m.ID != test.want || level != test.level {
			t.Errorf("%q %q: %v, %q, %v, want %s", test.provider, test.pattern, m, level, err, test.want)
		}
	}
}

func TestWhatIsNotFoundHelps(t *testing.T) {
	c := load(t, models(lab))
	for _, test := range []struct {
		provider, pattern string
		want              []string
	}{
		{"antropic", "x", []string{`"antropic" is no provider that is known`, `did you mean "anthropic"?`, "rondo auth list", config.ModelsFile}},
		{"lab", "nope", []string{`"nope" is no model of lab that is known`, `"lab/m"`, `"lab/own"`}},
		{"", "claude-opus-4-9", []string{`"claude-opus-4-9" is no model that is known`, `did you mean "anthropic/claude-opus-4-8"`}},
		{"", "anthropic/claude-opsu-4-8", []string{`did you mean "anthropic/claude-opus-4-8"`}},
		{"lab", "n", []string{"fits more than one model", `"lab/plain"`, `"lab/own"`}},
		{"lab", "m:hihg", []string{`"m:hihg" is no model of lab`}},
		{"", "zzzzzzzzzzzz", []string{`"zzzzzzzzzzzz" is no model that is known`}},
	} {
		_, _, err := c.Find(test.provider, test.pattern)
		if _, ok := errors.AsType[*config.NotFoundError](err); !ok {
			t.Errorf("%q %q: error is %v", test.provider, test.pattern, err)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q %q: error is\n%v\nwithout %s", test.provider, test.pattern, err, want)
			}
		}
	}
}

func TestModelsAreACopy(t *testing.T) {
	c := load(t, nil)
	list := c.Models()
	slices.Reverse(list)
	clear(list)
	if c.Models()[0] == nil {
		t.Error("the caller's list is that of the configuration")
	}
}
