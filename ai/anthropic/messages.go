package anthropic

import (
	"context"
	"fmt"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// API is the name of this wire in model records.
const API = "anthropic-messages"

// BaseURL is where Anthropic serves its own models.
const BaseURL = "https://api.anthropic.com"

// Messages asks a model. It implements [ai.StreamFunc].
func Messages(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		return ask(ctx, req, w)
	})
}

func ask(ctx context.Context, req *ai.Request, w *ai.Writer) error {
	b, err := newBuilder(req)
	if err != nil {
		return err
	}
	body, err := b.payload()
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	address := strings.TrimRight(req.Model.BaseURL, "/") + "/v1/messages"
	resp, err := wire.Post(ctx, b.withBetas(), address, b.headers(), body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := wire.RefuseJSON(resp, "one JSON object"); err != nil {
		return err
	}
	w.Start()
	d := &decoder{w: w}
	err = d.read(resp.Body)
	for _, block := range d.open { // what arrived of them stays in the message
		d.sign(block)
	}
	return err
}
