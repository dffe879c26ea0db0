package wire

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Headers returns own with the layers laid over it, later ones over earlier ones. Names
// are compared without regard to case; an empty value removes a header.
func Headers(own http.Header, layers ...map[string]string) http.Header {
	h := http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"text/event-stream"},
		"User-Agent":   {"rondo"},
	}
	for name, values := range own {
		h[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	for _, layer := range layers {
		for _, name := range slices.Sorted(maps.Keys(layer)) { // two spellings of one name: a stable winner
			set(h, name, layer[name])
		}
	}
	return h
}

func set(h http.Header, name, value string) {
	switch {
	case value != "":
		h.Set(name, value)
	case strings.EqualFold(name, "User-Agent"):
		h.Set(name, "") // net/http adds its own to a request that has none
	default:
		h.Del(name)
	}
}

// Bearer returns the header with an API key, without space around it; an empty one if there
// is no key.
func Bearer(key string) http.Header {
	h := make(http.Header)
	if key = strings.TrimSpace(key); key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	return h
}

// SetSession tells an OpenAI-like server which requests belong together, in a format of Pi
// 0.85's models.json: openrouter, openai-nosession, or else that of OpenAI itself.
func SetSession(h http.Header, session, format string) {
	switch format {
	case "openrouter":
		h.Set("X-Session-Id", session)
		return
	case "openai-nosession":
	default:
		h.Set("Session_id", session)
	}
	h.Set("X-Client-Request-Id", session)
}

// secretHeaders carry credentials.
var secretHeaders = []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cf-Aig-Authorization", "X-Amz-Security-Token", "Cookie"}

// secrets lists what must not appear in an error, should the server repeat it.
func (c *call) secrets(sent http.Header) []string {
	found := []string{c.req.Options.APIKey}
	for _, name := range secretHeaders {
		for _, value := range sent.Values(name) {
			found = append(found, value)
			if _, token, ok := strings.Cut(value, " "); ok {
				found = append(found, token)
			}
		}
	}
	return found
}
