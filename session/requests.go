package session

import (
	"context"
	"iter"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// request lets the extensions see and change the agent's requests as they are sent,
// after the hooks of the options.
func (b *binding) request(o ai.Options) ai.Options {
	if b.ext == nil {
		return o
	}
	headers, payload, response := o.OnHeaders, o.OnPayload, o.OnResponse
	o.OnHeaders = func(ctx context.Context, header http.Header) error {
		if headers != nil {
			if err := headers(ctx, header); err != nil {
				return err
			}
		}
		b.ext.Headers(ctx, header)
		return nil
	}
	o.OnPayload = func(ctx context.Context, body jsontext.Value) (jsontext.Value, error) {
		if payload != nil {
			var err error
			if body, err = payload(ctx, body); err != nil {
				return nil, err
			}
		}
		return b.ext.Payload(ctx, body), nil
	}
	o.OnResponse = func(ctx context.Context, status int, header http.Header) error {
		if response != nil {
			if err := response(ctx, status, header); err != nil {
				return err
			}
		}
		b.ext.Response(ctx, status, header)
		return nil
	}
	return o
}

// observed tells the extensions of each event of a stream before the agent gets it.
func (b *binding) observed(ctx context.Context, stream *ai.Stream) *ai.Stream {
	if !b.ext.Has(extension.KindProviderStreamEvent) {
		return stream
	}
	return ai.StreamOf(b.tapped(ctx, stream.Events()), stream.Result)
}

func (b *binding) tapped(ctx context.Context, events iter.Seq2[ai.StreamEvent, error]) iter.Seq2[ai.StreamEvent, error] {
	return func(yield func(ai.StreamEvent, error) bool) {
		for ev, err := range events {
			if err == nil {
				b.ext.Stream(ctx, ev)
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}
