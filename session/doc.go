// Package session is a conversation that is kept: an agent, the store of its entries, and the
// rules of the product around them. The modes of the command line are thin layers over it.
//
// # Usage
//
//	s, err := session.New(store, &session.Options{CWD: dir, Stream: stream, Model: model, Tools: tools})
//	…
//	s.Subscribe(func(ev event.Event) { show(ev) })
//	res, err := s.Prompt(ctx, session.Prompt{Text: "Fix the failing test."})
//	err = res.Err() // did the model do what it was asked?
//
// A store that has entries already is a session to go on with. [Session.Start] is Prompt for
// programs that do not wait; with [Prompt].WhileBusy it queues a message for an agent at work.
// [Session.Events] is an iterator for slow readers. A [Runtime] replaces a session by another.
//
// # Guarantees
//
// The letters name the law that the tests check. What package agent promises holds as well.
//
//  1. An event goes to the subscribers first and, if it is the end of a message, then to the
//     store: the order of entries is that of events. When a message has ended, it is stored
//     before the run goes on. A store that fails ends the run; what is missing in a file stays
//     in the conversation and is stored as soon as that is possible. [S1, S5]
//  2. Of two prompts at the same moment, one begins and the other gets [ErrBusy] or is queued.
//     [Run.Wait] returns the [Result] of that prompt alone, also where several share a run. [S2]
//  3. agent_settled comes once for each prompt that began something, when no retry, compaction
//     or queued message remains; Prompt, Wait and [Session.Abort] return only then. [S2]
//  4. After an abort nothing is asked any more: calls get their results, and the run ends.
//     Messages that are still queued then begin a new one. A [Budget] ends a run in order.
//  5. A request that has failed for a reason that passes is repeated after a delay; no tool runs
//     again for it. Then models of [Options].Successors take over until the session settles. [S3]
//  6. A conversation that leaves too little of the context window is compacted between requests,
//     once for an overflow; see package compaction. [S4]
//  7. Results of parallel calls and commands of the user become entries in order. What a crash
//     leaves becomes entries when the session is opened again; a call whose result is not known
//     gets one that says so. [S5]
//
// # Concurrency
//
// All methods may be called from any goroutine. Events are delivered one at a time, in one order.
// The agent waits until all subscribers have returned.
//
// # What is expected of a subscriber
//
// It returns soon and does not panic. It may call the session, but waits neither for it to settle
// nor for RunBash. Events that it causes are delivered after the one that it works on.
package session
