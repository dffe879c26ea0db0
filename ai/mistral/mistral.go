package mistral

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// API is the name of this wire in model records.
const API = "mistral-conversations"

// BaseURL is where Mistral serves its own models. A model without a BaseURL is asked there.
const BaseURL = "https://api.mistral.ai"

// Stream asks a model. It implements [ai.StreamFunc].
func Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		b := &builder{req: req, model: req.Model}
		body, err := b.build()
		if err != nil {
			return fmt.Errorf("write the request: %w", err)
		}
		resp, err := wire.Post(ctx, req, address(req.Model.BaseURL), b.header(), body)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if err := wire.RefuseJSON(resp, "one JSON object"); err != nil {
			return err
		}
		w.Start()
		r := &reader{w: w, model: req.Model, body: resp.Body}
		r.calls.NewID = newID
		return r.read(ctx)
	})
}

// address completes a base URL, which people write with the version or without it.
func address(base string) string {
	if base == "" {
		base = BaseURL
	}
	return strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1") + "/v1/chat/completions"
}

// header returns what the wire itself sends: the key, and the session for the cache.
func (b *builder) header() http.Header {
	h := wire.Bearer(b.req.Options.APIKey)
	if b.keeps() {
		h.Set("X-Affinity", b.req.Options.SessionID)
	}
	return h
}

// keeps reports whether the prompt is to be kept for the session.
func (b *builder) keeps() bool {
	return b.req.Options.SessionID != "" && b.req.Options.CacheRetention != "none"
}
