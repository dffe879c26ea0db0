package ai_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
)

func Example() {
	// A model that answers from a script stands for a real one.
	model := scripted.New(scripted.Of(
		scripted.Thinking("They want ", "a joke."),
		scripted.Text("Knock, ", "knock."),
	))
	stream := model.Stream(context.Background(), &ai.Request{
		Model:   scripted.Record(),
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("A joke, please.")}}},
	})
	for ev, err := range stream.Events() {
		if err != nil {
			fmt.Println("the provider broke its contract:", err)
			return
		}
		switch ev := ev.(type) {
		case *ai.ThinkingDelta:
			fmt.Printf("thinks %q\n", ev.Delta)
		case *ai.TextDelta:
			fmt.Printf("says %q, so far %q\n", ev.Delta, ev.Partial.Message().Content.Text())
		case *ai.Done:
			fmt.Println("done:", ev.Message.StopReason)
		case *ai.Error:
			fmt.Println("failed:", ev.Message.ErrorMessage)
		}
	}
	// Output:
	// thinks "They want "
	// thinks "a joke."
	// says "Knock, ", so far "Knock, "
	// says "knock.", so far "Knock, knock."
	// done: stop
}

func ExampleComplete() {
	model := scripted.New(
		scripted.Say("Four."),
		scripted.Fail(&ai.StatusError{Status: 529, Message: "overloaded"}),
	)
	req := &ai.Request{
		Model:   scripted.Record(),
		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("What is 2 + 2?")}}},
	}
	for range 2 {
		answer, err := ai.Complete(context.Background(), model.Stream, req)
		if err != nil {
			fmt.Println("the provider broke its contract:", err)
			return
		}
		if status, ok := errors.AsType[*ai.StatusError](answer.Err); ok {
			fmt.Println(answer.StopReason, status.Status, status.Message)
			continue
		}
		fmt.Println(answer.StopReason, answer.Content.Text())
	}
	// Output:
	// stop Four.
	// error 529 overloaded
}
