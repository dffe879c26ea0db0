package script

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// toAsk is the access of a request to a model, which goes where the model says.
func toAsk(m *ai.Model) []Access {
	if m == nil {
		return nil
	}
	if u, err := url.Parse(m.BaseURL); err == nil && u.Host != "" {
		return []Access{toReach(u)}
	}
	return []Access{{Kind: Network, Subject: m.Provider}}
}

// toProvide are the accesses of a provider, or of models of one, in the form of models.json:
// it sends what the user says to its addresses, and its keys may be variables and commands.
func toProvide(raw jsontext.Value) []Access {
	var v any
	if json.Unmarshal(raw, &v, lenient.Options) != nil {
		return nil // it is no provider either
	}
	return provided(v)
}

func provided(v any) (list []Access) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			list = append(list, provided(item)...)
		}
	case map[string]any:
		for name, member := range v {
			text, isText := member.(string)
			u, err := url.Parse(text)
			switch {
			case isText && strings.EqualFold(name, "baseUrl") && err == nil:
				list = append(list, toReach(u))
			case strings.EqualFold(name, "apiKey"), strings.EqualFold(name, "headers"):
				list = append(list, valued(member)...)
			default:
				list = append(list, provided(member)...)
			}
		}
	}
	return list
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`) })

// valued are the accesses of keys and headers.
func valued(v any) (list []Access) {
	switch v := v.(type) {
	case string:
		if command, ok := strings.CutPrefix(v, "!"); ok {
			return []Access{toRun("", "sh", "-c", command)}
		}
		for _, name := range variable().FindAllStringSubmatch(v, -1) {
			list = append(list, Access{Kind: Env, Subject: name[1]})
		}
	case map[string]any:
		for _, header := range v {
			list = append(list, valued(header)...)
		}
	}
	return list
}
