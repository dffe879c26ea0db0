package rondo

import (
	"context"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/mistral"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/responses"
)

// Stream returns what asks the models: a model that needs no configuration, a provider of an
// extension, or a wire. Where the user blocks images, every model counts as one that reads text
// alone, so that its requests have a note in place of each image.
func (m *Models) Stream() ai.StreamFunc {
	wires := ai.PriceBy(m.router().Stream, func(provider, id string) *ai.Model { return m.Config().Model(provider, id) })
	ask := func(ctx context.Context, req *ai.Request) *ai.Stream {
		if m.own != nil && req.Model.Provider == m.own.model.Provider && req.Model.API == m.own.model.API {
			return m.own.stream(ctx, req)
		}
		if m.brought != nil {
			if own := m.brought.streamOf(req.Model.Provider); own != nil {
				return m.authorized(own)(ctx, req)
			}
		}
		return wires(ctx, req)
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

// router sends requests to the wires. None of them does anything before it is asked.
func (m *Models) router() ai.Router {
	return ai.Router{
		openai.APICompletions: m.authorized(openai.Completions),
		anthropic.API:         m.authorized(anthropic.Messages),
		responses.API:         m.authorized(responses.Stream),
		responses.APIAzure:    m.authorized(responses.Azure{}.Stream),
		responses.APICodex:    m.authorized(responses.Codex),
		google.API:            m.authorized(google.Stream),
		google.APIVertex:      m.authorized(google.Vertex{Token: newVertexTokens().get}.Stream),
		bedrock.API:           m.authorized(new(bedrock.Client).Stream),
		mistral.API:           m.authorized(mistral.Stream),
	}
}
