package extension_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// open makes a session in memory with one extension, whose model answers what it is told to.
func open(factory extension.Factory, replies ...scripted.Reply) *session.Session {
	extensions := extension.NewRunner(&extension.Options{OnError: func(err *extension.Error) { fmt.Println(err) }})
	for _, err := range extensions.Load(context.Background(), extension.Builtin("example", factory)) {
		fmt.Println(err)
	}
	s, err := session.New(memory.New(transcript.NewHeader("/")), &session.Options{
		Stream: scripted.New(replies...).Stream, Model: scripted.Record(), Extensions: extensions,
	})
	if err != nil {
		panic(err)
	}
	s.Begin(context.Background(), extension.ReasonStartup, "")
	return s
}

// shell is a tool that a model can do harm with.
var shell = agent.NewTool("shell", "Runs a command", func(_ context.Context, in struct {
	Command string `json:"command"`
},
) (string, error) {
	return "ran " + in.Command, nil
})

// A permission gate: calls that look dangerous need a person's yes. Where nobody can be asked,
// the answer is no.
func Example_permissionGate() {
	gate := func(_ context.Context, api *extension.API) error {
		extension.On(api, func(ctx context.Context, x *extension.Context, e *extension.ToolCall) (*extension.ToolCallResult, error) {
			if e.ToolName != "shell" || !strings.Contains(string(e.Input), "rm -rf") {
				return nil, nil
			}
			if x.UI().Confirm(ctx, "Run a dangerous command?", string(e.Input), 0) {
				return nil, nil
			}
			return &extension.ToolCallResult{Block: true, Reason: "The user does not allow this command."}, nil
		})
		return api.RegisterTool(&extension.Tool{Tool: shell})
	}
	s := open(gate, scripted.Of(scripted.Call("c1", "shell", map[string]string{"command": "rm -rf /"})), scripted.Say("I may not."))
	defer s.Close(context.Background())
	if _, err := s.Prompt(context.Background(), session.Prompt{Text: "clean up"}); err != nil {
		fmt.Println(err)
	}
	for _, m := range s.Messages() {
		if result, ok := m.(*ai.ToolResultMessage); ok {
			fmt.Println(result.IsError, result.Content.Text())
		}
	}
	// Output: true The user does not allow this command.
}

// A tool with what the system prompt says about it.
func Example_tool() {
	type question struct {
		City string `json:"city"`
	}
	weather := agent.NewTool("weather", "Tells the weather of a city", func(_ context.Context, q question) (string, error) {
		return "sunny in " + q.City, nil
	})
	s := open(func(_ context.Context, api *extension.API) error {
		return api.RegisterTool(&extension.Tool{
			Tool: weather, PromptSnippet: "Look up the weather",
			PromptGuidelines: []string{"Never guess the weather."},
		})
	}, scripted.Of(scripted.Call("c1", "weather", map[string]string{"city": "Oslo"})), scripted.Say("It is sunny."))
	defer s.Close(context.Background())
	if _, err := s.Prompt(context.Background(), session.Prompt{Text: "How is the weather in Oslo?"}); err != nil {
		fmt.Println(err)
	}
	for _, m := range s.Messages() {
		if result, ok := m.(*ai.ToolResultMessage); ok {
			fmt.Println(result.Content.Text())
		}
	}
	fmt.Println(s.LastAnswer().Content.Text())
	// Output:
	// sunny in Oslo
	// It is sunny.
}

// A command that a prompt may begin with, also while the agent works.
func Example_command() {
	s := open(func(_ context.Context, api *extension.API) error {
		return api.RegisterCommand(&extension.Command{
			Name: "name", Description: "Names the session",
			Handler: func(ctx context.Context, _ *extension.CommandContext, args string) error {
				return api.SetSessionName(ctx, args)
			},
		})
	})
	defer s.Close(context.Background())
	if _, err := s.Prompt(context.Background(), session.Prompt{Text: "/name my talk"}); err != nil {
		fmt.Println(err)
	}
	name, _ := s.Name()
	fmt.Println(name)
	// Output: my talk
}

// A filter of what the model sees. The conversation keeps everything.
func Example_contextFilter() {
	secret := func(m agent.Message) bool {
		user, ok := m.(*ai.UserMessage)
		return ok && strings.Contains(user.Content.Text(), "secret")
	}
	s := open(func(_ context.Context, api *extension.API) error {
		extension.On(api, func(_ context.Context, _ *extension.Context, e *extension.ContextEvent) (*extension.ContextResult, error) {
			return &extension.ContextResult{Messages: slices.DeleteFunc(e.Messages, secret)}, nil
		})
		extension.Observe(api, func(_ context.Context, _ *extension.Context, e *extension.ContextWithSystem) error {
			fmt.Println("the model sees", len(e.Messages), "messages")
			return nil
		})
		return nil
	}, scripted.Say("one"), scripted.Say("two"))
	defer s.Close(context.Background())
	for _, text := range []string{"my secret", "hello"} {
		if _, err := s.Prompt(context.Background(), session.Prompt{Text: text}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("the conversation has", len(s.Messages()))
	// Output:
	// the model sees 0 messages
	// the model sees 2 messages
	// the conversation has 4
}
