package config

import (
	"context"
	"maps"

	"github.com/rondo-agent/rondo/ai"
)

// Authorize returns next with the credential of the request's model: its key, unless the
// request has one, and its headers, over which those of the request are laid. A credential
// that cannot be had is an error of the stream; see [Config.Credential].
func (c *Config) Authorize(next ai.StreamFunc) ai.StreamFunc {
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		var inner *ai.Stream
		events := func(yield func(ai.StreamEvent, error) bool) {
			inner = c.ask(ctx, req, next)
			for ev, err := range inner.Events() {
				if !yield(ev, err) {
					return
				}
			}
		}
		return ai.StreamOf(events, func() *ai.AssistantMessage {
			if inner == nil {
				return nil
			}
			return inner.Result()
		})
	}
}

// ask looks up the credential and calls next, or returns a stream that fails.
func (c *Config) ask(ctx context.Context, req *ai.Request, next ai.StreamFunc) *ai.Stream {
	cred, err := c.credentialFor(ctx, req)
	if err != nil {
		return ai.NewStream(ctx, req.Model, func(context.Context, *ai.Writer) error { return err })
	}
	with := *req
	with.Options.APIKey = cred.APIKey
	headers := maps.Clone(cred.Headers)
	if req.Model.Provider == copilot {
		maps.Copy(headers, copilotHeaders(req))
	}
	for name, text := range req.Options.Headers {
		setHeader(headers, name, text)
	}
	with.Options.Headers = headers
	if len(cred.Env) > 0 {
		with.Options.Env = maps.Clone(cred.Env)
		maps.Copy(with.Options.Env, req.Options.Env)
	}
	if cred.BaseURL != "" {
		m := *req.Model
		m.BaseURL = cred.BaseURL
		with.Model = &m
	}
	return next(ctx, &with)
}

// credentialFor returns the credential of the model, or one with the request's own key.
func (c *Config) credentialFor(ctx context.Context, req *ai.Request) (*Credential, error) {
	if key := req.Options.APIKey; key != "" {
		return c.credential(ctx, req.Model, secret{value: literal(key), source: "the request"})
	}
	return c.Credential(ctx, req.Model)
}
