package config

import (
	"regexp"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
)

// place is a variable in an address of the catalogue, such as {CLOUDFLARE_ACCOUNT_ID}.
var place = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([A-Z][A-Z0-9_]*)\}`) })

// baseURL returns where a model is asked instead of at its own address, or nothing. That a
// login brings counts for the address of the catalogue, and not for one of models.json.
func (c *Config) baseURL(m *ai.Model, s *secret, ofLogin string) (string, error) {
	if known, ok := catalogue.Find(m.Provider); ok && ofLogin != "" && m.BaseURL == known.BaseURL {
		return ofLogin, nil
	}
	if !strings.Contains(m.BaseURL, "{") {
		return "", nil
	}
	var missing error
	text := place().ReplaceAllStringFunc(m.BaseURL, func(found string) string {
		v, ok := s.lookup(strings.Trim(found, "{}"))
		if !ok && missing == nil {
			missing = c.broken(m.Provider, "base URL", "the catalogue", unset(strings.Trim(found, "{}")))
		}
		return v
	})
	if missing != nil || text == m.BaseURL {
		return "", missing
	}
	return text, nil
}
