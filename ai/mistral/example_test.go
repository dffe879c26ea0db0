package mistral_test

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/mistral"
)

func ExampleStream() {
	greeting := &replay.Canned{Stream: replay.SSE(delta(`"content":"Hel"`), delta(`"content":"lo!"`), finish("stop"), "[DONE]")} // a canned answer
	stream := mistral.Stream(context.Background(), &ai.Request{
		Model:   &ai.Model{ID: "devstral-medium-latest", API: mistral.API, Provider: "mistral"},
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("Say hello.")}}},
		Options: ai.Options{APIKey: "a key", Client: greeting.Client()},
	})
	for ev, err := range stream.Events() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if delta, ok := ev.(*ai.TextDelta); ok {
			fmt.Print(delta.Delta)
		}
	}
	fmt.Println()
	fmt.Println(stream.Result().StopReason, stream.Result().ResponseID)
	// Output:
	// Hello!
	// stop r1
}
