package responses

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// API is the name of this wire in model records.
const API = "openai-responses"

// BaseURL is where OpenAI serves its own models. A model without a BaseURL is asked there.
const BaseURL = "https://api.openai.com/v1"

// Stream asks a model. It implements [ai.StreamFunc].
func Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		base := req.Model.BaseURL
		if base == "" {
			base = BaseURL
		}
		b, err := newBuilder(req)
		if err != nil {
			return err
		}
		return ask(ctx, w, b, strings.TrimRight(base, "/")+"/responses", b.header())
	})
}

// ask sends a request to this address and reads the answer.
func ask(ctx context.Context, w *ai.Writer, b *builder, address string, header http.Header) error {
	body, err := b.build()
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	resp, err := wire.Post(ctx, b.req, address, header, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := wire.RefuseJSON(resp, "one JSON object"); err != nil {
		return err
	}
	w.Start()
	r := &reader{w: w, model: b.model, tier: b.tier()}
	return r.read(resp.Body)
}

// header returns what the wire itself sends: the key and the session.
func (b *builder) header() http.Header {
	h := wire.Bearer(b.req.Options.APIKey)
	session := b.cacheKey()
	if session == "" || !b.compat.SessionHeader {
		return h
	}
	wire.SetSession(h, session, b.compat.SessionFormat)
	return h
}
