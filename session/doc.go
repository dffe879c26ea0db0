// Package session is a conversation that is kept: an agent, the store of its entries, and
// the rules of the product around them. The modes of the command line are thin layers over
// it, and so is any other program that wants what they have.
//
// # Usage
//
//	store, err := jsonl.Create(path, transcript.NewHeader(dir), nil)
//	…
//	s, err := session.New(store, &session.Options{CWD: dir, Stream: stream, Model: model, Tools: tools})
//	…
//	defer s.Close(context.Background())
//	s.Subscribe(func(ev event.Event) { show(ev) })
//	err = s.Prompt(ctx, session.Prompt{Text: "Fix the failing test."})
//	if err == nil {
//		err = s.Outcome() // did the model do what it was asked?
//	}
//
// A store that has entries already, from [jsonl.Open], is a session to go on with: the
// agent gets its messages, and the model and thinking level are those of the options or
// else the session's own. [Session.Start] is Prompt for programs that do not want to wait;
// with [Prompt.WhileBusy] it queues a message for an agent that is at work.
//
// # Guarantees
//
// The letters in brackets name the law that the tests check. What package agent promises
// about events holds here as well.
//
//  1. An event of the agent goes to the subscribers first and, if it is the end of a
//     message, then to the store. The order of the entries is that of the events. [S1]
//  2. A prompt is accepted or refused at once, in one step: of two at the same moment, one
//     begins and the other gets [ErrBusy] or is queued. None is lost. [S2]
//  3. Each agent_end closes one run. agent_settled comes once for each prompt that began
//     something, when nothing automatic remains: no retry, no compaction, no queued message.
//     Prompt, [Activity.Wait], [Session.Wait] and [Session.Abort] return only then. A message
//     that is queued while the session settles either belongs to it or waits for the next
//     prompt. A prompt that interrupts the agent settles together with what it interrupts. [S2]
//  4. When a message has ended, it is in the store before the run goes on, and before those
//     see it whom [Session.SubscribeStored] has added. A store that fails ends the run, and
//     the error is what Prompt returns. If it is a file that cannot be written, what is
//     missing in it stays in the conversation and is stored before anything else, as soon
//     as that is possible. [S5]
//  5. Results of calls that run in parallel become entries in the order of the calls, and
//     commands of RunBash beside a run when it has ended. What waits for that is kept in a
//     file beside the session's; what a crash leaves there becomes entries when the session
//     is opened again. A call of the newest answer that has no result even then gets one
//     that says that nothing is known of it. [S5]
//  6. After an abort nothing is asked any more: the calls of the answer get their results,
//     and the run ends. Messages that are still queued then begin a new one.
//  7. A request that has failed for a reason that passes is repeated, after a delay that an
//     abort ends at once; no tool runs again for it. The failed answer stays in the store and
//     leaves the transcript. An answer with nothing in it counts as failed. [S3]
//  8. A conversation that leaves too little of the context window is compacted: before a
//     prompt, between the turns of a run, and after it. A request that was too long is
//     repeated after one compaction. Calls and their results are never separated, what goes
//     into a request for a summary is bounded, and what the model has not seen yet is kept.
//     [S4]
//
// # Retry and compaction
//
// [Retry] and [Compaction] are settings; [Session.SetAutoRetry] and
// [Session.SetAutoCompaction] switch both. agent_end says with willRetry whether the request
// is repeated: then auto_retry_start and, when it has ended, auto_retry_end follow, each
// auto_retry_end closing all starts before it. compaction_start and compaction_end enclose a
// compaction, whatever comes of it. [Session.Compact] makes one at any time.
//
// A compaction adds an entry and deletes none. The model sees the summary, the entries from
// [CompactionEntry].FirstKeptEntryID on, and all later ones. A result of a tool that is
// larger than the window by itself is shortened in the request, with a note, and whole in
// the store.
//
// # Fallback
//
// [Options].Successors names models that take over from one that cannot answer: after the
// retries, if its provider is overloaded or broken; at once, if a quota is used up. The
// switch is a [ModelFallback] and a [ModelEntry], and agent_end has said with willRetry that
// the request follows; the answer is of the other model, with retries of its own. When the
// prompt settles, the chosen model is back: [ModelRestored], and another [ModelEntry]. The
// model that has failed rests for five minutes, or for as long as its server has asked for up
// to an hour: prompts in that time begin with the other model. If all of them have failed,
// the failure is that of the prompt.
//
// # Tree
//
// The entries form a tree: each names its parent, and [Store.Leaf] is where the next one is
// added. [Session.Navigate] goes to another place in it, with a summary of the branch that is
// left if that is wanted; a place is recorded by what is said there. [Tree], [Labels] and
// [ForkMessages] show what there is, [Session.SetLabel] and [Session.SetName] name it, and
// [Session.Stats] counts all branches. [CopyBranch] and [CopyTree] copy from one store into
// another.
//
// A [Runtime] holds the session that is worked with and puts others in its place: a new one,
// one of a file, a fork, a clone, an import. What runs ends only when the other session is
// open. Its subscribers get the events of whichever session there is.
//
// # Concurrency
//
// All methods may be called from any goroutine. Events are delivered one at a time, in one
// order, whichever goroutine they come from: those of the agent, of queues and settings, and
// the output of the user's own commands. The agent waits until all subscribers have
// returned from its events.
//
// # What is expected of a subscriber
//
// A subscriber returns soon and does not panic. It may call methods of the session: events
// that this causes are delivered after the one that it is working on. It must not wait for
// the session to settle, which cannot happen before it returns; so it uses Start and not
// Prompt, and StartCompaction and not Compact. Nor may it wait for a command of RunBash,
// whose output waits for subscribers. To end what runs it cancels a context, or calls Abort on another goroutine.
//
// # What is expected of a store
//
// [Store] says it, and package transcript/storetest checks it. transcript/jsonl keeps the file
// format of Pi 0.85: one JSON line for an entry, written once and never changed, by one
// writer at a time. transcript/memory keeps nothing.
//
// # Memory
//
// Of a session in a file, memory holds the index of its store and what the agent works with:
// the messages of the branch since its newest compaction. What lies before that is not even
// read.
//
// # Entries
//
// [Project] walks from a leaf to the root and returns what the model sees of the path. Types,
// roles and fields that this package does not know survive being read and written.
//
// [jsonl.Open]: https://pkg.go.dev/github.com/rondo-agent/rondo/transcript/jsonl#Open
package session
