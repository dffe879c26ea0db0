package bedrock_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

// One client serves all requests; it finds the account when it is first asked.
func ExampleClient_Stream() {
	var client bedrock.Client
	stream := client.Stream(context.Background(), &ai.Request{
		Model:   &ai.Model{ID: "us.anthropic.claude-opus-4-6-v1", API: bedrock.API, Provider: "amazon-bedrock"},
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("Say hello.")}}},
		Options: ai.Options{APIKey: "a Bedrock API key", Client: &http.Client{Transport: greeting()}}, // a canned answer
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
	fmt.Println(stream.Result().StopReason, stream.Result().RawStopReason)
	// Output:
	// Hello!
	// stop end_turn
}

func greeting() http.RoundTripper {
	t := exampleT{}
	return &replay.Canned{Stream: string(bytes.Join([][]byte{textPiece(t, 0, "Hel"), textPiece(t, 0, "lo!"), blockStop(t, 0), end(t, "end_turn")}, nil))}
}
