package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
)

// A test of an agent says what the model answers, and looks at what it was asked.
func ExampleNew() {
	weather := agent.NewTool("weather", "Tells the weather of a town.",
		func(_ context.Context, in struct {
			Town string `json:"town"`
		},
		) (string, error) {
			return "Rain in " + in.Town + ".", nil
		})

	model := scripted.New(
		scripted.Of(scripted.Text("I look outside."), scripted.Call("c1", "weather", map[string]any{"town": "Bergen"})),
		scripted.Say("Take an umbrella."),
	)
	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record(), Tools: []*agent.Tool{weather}})
	if err := a.Prompt(context.Background(), agent.User("Do I need an umbrella in Bergen?")); err != nil {
		fmt.Println(err)
		return
	}

	second := model.Requests()[1].Context.Messages
	fmt.Println(second[2].(*ai.ToolResultMessage).Content.Text())
	fmt.Println(a.State().Messages[3].(*ai.AssistantMessage).Content.Text())
	fmt.Println(model.Pending(), "replies are left")
	// Output:
	// Rain in Bergen.
	// Take an umbrella.
	// 0 replies are left
}

// A reply may depend on the request, and may fail as a provider does.
func ExampleFunc() {
	model := scripted.New(
		scripted.Fail(&ai.StatusError{Status: 529, Message: "overloaded"}),
		scripted.Func(func(req *ai.Request) scripted.Reply {
			return scripted.Say(fmt.Sprintf("I was sent %d message.", len(req.Context.Messages)))
		}),
	)
	req := &ai.Request{Context: ai.Context{Messages: []ai.Message{agent.User("Hello!")}}}
	for range 2 {
		m, _ := ai.Complete(context.Background(), model.Stream, req)
		fmt.Println(m.StopReason, m.Content.Text()+m.ErrorMessage)
	}
	// Output:
	// error 529 overloaded
	// stop I was sent 1 message.
}

// A gate holds an answer in its middle until the test lets it go on.
func ExampleModel_Release() {
	model := scripted.New(scripted.Reply{
		Blocks: []scripted.Block{scripted.Text("Once ", "upon ", "a time")},
		Gates:  []scripted.Gate{{Name: "middle", At: 1}},
	})
	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record()})
	done := make(chan error)
	go func() { done <- a.Prompt(context.Background(), agent.User("Tell me a story.")) }()

	<-model.Waiting("middle")
	err := a.Prompt(context.Background(), agent.User("And another."))
	fmt.Println("busy:", errors.Is(err, agent.ErrBusy))

	model.Release("middle")
	<-done
	fmt.Println(a.State().Messages[1].(*ai.AssistantMessage).Content.Text())
	// Output:
	// busy: true
	// Once upon a time
}

// A script is replies in JSON.
func ExampleStream() {
	script, err := scripted.Load(strings.NewReader(`{"replies": [
		{"thinking": "A greeting.", "text": "Hello!"},
		{"tools": [{"name": "read", "args": {"path": "notes.txt"}}]}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := scripted.Stream(script)
	for range 3 {
		m, _ := ai.Complete(context.Background(), stream, &ai.Request{Model: scripted.Record()})
		fmt.Printf("%s: %q\n", m.StopReason, m.Content.Text()+m.ErrorMessage)
	}
	// Output:
	// stop: "Hello!"
	// toolUse: ""
	// error: "no scripted reply is left for request 3; add a reply, or let the script loop"
}

// Mistakes in a script are named with their place, and with what to write instead.
func ExampleParseScript() {
	_, err := scripted.ParseScript([]byte(`{"replies": [
		"Hello!",
		{"tools": [{"name": "read", "arguments": {"path": "notes.txt"}}]}
	]}`))
	fmt.Println(err)
	// Output:
	// script: line 3: replies[1].tools[0].arguments: there is no such field; write "args"
}

// The demo model answers plain phrases through the tools that it is offered.
func ExampleDemo() {
	read := agent.NewTool("read", "Shows a file.",
		func(_ context.Context, in struct {
			Path string `json:"path"`
		},
		) (string, error) {
			return "buy milk\n", nil
		})
	a := agent.New(scripted.Demo(), &agent.Options{Model: scripted.DemoRecord(), Tools: []*agent.Tool{read}})
	if err := a.Prompt(context.Background(), agent.User("read notes.txt")); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range a.State().Messages {
		if answer, ok := m.(*ai.AssistantMessage); ok {
			fmt.Println(answer.Content.Text())
			fmt.Println("--")
		}
	}
	// Output:
	// I am the scripted demo model, not an AI model: I only know a few fixed phrases.
	// For a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or describe one in ~/.rondo/models.json.
	//
	// Reading notes.txt.
	// --
	// This is notes.txt:
	//
	// ```
	// buy milk
	// ```
	//
	// (Scripted demo model, not an AI model. For a real one, set ANTHROPIC_API_KEY or OPENAI_API_KEY.)
	// --
}
