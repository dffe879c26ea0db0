package google

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// API is the name of this wire in model records.
const API = "google-generative-ai"

// BaseURL is where Google serves the Gemini API. A model without a BaseURL is asked there.
const BaseURL = "https://generativelanguage.googleapis.com/v1beta"

// keyHeader carries an API key.
const keyHeader = "X-Goog-Api-Key"

// Stream asks a model. It implements [ai.StreamFunc].
func Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		base := req.Model.BaseURL
		if base == "" {
			base = BaseURL
		}
		path := req.Model.ID
		if !strings.Contains(path, "/") { // as in tunedModels/mine
			path = "models/" + path
		}
		return ask(ctx, w, req, address(base, path), keyOf(req))
	})
}

// keyOf returns the header with the request's key.
func keyOf(req *ai.Request) http.Header {
	h := make(http.Header)
	if key := strings.TrimSpace(req.Options.APIKey); key != "" {
		h.Set(keyHeader, key)
	}
	return h
}

// address returns where the model with this path is asked for a stream.
func address(base, path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.TrimRight(base, "/") + "/" + strings.Join(segments, "/") + ":streamGenerateContent?alt=sse"
}

// ask sends a request to this address and reads the answer.
func ask(ctx context.Context, w *ai.Writer, req *ai.Request, address string, header http.Header) error {
	b, err := newBuilder(req)
	if err != nil {
		return err
	}
	body, err := b.build()
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	resp, err := wire.Post(ctx, req, address, header, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := wire.RefuseJSON(resp, "JSON"); err != nil {
		return err
	}
	w.Start()
	r := &reader{w: w, model: req.Model, body: resp.Body}
	return r.read(ctx)
}
