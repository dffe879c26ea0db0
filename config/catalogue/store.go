package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/atomicfile"
)

// File is the name of the stored catalogue in the state folder (Pi 0.85).
const File = "models-store.json"

// storeEntry is what is stored of a provider, with the field names of Pi 0.85.
type storeEntry struct {
	Models []*ai.Model `json:"models"`
	// CheckedAt is in milliseconds since 1970.
	CheckedAt int64          `json:"checkedAt,omitzero"`
	ETag      string         `json:"etag,omitzero"`
	Unknown   jsontext.Value `json:",embed"`
}

// Problem returns what is wrong with the stored file, as far as it has been read.
func (c *Catalogue) Problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problem
}

// refreshed returns what is stored of a provider; the mutex is held.
func (c *Catalogue) refreshed(provider string) []*ai.Model {
	c.read()
	var models []*ai.Model
	for _, m := range c.stored[provider].Models {
		if m != nil && trustworthy(provider, m) {
			models = append(models, m)
		}
	}
	return models
}

// read reads the stored file, once; the mutex is held.
func (c *Catalogue) read() {
	if c.stored != nil {
		return
	}
	c.stored = make(map[string]storeEntry)
	data, err := os.ReadFile(c.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		c.problem = fmt.Errorf("read the stored catalogue: %w", err)
	default:
		if err := json.Unmarshal(data, &c.stored); err != nil {
			c.stored = make(map[string]storeEntry)
			c.problem = fmt.Errorf("the stored catalogue %s is damaged and does not count; rondo update --models writes a new one: %w", c.path, err)
		}
	}
}

// trustworthy reports whether a stored record may count: it must be complete, and it must
// not send the provider's credential elsewhere.
func trustworthy(provider string, m *ai.Model) bool {
	p, ok := Find(provider)
	if !ok || m.ID == "" || m.API == "" || m.Provider != provider || m.ContextWindow <= 0 || m.MaxTokens <= 0 {
		return false
	}
	own, err1 := url.Parse(p.BaseURL)
	other, err2 := url.Parse(m.BaseURL)
	return err1 == nil && err2 == nil && own.Scheme == other.Scheme && own.Host == other.Host
}

// write stores the entries of providers over those that are there.
func (c *Catalogue) write(fresh map[string]storeEntry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored = nil
	c.read() // what another process has stored meanwhile
	for provider, entry := range fresh {
		c.stored[provider] = entry
	}
	c.models, c.problem = make(map[string][]*ai.Model), nil
	data, err := json.Marshal(c.stored, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("store the catalogue: %w", err)
	}
	if err := atomicfile.Write(c.path, append(data, '\n'), &atomicfile.Options{Perm: 0o600}); err != nil {
		return fmt.Errorf("store the catalogue: %w", err)
	}
	return nil
}

// etag returns the validator of the last refresh; empty if there was none.
func (c *Catalogue) etag(source string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read()
	return c.stored[source].ETag
}

func now() int64 { return time.Now().UnixMilli() }
