package google

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

// family is what a model's id says about it.
type family struct {
	id    string // without the path, in lower case
	major int    // of Gemini's version; 0 for other models, and where the id has none
	minor int    // of Gemini's version
}

var geminiVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^gemini(?:-live)?-(\d+)(?:\.(\d+))?`) })

func familyOf(id string) family {
	f := family{id: strings.ToLower(path.Base(id))}
	if m := geminiVersion().FindStringSubmatch(f.id); m != nil {
		f.major, _ = strconv.Atoi(m[1]) // digits; one too long for a number is no version
		f.minor, _ = strconv.Atoi(m[2]) // may be missing
	}
	return f
}

// takesIDs reports whether calls and their responses carry ids (Pi 0.85).
func (f family) takesIDs() bool {
	return f.major >= 3 || strings.HasPrefix(f.id, "claude-") || strings.HasPrefix(f.id, "gpt-oss-")
}

// nestsImages reports whether a function response can hold images.
func (f family) nestsImages() bool { return f.major == 0 || f.major >= 3 }

// compat says how a server differs from Google's; see the package's comment.
type compat struct {
	RequiresSignatures bool `json:"requiresThoughtSignatures"`
}

func compatOf(m *ai.Model) (compat, error) {
	c := compat{RequiresSignatures: m.BaseURL == "" || m.Provider == "google" || m.Provider == "google-vertex"}
	if u, err := url.Parse(m.BaseURL); err == nil && strings.HasSuffix(u.Hostname(), ".googleapis.com") {
		c.RequiresSignatures = true
	}
	if len(m.Compat) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(m.Compat, &c); err != nil {
		return c, fmt.Errorf("read \"compat\" of model %s/%s: %w", m.Provider, m.ID, err)
	}
	return c, nil
}
