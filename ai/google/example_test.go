package google_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/google"
)

// demo stands for a server that speaks the Gemini API.
func demo() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"candidates":[{"content":{"parts":[{"text":"Let me look.","thought":true}],"role":"model"}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"ls","args":{"path":"."}},"thoughtSignature":"QUJD"}],"role":"model"},"finishReason":"STOP"}]}

`)
	}))
}

// An answer is read piece by piece; a call comes whole.
func ExampleStream() {
	server := demo()
	defer server.Close()

	req := &ai.Request{
		Model: &ai.Model{
			ID: "gemini-3.1-pro-preview", API: google.API, Provider: "google", Reasoning: true,
			BaseURL: server.URL, // empty for the real one
		},
		Context: ai.Context{
			Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("What is in this folder?")}},
			Tools:    []ai.ToolDecl{{Name: "ls", Description: "Lists a folder.", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
		},
		Options: ai.Options{APIKey: os.Getenv("GEMINI_API_KEY"), Thinking: ai.ThinkingLow},
	}
	for ev, err := range google.Stream(context.Background(), req).Events() {
		if err != nil {
			fmt.Println("the provider broke its contract:", err)
			return
		}
		switch ev := ev.(type) {
		case *ai.ThinkingDelta:
			fmt.Printf("%q\n", ev.Delta)
		case *ai.ToolCallEnd:
			fmt.Println(ev.ToolCall.Name, string(ev.ToolCall.Arguments))
		case *ai.Done:
			fmt.Println("done:", ev.Message.StopReason)
		case *ai.Error:
			fmt.Println("failed:", ev.Message.ErrorMessage)
		}
	}
	// Output:
	// "Let me look."
	// ls {"path":"."}
	// done: toolUse
}

// A model of a Google Cloud project, with access tokens of the program's own.
func ExampleVertex() {
	server := demo()
	defer server.Close()

	vertex := google.Vertex{
		Project: "my-project", Location: "europe-west4",
		Token: func(context.Context) (string, error) { return "from the metadata server", nil },
	}
	m, err := ai.Complete(context.Background(), vertex.Stream, &ai.Request{
		Model: &ai.Model{
			ID: "gemini-3.1-pro-preview", API: google.APIVertex, Provider: "google-vertex",
			BaseURL: server.URL, // empty for the real one
		},
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("What is in this folder?")}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Content.ToolCalls()[0].Name)
	// Output: ls
}
