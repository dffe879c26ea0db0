package rondo

import (
	"context"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/wires"
)

// Stream returns what asks the models: a model that needs no configuration, a provider of an
// extension, or a wire. Where the user blocks images, every model counts as one that reads text
// alone, so that its requests have a note in place of each image.
func (m *Models) Stream() ai.StreamFunc {
	router := wires.New()
	for api, wire := range router {
		router[api] = m.authorized(wire)
	}
	routed := ai.PriceBy(router.Stream, func(provider, id string) *ai.Model { return m.Config().Model(provider, id) })
	ask := func(ctx context.Context, req *ai.Request) *ai.Stream {
		if m.own != nil && req.Model.Provider == m.own.model.Provider && req.Model.API == m.own.model.API {
			return m.own.stream(ctx, req)
		}
		if m.brought != nil {
			if own := m.brought.streamOf(req.Model.Provider); own != nil {
				return m.authorized(own)(ctx, req)
			}
		}
		return routed(ctx, req)
	}
	if !m.cfg.Settings.Images.BlockImages {
		return ask
	}
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		textOnly, model := *req, *req.Model
		model.Input = []string{ai.InputText}
		textOnly.Model = &model
		return ask(ctx, &textOnly)
	}
}

// authorized returns ask with the credentials that there are when it is called.
func (m *Models) authorized(ask ai.StreamFunc) ai.StreamFunc {
	return func(ctx context.Context, req *ai.Request) *ai.Stream { return m.Config().Authorize(ask)(ctx, req) }
}
