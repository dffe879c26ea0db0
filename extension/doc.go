// Package extension is the contract between a session and the programs that extend it, and
// the runner that calls them.
//
// An extension is a [Factory]. It gets an [API], registers what it brings (handlers of
// events, tools, commands, flags, shortcuts, renderers, providers), and returns; after that
// the API acts on the session. An extension may be compiled in ([Builtin]) or be a file that
// a [Host] knows how to load.
//
// # Observation and control
//
// A handler is registered with [On]; the type of the event selects its row in the table of
// [Policies]. Events of the lifecycle return nothing and change nothing: [Observe] is for
// them. The events that ask have a result of their own type, nil for "no opinion", and are
// chained in the order in which the extensions were loaded (law X1).
//
// # What is expected of a handler
//
// It may take its time: who sends an awaited event waits for it, so a slow handler of
// message_update slows the answer. It returns soon after its context is done. What an event
// carries is not changed, except where [Policy.Mutable] names a field for that.
//
// # Failures
//
// An error, a panic, and a handler that does not return before its deadline are failures of
// that handler alone: they are reported (extension_error), and the next handler runs (law
// X2). Only an event whose policy fails closed stops what it is about. A handler that hangs
// is left behind and not called again until it has returned; what it returns then is
// dropped. The time that a handler waits for a person does not count.
//
// # Stale contexts
//
// When a session is replaced or reloaded, the extensions are loaded anew. Everything that
// an old instance holds is stale then: its actions return [ErrStale], its dialogs decline.
package extension
