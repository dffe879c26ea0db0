package responses_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/responses"
)

// demo stands for a server that speaks Responses.
func demo() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","phase":"final_answer"}}

data: {"type":"response.output_text.delta","output_index":0,"delta":"Good "}

data: {"type":"response.output_text.delta","output_index":0,"delta":"morning."}

data: {"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"Good morning."}]}}

data: {"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":2000,"output_tokens":1000}}}

`)
	}))
}

// An answer is read piece by piece.
func ExampleStream() {
	server := demo()
	defer server.Close()

	req := &ai.Request{
		Model: &ai.Model{
			ID: "gpt-5.5", API: responses.API, Provider: "openai", Reasoning: true,
			BaseURL: server.URL, // empty for the real one
		},
		Context: ai.Context{
			SystemPrompt: "Be brief.",
			Messages:     []ai.Message{&ai.UserMessage{Content: ai.TextContent("Greet me.")}},
		},
		Options: ai.Options{APIKey: os.Getenv("OPENAI_API_KEY"), Thinking: ai.ThinkingLow},
	}
	for ev, err := range responses.Stream(context.Background(), req).Events() {
		if err != nil {
			fmt.Println("the provider broke its contract:", err)
			return
		}
		switch ev := ev.(type) {
		case *ai.TextDelta:
			fmt.Printf("%q\n", ev.Delta)
		case *ai.Done:
			fmt.Println(ev.Message.StopReason, ev.Message.Content[0].(*ai.Text).Signature)
		case *ai.Error:
			fmt.Println("failed:", ev.Message.ErrorMessage)
		}
	}
	// Output:
	// "Good "
	// "morning."
	// stop {"v":1,"id":"msg_1","phase":"final_answer"}
}

// A service tier changes the price of an answer.
func ExampleStream_serviceTier() {
	server := demo()
	defer server.Close()

	m, err := ai.Complete(context.Background(), responses.Stream, &ai.Request{
		Model:   &ai.Model{ID: "gpt-5.4", API: responses.API, Provider: "openai", BaseURL: server.URL, Cost: ai.Pricing{Input: 2.5, Output: 15}},
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("Greet me.")}}},
		Options: ai.Options{SamplingParams: map[string]jsontext.Value{"service_tier": jsontext.Value(`"flex"`)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("$%.2f\n", m.Usage.Cost.Total)
	// Output: $0.01
}

// A model that is deployed at Azure.
func ExampleAzure() {
	server := demo()
	defer server.Close()

	azure := responses.Azure{
		BaseURL:     server.URL, // or Resource: "mine"
		Deployments: map[string]string{"gpt-5.4": "our-gpt"},
	}
	m, err := ai.Complete(context.Background(), azure.Stream, &ai.Request{
		Model:   &ai.Model{ID: "gpt-5.4", API: responses.APIAzure, Provider: "azure-openai-responses"},
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("Greet me.")}}},
		Options: ai.Options{APIKey: os.Getenv("AZURE_OPENAI_API_KEY")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Content.Text())
	// Output: Good morning.
}
