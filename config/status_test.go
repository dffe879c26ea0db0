package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/config"
)

func TestStatusesTellWhereACredentialIsFrom(t *testing.T) {
	t.Setenv("GROQ_API_KEY", "env-secret")
	t.Setenv("AWS_PROFILE", "work")
	until := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	c := load(t, map[string]string{
		config.ModelsFile: lab,
		config.AuthFile:   fmt.Sprintf(`{"openai":{"type":"api_key","key":"$NOT_SET"},"openai-codex":{"type":"oauth","access":"secret","refresh":"secret","expires":%d},"anthropic":{"type":"oauth","access":"secret"}}`, until.UnixMilli()),
	})
	got := make(map[string]string)
	for _, s := range c.Statuses() {
		line := s.Kind
		switch {
		case config.IsMissing(s.Err):
			line = "missing"
		case s.Err != nil:
			line += ": " + s.Err.Error()
		case s.Provider == "openai-codex" && (!s.Expires.Equal(until) || !s.Login):
			t.Errorf("%+v", s)
		}
		if strings.Contains(fmt.Sprintf("%+v", s), "secret") {
			t.Errorf("%s: a secret is shown", s.Provider)
		}
		got[s.Provider] = line
	}
	for provider, want := range map[string]string{
		"groq": config.KindKey, "amazon-bedrock": config.KindAmbient, "openai-codex": config.KindLogin, "anthropic": config.KindLogin, "lab": config.KindKey, "xai": "missing",
	} {
		if got[provider] != want {
			t.Errorf("%s: %s, want %s", provider, got[provider], want)
		}
	}
	if !strings.Contains(got["openai"], "needs the environment variable NOT_SET") {
		t.Errorf("openai: %s", got["openai"])
	}
}

func TestGrantsAreForOtherPrograms(t *testing.T) {
	t.Setenv("GROQ_API_KEY", "g")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "a")
	t.Setenv("AWS_PROFILE", "work")
	c := load(t, map[string]string{config.AuthFile: `{"openai-codex":{"type":"oauth","access":"c","refresh":"r"}}`})
	for provider, want := range map[string]config.Grant{
		"groq": {Token: "g", Source: "GROQ_API_KEY"}, "anthropic": {Token: "a", Bearer: true, Source: "ANTHROPIC_AUTH_TOKEN"},
	} {
		got, err := c.Grant(t.Context(), provider)
		if err != nil {
			t.Errorf("%s: %v", provider, err)
			continue
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", provider, diff)
		}
	}
	if got, err := c.Grant(t.Context(), "openai-codex"); err != nil || got.Token != "c" || !got.Bearer {
		t.Errorf("openai-codex: %v", err)
	}
	for provider, want := range map[string]string{"amazon-bedrock": "neither a key nor a token", "xai": "has no API key"} {
		if _, err := c.Grant(t.Context(), provider); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", provider, err)
		}
	}
	if s, err := c.Check(t.Context(), "groq"); err != nil || s.Source != "GROQ_API_KEY" {
		t.Errorf("%v", err)
	}
	if id, err := c.ProviderID("GROQ"); err != nil || id != "groq" {
		t.Errorf("%s, %v", id, err)
	}
}
