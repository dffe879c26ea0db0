// Package wires knows every wire that Rondo speaks. A provider's wire is a folder beside this one
// and one row of the table in this file: routing, the apis that models.json may name and the tests
// of hand-off follow the table.
package wires

import (
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/google/adc"
	"github.com/rondo-agent/rondo/ai/mistral"
	"github.com/rondo-agent/rondo/ai/openai"
	"github.com/rondo-agent/rondo/ai/responses"
)

// registered lists the wires, those first that servers of others speak most: the api that names a
// wire in model records, and what makes its stream function. Nothing is read, looked for or
// connected before a model is asked.
var registered = []struct {
	api  string
	open func() ai.StreamFunc
}{
	{anthropic.API, plain(anthropic.Messages)},
	{openai.APICompletions, plain(openai.Completions)},
	{responses.API, plain(responses.Stream)},
	{google.API, plain(google.Stream)},
	{responses.APIAzure, plain(responses.Azure{}.Stream)},
	{responses.APICodex, plain(responses.Codex)},
	{google.APIVertex, func() ai.StreamFunc { return google.Vertex{Token: adc.NewTokens().Get}.Stream }},
	{bedrock.API, func() ai.StreamFunc { return new(bedrock.Client).Stream }},
	{mistral.API, plain(mistral.Stream)},
}

// plain is a wire that keeps nothing between requests.
func plain(ask ai.StreamFunc) func() ai.StreamFunc { return func() ai.StreamFunc { return ask } }

// New returns a router to all wires. Wires that keep credentials of the machine (Vertex AI,
// Bedrock) keep them for as long as the router is used, so one router serves a whole program.
func New() ai.Router {
	router := make(ai.Router, len(registered))
	for _, w := range registered {
		router[w.api] = w.open()
	}
	return router
}

// APIs lists the apis of all wires, as model records name them. The first ones are those that
// servers of others speak most. The slice is the caller's.
func APIs() []string {
	apis := make([]string, len(registered))
	for i, w := range registered {
		apis[i] = w.api
	}
	return apis
}
