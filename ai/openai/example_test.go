package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/openai"
)

// demo stands for a server that speaks Chat Completions.
func demo() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"Hello, "}}]}`+"\n\n")
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"world."}}]}`+"\n\n")
		io.WriteString(w, `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
}

// An answer is read piece by piece.
func ExampleCompletions() {
	server := demo()
	defer server.Close()

	req := &ai.Request{
		Model: &ai.Model{ID: "gpt-5.5", API: openai.APICompletions, Provider: "openai", BaseURL: server.URL},
		Context: ai.Context{
			SystemPrompt: "Be brief.",
			Messages:     []ai.Message{&ai.UserMessage{Content: ai.TextContent("Say hello.")}},
		},
		Options: ai.Options{APIKey: os.Getenv("OPENAI_API_KEY")},
	}
	for ev, err := range openai.Completions(context.Background(), req).Events() {
		if err != nil {
			fmt.Println("the provider broke its contract:", err)
			return
		}
		switch ev := ev.(type) {
		case *ai.TextDelta:
			fmt.Printf("%q\n", ev.Delta)
		case *ai.Done:
			fmt.Println("done:", ev.Message.StopReason)
		case *ai.Error:
			fmt.Println("failed:", ev.Message.ErrorMessage)
		}
	}
	// Output:
	// "Hello, "
	// "world."
	// done: stop
}

// Whoever needs only the whole answer lets [ai.Complete] read it.
func ExampleCompletions_complete() {
	server := demo()
	defer server.Close()

	m, err := ai.Complete(context.Background(), openai.Completions, &ai.Request{
		Model:   &ai.Model{ID: "llama", API: openai.APICompletions, Provider: "local", BaseURL: server.URL},
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("Say hello.")}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Content.Text())
	// Output: Hello, world.
}

// A server of one's own may need other switches than the defaults.
func ExampleCompat() {
	model := &ai.Model{
		ID: "qwen3-32b", API: openai.APICompletions, Provider: "vllm", BaseURL: "http://gpu.example/v1",
		Compat: jsontext.Value(`{"thinkingFormat":"qwen-chat-template","maxTokensField":"max_tokens"}`),
	}
	c, err := openai.CompatOf(model)
	fmt.Println(c.ThinkingFormat, c.MaxTokensField, c.SupportsStrictMode, err)
	// Output: qwen-chat-template max_tokens true <nil>
}
