package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"charm.land/catwalk/pkg/catwalk"
	"github.com/go-json-experiment/json"
)

// DefaultURL is where catwalk's maintainers publish its data.
const DefaultURL = "https://catwalk.charm.land/v2/providers"

// The bounds of a refresh.
const (
	refreshTimeout = 30 * time.Second
	refreshLimit   = 32 << 20 // bytes
)

// Refresh says where new data come from. The zero value is ready to use.
type Refresh struct {
	// URL answers with the providers of catwalk as JSON; empty stands for [DefaultURL].
	URL string
	// Client makes the request; nil stands for http.DefaultClient.
	Client *http.Client
}

// Report says what a refresh has brought.
type Report struct {
	// Unchanged says that the data are those of the last refresh.
	Unchanged bool
	// Providers and Models count what is known now.
	Providers, Models int
}

// Refresh fetches the newest data and stores them. It is the only thing in this package that
// uses the network. Addresses of providers are not taken from the answer. If anything goes
// wrong, what was stored stays.
func (c *Catalogue) Refresh(ctx context.Context, r Refresh) (*Report, error) {
	if r.URL == "" {
		r.URL = DefaultURL
	}
	if r.Client == nil {
		r.Client = http.DefaultClient
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	data, etag, err := r.fetch(ctx, c.etag("anthropic"))
	if err != nil {
		return nil, fmt.Errorf("refresh the models: %w", err)
	}
	if data == nil {
		return c.count(&Report{Unchanged: true}), nil
	}
	fresh := entries(data, etag)
	if len(fresh) == 0 {
		return nil, fmt.Errorf("refresh the models: %s knows none of the providers; what was known stays", r.URL)
	}
	if err := c.write(fresh); err != nil {
		return nil, err
	}
	return c.count(&Report{}), nil
}

// fetch returns nil data if they have not changed.
func (r *Refresh) fetch(ctx context.Context, etag string) (data []catwalk.Provider, newTag string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Accept", "application/json")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := r.Client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNotModified:
		return nil, etag, nil
	case http.StatusOK:
	default:
		return nil, "", fmt.Errorf("%s answered %s; try again later", r.URL, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, refreshLimit+1))
	if err != nil {
		return nil, "", err
	}
	if len(body) > refreshLimit {
		return nil, "", errors.New("the answer is too large")
	}
	if err := json.Unmarshal(body, &data); err != nil {
		return nil, "", fmt.Errorf("%s did not answer with a list of providers: %w", r.URL, err)
	}
	return data, resp.Header.Get("ETag"), nil
}

// entries converts the data of all providers that are known.
func entries(data []catwalk.Provider, etag string) map[string]storeEntry {
	bySource := make(map[string][]catwalk.Model)
	for _, p := range data {
		bySource[string(p.ID)] = p.Models
	}
	fresh := make(map[string]storeEntry)
	for i := range providers {
		p := &providers[i]
		entry := storeEntry{CheckedAt: now(), ETag: etag}
		for _, source := range p.sources {
			for j := range bySource[source] {
				if m := p.convert(&bySource[source][j]); m != nil && m.ID != "" {
					entry.Models = append(entry.Models, m)
				}
			}
		}
		if len(entry.Models) > 0 {
			fresh[p.ID] = entry
		}
	}
	return fresh
}

func (c *Catalogue) count(r *Report) *Report {
	for i := range providers {
		if n := len(c.Models(providers[i].ID)); n > 0 {
			r.Providers++
			r.Models += n
		}
	}
	return r
}
