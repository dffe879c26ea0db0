package rondo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/host"
)

// A program embeds the agent with a state folder of its own and a model that follows a script.
// Without Models it would be the model of the user's settings.
func ExampleNew() {
	home, err := os.MkdirTemp("", "rondo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	model := scripted.New(scripted.Say("It prints a greeting."))
	ctx := context.Background()
	app, err := rondo.New(ctx, &rondo.Options{
		Home: home, Dir: home,
		Models: rondo.ModelOptions{Custom: scripted.Record(), Stream: model.Stream},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close(ctx)

	s, err := app.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Prompt(ctx, session.Prompt{Text: "What does main.go do?"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(s.LastAnswer().Content.Text())
	if err := s.Close(ctx); err != nil {
		fmt.Println(err)
	}

	kept, err := app.Sessions(ctx, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(kept[0].First)
	// Output:
	// It prints a greeting.
	// What does main.go do?
}

// A tool of the embedding program is a Go function; the schema of its arguments is inferred. The
// built-in tools are left out here.
func ExampleToolOptions() {
	home, err := os.MkdirTemp("", "rondo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	stock := agent.NewTool("stock", "Tells how many pieces of an article are left.",
		func(_ context.Context, in struct {
			Article string `json:"article"`
		},
		) (string, error) {
			return "7 pieces of " + in.Article, nil
		})
	model := scripted.New(
		scripted.Of(scripted.Call("c1", "stock", map[string]any{"article": "lamp"})),
		scripted.Say("There are seven."),
	)
	ctx := context.Background()
	app, err := rondo.New(ctx, &rondo.Options{
		Home: home, Dir: home,
		Models:  rondo.ModelOptions{Custom: scripted.Record(), Stream: model.Stream},
		Storage: rondo.StorageOptions{InMemory: true},
		Tools:   rondo.ToolOptions{NoBuiltin: true, Custom: []tools.Definition{{Tool: stock, Snippet: "stock: how many are left"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close(ctx)
	s, err := app.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)
	if _, err := s.Prompt(ctx, session.Prompt{Text: "Are there lamps?"}); err != nil {
		fmt.Println(err)
	}
	for _, decl := range model.Requests()[0].Context.Tools {
		fmt.Println("offered:", decl.Name)
	}
	fmt.Println(s.LastAnswer().Content.Text())
	// Output:
	// offered: stock
	// There are seven.
}

// denials is a host of extensions that are lists of words: a command that has one of them is
// refused.
type denials struct{}

// Load implements [extension.Host].
func (denials) Load(_ context.Context, path string) (extension.Factory, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(text))
	return func(_ context.Context, api *extension.API) error {
		extension.On(api, func(_ context.Context, _ *extension.Context, call *extension.ToolCall) (*extension.ToolCallResult, error) {
			for _, word := range words {
				if strings.Contains(string(call.Input), word) {
					return &extension.ToolCallResult{Block: true, Reason: word + " is not allowed"}, nil
				}
			}
			return nil, nil
		})
		return nil
	}, nil
}

// Close implements [extension.Host].
func (denials) Close() error { return nil }

// A host of the embedding program loads extensions of a kind of its own.
func ExampleExtensionOptions() {
	home, err := os.MkdirTemp("", "rondo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	list := filepath.Join(home, "never.words")
	if err := os.WriteFile(list, []byte("shutdown reboot"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	model := scripted.New(
		scripted.Of(scripted.Call("c1", "bash", map[string]any{"command": "sudo reboot"})),
		scripted.Say("I may not."),
	)
	ctx := context.Background()
	app, err := rondo.New(ctx, &rondo.Options{
		Home: home, Dir: home,
		Models: rondo.ModelOptions{Custom: scripted.Record(), Stream: model.Stream},
		Extensions: rondo.ExtensionOptions{
			Sources: []extension.Source{{Path: list, Host: "words"}},
			Hosts: []extension.HostKind{{
				Name: "words", Open: func(*extension.Options) (extension.Host, error) { return denials{}, nil },
			}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close(ctx)
	s, err := app.Open(ctx, &rondo.SessionOptions{Frontend: &session.Frontend{Mode: extension.ModePrint}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)
	if _, err := s.Prompt(ctx, session.Prompt{Text: "Restart the machine."}); err != nil {
		fmt.Println(err)
	}
	result := model.Requests()[1].Context.Messages[2].(*ai.ToolResultMessage)
	fmt.Println("failed:", result.IsError)
	fmt.Println(result.Content.Text())
	// Output:
	// failed: true
	// reboot is not allowed
}

// A host of the embedding program has the files and the commands somewhere else, for all tools. Here
// the commands go to a container and the files stay.
func ExampleToolOptions_host() {
	home, err := os.MkdirTemp("", "rondo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	container := host.WithCommands(host.Local, func(_ context.Context, cmd *host.Command, output func([]byte)) (host.Exit, error) {
		output([]byte("in the container: " + cmd.Text))
		return host.Exit{}, nil
	})
	model := scripted.New(
		scripted.Of(scripted.Call("c1", "bash", map[string]any{"command": "make test"})),
		scripted.Say("It passes."),
	)
	ctx := context.Background()
	app, err := rondo.New(ctx, &rondo.Options{
		Home: home, Dir: home,
		Models: rondo.ModelOptions{Custom: scripted.Record(), Stream: model.Stream},
		Tools:  rondo.ToolOptions{Host: container},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer app.Close(ctx)
	s, err := app.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)
	res, err := s.Prompt(ctx, session.Prompt{Text: "Run the tests."})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Requests()[1].Context.Messages[2].(*ai.ToolResultMessage).Content.Text())
	fmt.Println(res.Text())
	// Output:
	// in the container: make test
	// It passes.
}
