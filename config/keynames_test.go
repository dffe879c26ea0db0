package config_test

import (
	"testing"

	"github.com/rondo-agent/rondo/config"
)

func TestIsKeyVariable(t *testing.T) {
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "ANTHROPIC_OAUTH_TOKEN": true, "openai_api_key": true, "MY_SERVER_API_KEY": true,
		"PATH": false, "HOME": false, "API_KEYS": false, "": false,
	} {
		if got := config.IsKeyVariable(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
