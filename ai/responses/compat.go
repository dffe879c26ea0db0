package responses

import (
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

// compat says how a server differs from OpenAI's; see the package's comment.
type compat struct {
	DeveloperRole bool `json:"supportsDeveloperRole"`
	LongCache     bool `json:"supportsLongCacheRetention"`
	SessionHeader bool `json:"sendSessionIdHeader"`
	MidConvo      bool `json:"supportsMidConvoSystemMessages"`
	MaxOutput     bool `json:"supportsMaxOutputTokens"`
	ExplicitCache bool `json:"supportsExplicitPromptCacheMode"`

	SessionFormat string `json:"sessionAffinityFormat"`
}

func compatOf(m *ai.Model) (compat, error) {
	azure := m.API == APIAzure
	c := compat{
		DeveloperRole: true, LongCache: !azure, SessionHeader: !azure, MaxOutput: true,
		MidConvo: azure || m.Provider == "openai" || hostOf(m.BaseURL) == hostOf(BaseURL),
	}
	if m.Provider == "openrouter" || hostOf(m.BaseURL) == "openrouter.ai" {
		c.SessionFormat = "openrouter"
	}
	if len(m.Compat) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(m.Compat, &c); err != nil {
		return c, fmt.Errorf("read \"compat\" of model %s/%s: %w", m.Provider, m.ID, err)
	}
	return c, nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
