// Package ai is the model layer: messages, content blocks, model records, and the
// stream of events that one answer of a model arrives as.
//
// # Usage
//
// A provider is a [StreamFunc]. It takes a [Request] and returns a [Stream], which is
// read with range:
//
//	stream := fn(ctx, &ai.Request{Model: model, Context: ai.Context{Messages: msgs}})
//	for ev, err := range stream.Events() {
//		if err != nil {
//			return err // the provider broke its contract
//		}
//		switch ev := ev.(type) {
//		case *ai.TextDelta:
//			fmt.Print(ev.Delta)
//		case *ai.Done:
//			save(ev.Message)
//		case *ai.Error:
//			save(ev.Message) // what had arrived, with StopReason error or aborted
//		}
//	}
//
// # Guarantees
//
//  1. A stream that is read to its end has exactly one terminal event, [Done] or [Error],
//     and it is the last one.
//  2. Only [Error] can come without a [Start] before it.
//  3. A failure of the provider is an [Error] event, never a Go error and never a panic.
//  4. What an event carries is never changed afterwards; it may be kept.
//  5. Cumulative messages are built only when [Partial.Message] is called, so that an
//     answer of n deltas costs O(n).
//  6. A reader that breaks out of the loop cancels the request.
//
// # Concurrency
//
// A stream is read by one goroutine, and the provider's code runs on that goroutine
// between two events. Events and the values in them may be handed to any goroutine.
//
// # JSON
//
// The JSON forms are those of Pi 0.85's session files and protocols. Fields, content
// blocks and roles that this package does not know survive a round trip.
package ai
