// Package scripted has models that answer from a script: for tests, for trying the
// runtime without any service, and for a first run without a key.
//
// # Usage
//
// A [Model] gives the replies that it was made with, one a request, in order:
//
//	model := scripted.New(
//		scripted.Of(scripted.Call("c1", "read", map[string]any{"path": "notes.txt"})),
//		scripted.Say("The notes say that milk is out."),
//	)
//	a := agent.New(model.Stream, &agent.Options{Model: scripted.Record(), Tools: tools})
//
// A [Reply] says what the answer consists of, in which pieces and how fast it comes,
// where it waits for the test ([Reply.Hold], [Reply.Gates], [Model.Release]), and how it
// ends or fails. A reply that depends on the request is a [Func].
//
// [ParseScript] and [Load] read replies from a JSON file, whose format [Script]
// describes. [Demo] is a model that understands a few plain requests and carries them out
// with the tools that it is offered.
//
// # Usage counts
//
// Unless a reply says otherwise, four characters count as one token, as in Pi 0.85. For
// requests of one session ([ai.Options.SessionID]) a prompt cache is simulated: what a
// request shares with the beginning of the one before it counts as read, the rest as
// written, unless the request asks for no caching.
//
// # Concurrency
//
// All methods may be called from any goroutine. Requests that run at the same time take
// their replies in the order in which their streams begin to be read. No goroutines are
// started: a reply is played on the goroutine that reads its stream, and every wait ends
// when the request's context does. Time is that of package time, so a testing/synctest
// bubble controls it.
package scripted
