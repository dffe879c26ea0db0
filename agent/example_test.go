package agent_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
)

func Example() {
	// A model that answers from a script stands for a real one.
	model := scripted.New(scripted.Say("Hello, you."))
	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record()})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		switch ev := ev.(type) {
		case *agent.AgentStart:
			fmt.Println("The agent is at work.")
		case *agent.MessageUpdate:
			if delta, ok := ev.Stream.(*ai.TextDelta); ok {
				fmt.Print(delta.Delta)
			}
		case *agent.AgentEnd:
			fmt.Printf("\nThe run added %d messages.\n", len(ev.Messages))
		}
		return nil
	})
	if err := a.Prompt(context.Background(), agent.User("Hello?")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// The agent is at work.
	// Hello, you.
	// The run added 2 messages.
}

func ExampleNewTool() {
	type arguments struct {
		City string `json:"city" jsonschema:"Name of the city"`
		Days int    `json:"days,omitzero" jsonschema:"How many days, 1 unless given"`
	}
	weather := agent.NewTool("weather", "Forecasts the weather of a city.",
		func(_ context.Context, in arguments) (string, error) {
			if in.City != "Bern" {
				return "", fmt.Errorf("there is no forecast for %s; ask for Bern", in.City)
			}
			return fmt.Sprintf("Sun for %d days.", max(in.Days, 1)), nil
		})

	model := scripted.New(
		scripted.Of(scripted.Call("c1", "weather", map[string]any{"city": "Basel"})),
		scripted.Of(scripted.Call("c2", "weather", map[string]any{"city": "Bern", "days": "3"})), // a text: it is converted
		scripted.Say("Three days of sun."),
	)
	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record(), Tools: []*agent.Tool{weather}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if end, ok := ev.(*agent.ToolExecutionEnd); ok {
			fmt.Printf("%s failed=%t: %s\n", end.ToolCallID, end.IsError, end.Result.Content.Text())
		}
		return nil
	})
	if err := a.Prompt(context.Background(), agent.User("What will the weather be?")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// c1 failed=true: there is no forecast for Basel; ask for Bern
	// c2 failed=false: Sun for 3 days.
}

func ExampleHooks() {
	remove := agent.NewTool("remove", "Removes a file.",
		func(_ context.Context, in struct {
			Path string `json:"path"`
		},
		) (string, error) {
			return "Removed " + in.Path, nil
		})
	guard := func(_ context.Context, call *agent.PendingCall) (agent.Decision, error) {
		var args struct {
			Path string `json:"path"`
		}
		if err := json.Unmarshal(call.Args, &args); err != nil {
			return agent.Decision{}, err // blocks as well
		}
		if !strings.HasPrefix(args.Path, "/tmp/") {
			return agent.Decision{Block: true, Reason: "Only files in /tmp may be removed."}, nil
		}
		return agent.Decision{}, nil
	}

	model := scripted.New(
		scripted.Of(
			scripted.Call("c1", "remove", map[string]any{"path": "/etc/hosts"}),
			scripted.Call("c2", "remove", map[string]any{"path": "/tmp/old"}),
		),
		scripted.Say("I removed one of them."),
	)
	a := agent.New(model.Stream, &agent.Options{
		Model: scripted.Record(),
		Tools: []*agent.Tool{remove},
		Hooks: agent.Hooks{BeforeToolCall: guard},
	})
	if err := a.Prompt(context.Background(), agent.User("Clean up.")); err != nil {
		fmt.Println(err)
	}
	for _, m := range a.State().Messages {
		if result, ok := m.(*ai.ToolResultMessage); ok {
			fmt.Printf("%s failed=%t: %s\n", result.ToolCallID, result.IsError, result.Content.Text())
		}
	}
	// Output:
	// c1 failed=true: Only files in /tmp may be removed.
	// c2 failed=false: Removed /tmp/old
}

func ExampleAgent_Steer() {
	search := agent.NewTool("search", "Searches the archive.",
		func(context.Context, struct{}) (string, error) { return "nothing in 1997", nil })
	model := scripted.New(
		scripted.Of(scripted.Text("I look."), scripted.Call("c1", "search", nil)),
		scripted.Say("Then I stop here."),
		scripted.Say("You are welcome."),
	)
	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record(), Tools: []*agent.Tool{search}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		switch ev := ev.(type) {
		case *agent.ToolExecutionStart:
			// While the run is under way, from this goroutine or any other:
			a.Steer(agent.User("That is enough."))
			a.FollowUp(agent.User("Thank you!"))
		case *agent.MessageEnd:
			switch m := ev.Message.(type) {
			case *ai.UserMessage:
				fmt.Println("user:", m.Content.Text())
			case *ai.AssistantMessage:
				fmt.Printf("assistant (%s): %s\n", m.StopReason, m.Content.Text())
			case *ai.ToolResultMessage:
				fmt.Println("result:", m.Content.Text())
			}
		}
		return nil
	})
	if err := a.Prompt(context.Background(), agent.User("Search everything.")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// user: Search everything.
	// assistant (toolUse): I look.
	// result: nothing in 1997
	// user: That is enough.
	// assistant (stop): Then I stop here.
	// user: Thank you!
	// assistant (stop): You are welcome.
}

// reminder is a message of a product's own: a person sees it, and the model sees it as a
// message of the user.
type reminder struct {
	Text string `json:"text"`
}

func (*reminder) Role() string { return "reminder" }

func (r *reminder) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, map[string]string{"role": r.Role(), "text": r.Text}, json.Deterministic(true))
}

func init() { agent.RegisterMessage[reminder]("reminder") }

func ExampleRegisterMessage() {
	// type reminder struct{ Text string `json:"text"` } has the methods Role and
	// MarshalJSONTo. An init function calls agent.RegisterMessage[reminder]("reminder").
	seen := func(_ context.Context, messages []agent.Message) ([]ai.Message, error) {
		var out []ai.Message
		for _, m := range messages {
			if r, ok := m.(*reminder); ok {
				m = agent.User("Reminder: " + r.Text)
			}
			out = append(out, agent.ForModel([]agent.Message{m})...)
		}
		return out, nil
	}
	model := scripted.New(scripted.Func(func(req *ai.Request) scripted.Reply {
		first := req.Context.Messages[0].(*ai.UserMessage)
		return scripted.Say("I see: " + first.Content.Text())
	}))
	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record(), Hooks: agent.Hooks{ConvertToLLM: seen}})
	if err := a.Prompt(context.Background(), &reminder{Text: "the door is open"}); err != nil {
		fmt.Println(err)
	}
	messages := a.State().Messages
	fmt.Println(messages[1].(*ai.AssistantMessage).Content.Text())

	// The transcript can be written and read.
	saved, err := json.Marshal(messages[0])
	if err != nil {
		fmt.Println(err)
	}
	read, err := agent.DecodeMessage(saved)
	fmt.Printf("%s is a %T, %v\n", saved, read, err)
	// Output:
	// I see: Reminder: the door is open
	// {"role":"reminder","text":"the door is open"} is a *agent_test.reminder, <nil>
}

func ExampleIterate() {
	model := scripted.New(scripted.Of(scripted.Text("one ", "two ", "three ", "four")))
	cfg := &agent.LoopConfig{Model: scripted.Record(), Stream: model.Stream}
	prompt := []agent.Message{agent.User("Count.")}
	for ev, err := range agent.Iterate(context.Background(), prompt, agent.Context{}, cfg) {
		if err != nil {
			fmt.Println(err)
			return
		}
		update, ok := ev.(*agent.MessageUpdate)
		if !ok {
			continue
		}
		text := update.Message().Content.Text()
		if fmt.Printf("%q\n", text); strings.Contains(text, "three") {
			break // cancels the run and waits for it
		}
	}
	// Output:
	// ""
	// "one "
	// "one two "
	// "one two three "
}

func ExampleCall_Update() {
	build := agent.NewTool("build", "Builds the project.",
		func(ctx context.Context, _ struct{}) (string, error) {
			call := agent.CallFrom(ctx)
			for _, percent := range []int{30, 60, 90} {
				call.Update(agent.TextResult(fmt.Sprintf("%d %%", percent)))
			}
			return "Built.", nil
		})
	model := scripted.New(scripted.Of(scripted.Call("c1", "build", nil)), scripted.Say("It builds."))
	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record(), Tools: []*agent.Tool{build}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		switch ev := ev.(type) {
		case *agent.ToolExecutionUpdate:
			fmt.Println(ev.ToolName, ev.PartialResult.Content.Text())
		case *agent.ToolExecutionEnd:
			fmt.Println(ev.ToolName, ev.Result.Content.Text())
		}
		return nil
	})
	if err := a.Prompt(context.Background(), agent.User("Does it build?")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// build 30 %
	// build 60 %
	// build 90 %
	// build Built.
}

func ExampleCall_RunTool() {
	type text struct {
		Text string `json:"text"`
	}
	upper := agent.NewTool("upper", "Writes a text in capitals.",
		func(_ context.Context, in text) (string, error) { return strings.ToUpper(in.Text), nil })
	shout := agent.NewTool("shout", "Says a text very loudly.",
		func(ctx context.Context, in text) (string, error) {
			args, err := json.Marshal(in)
			if err != nil {
				return "", err
			}
			// The same steps and hooks as for a call of the model's; no events.
			inner := agent.CallFrom(ctx).RunTool(ctx, &ai.ToolCall{Name: "upper", Arguments: args}, nil)
			if inner.IsError {
				return "", fmt.Errorf("upper: %s", inner.Result.Content.Text())
			}
			return inner.Result.Content.Text() + "!!!", nil
		})
	model := scripted.New(
		scripted.Of(scripted.Call("c1", "shout", text{"hello"})),
		scripted.Say("That was loud."),
	)
	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record(), Tools: []*agent.Tool{shout, upper}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if end, ok := ev.(*agent.ToolExecutionEnd); ok {
			fmt.Println(end.ToolName, end.Result.Content.Text())
		}
		return nil
	})
	if err := a.Prompt(context.Background(), agent.User("Shout hello.")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// shout HELLO!!!
}
