package anthropic_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/anthropic"
)

// A server that answers every request with the same words stands for the service here.
func ExampleMessages() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","model":"claude-opus-4-8","usage":{"input_tokens":12,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Good "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"morning."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}

event: message_stop
data: {"type":"message_stop"}

`)
	}))
	defer server.Close()

	stream := anthropic.Messages(context.Background(), &ai.Request{
		Model: &ai.Model{
			ID:        "claude-opus-4-8",
			API:       anthropic.API,
			Provider:  "anthropic",
			BaseURL:   server.URL, // anthropic.BaseURL for the real one
			Input:     []string{ai.InputText, ai.InputImage},
			MaxTokens: 32000,
		},
		Context: ai.Context{
			SystemPrompt: "You are friendly.",
			Messages:     []ai.Message{&ai.UserMessage{Content: ai.TextContent("Hello!")}},
		},
		Options: ai.Options{APIKey: "sk-ant-…", Client: server.Client()},
	})
	for ev, err := range stream.Events() {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch ev := ev.(type) {
		case *ai.TextDelta:
			fmt.Print(ev.Delta)
		case *ai.Done:
			fmt.Printf("\n(%s, %d tokens)\n", ev.Message.StopReason, ev.Message.Usage.TotalTokens)
		case *ai.Error:
			fmt.Println("failed:", ev.Message.ErrorMessage)
		}
	}
	// Output:
	// Good morning.
	// (stop, 16 tokens)
}

// ExampleMessages_images sends an image and thinks before it answers.
func ExampleMessages_images() {
	req := &ai.Request{
		Model: &ai.Model{
			ID: "claude-opus-4-8", API: anthropic.API, Provider: "anthropic", BaseURL: anthropic.BaseURL,
			Reasoning: true, Input: []string{ai.InputText, ai.InputImage}, MaxTokens: 32000,
		},
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.Content{
			&ai.Text{Text: "What is this?"},
			&ai.Image{Data: "iVBORw0KGgo…", MIMEType: "image/png"},
		}}}},
		Options: ai.Options{APIKey: "sk-ant-…", Thinking: ai.ThinkingMedium},
	}
	message, err := ai.Complete(context.Background(), anthropic.Messages, req)
	if err != nil || message.Failed() {
		return
	}
	fmt.Println(message.Content.Text())
}
