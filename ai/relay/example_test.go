package relay_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
)

// A server that holds the key of a provider, and a client that holds the server's token.
func Example() {
	// The server offers one model. A real one would pass anthropic.Messages in place of
	// provider.
	offered := map[string]*ai.Model{
		"small": {ID: "small", API: "anthropic-messages", Provider: "anthropic", BaseURL: "https://api.anthropic.com"},
	}
	resolve := func(_ context.Context, asked *ai.Model) (*relay.Target, error) {
		model, ok := offered[asked.ID]
		if !ok {
			return nil, fmt.Errorf("the model %s is not offered here", asked.ID)
		}
		return &relay.Target{Model: model, Options: ai.Options{APIKey: "the provider's key"}}, nil
	}
	provider := func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(_ context.Context, w *ai.Writer) error {
			text := w.StartText()
			w.Append(text, "Hello ")
			w.Append(text, "from far away.")
			w.Done(ai.StopEnd)
			return nil
		})
	}
	mux := http.NewServeMux()
	mux.Handle(relay.Path, relay.Handler(provider, relay.Token("secret"), resolve, nil))
	server := httptest.NewServer(mux)
	defer server.Close()

	// The client uses the relay as it would use a provider.
	ask := relay.New(server.URL, "secret")
	for _, id := range []string{"small", "large"} {
		stream := ask(context.Background(), &ai.Request{
			Model:   &ai.Model{ID: id, API: "anthropic-messages", Provider: "anthropic"},
			Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("Hi")}}},
			Options: ai.Options{Client: server.Client()},
		})
		for ev, err := range stream.Events() {
			if err != nil {
				fmt.Println(err)
				return
			}
			switch ev := ev.(type) {
			case *ai.TextDelta:
				fmt.Printf("%q ", ev.Delta)
			case *ai.Done:
				fmt.Println(ev.Message.StopReason)
			case *ai.Error:
				fmt.Println(ev.Message.ErrorMessage)
			}
		}
	}
	// Output:
	// "Hello " "from far away." stop
	// 403 the model large is not offered here
}
