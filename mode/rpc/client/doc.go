// Package client drives a coding agent in another process over the RPC protocol of Pi 0.85,
// as Rondo and Pi serve it.
//
// # Usage
//
//	c, err := client.Start(&client.Options{Args: []string{"--model", "gpt-5.5"}, Dir: project})
//	…
//	defer c.Close()
//	c.Subscribe(func(ev proto.Event) { show(ev) })
//	err = c.Run(ctx, proto.PromptRequest{Message: "Fix the failing test."})
//	text, err := c.LastAnswer(ctx)
//	state, err := client.Do(ctx, c, proto.GetState, proto.None{})
//
// The commands, their requests and answers, and the events are those of package proto: [Do] sends
// any of the table. The client links package proto and package ai, and nothing else of this module.
//
// # Guarantees
//
//  1. Every call returns: with the response, with ctx's error, or with an [*EndedError] when
//     the agent has ended, whatever has ended it.
//  2. Events are delivered one at a time, in their order, and an event before a response is
//     delivered before the call returns. A subscriber that takes its time holds the agent
//     back.
//  3. Commands take effect in the order of their calls.
//
// # Concurrency
//
// All methods may be called from any goroutine, except that a subscriber must not wait for a
// command: nothing is read while it is at work.
package client
