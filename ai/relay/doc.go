// Package relay asks models through a server that holds the keys.
//
// # Usage
//
// The server mounts a [Handler] at [Path]:
//
//	http.Handle(relay.Path, relay.Handler(anthropic.Messages, relay.Token(secret), resolve, nil))
//
// where resolve turns the model that a client names into the server's own record of it,
// and adds the key. A client gets an [ai.StreamFunc] that takes the place of a provider:
//
//	ask := relay.New("https://relay.example", secret)
//
// # Wire
//
// The wire is that of Pi's proxy (Pi 0.85): a POST to url + /api/stream with the token as
// bearer, whose body is {model, context, options}; the response is a stream of
// Server-Sent Events. Events hold what is new and never the message so far, so that an
// answer of n tokens takes O(n) bytes; the client rebuilds the message.
//
// Fields that Rondo adds, which a client of Pi ignores:
//
//   - text_end and thinking_end: content, if the deltas do not add up to it; thinking_end:
//     redacted.
//   - toolcall_end: arguments, the text of the arguments if the deltas do not add up to it.
//   - done and error: responseId, responseModel, rawStopReason, thinkingLevel, endTurn,
//     diagnostics, api, provider, model, extra (fields that are not known), and content if
//     the message is not the one that was streamed; error: failure, which holds what
//     decides about a retry.
//
// The client's final message equals the server's but for timestamp and durationMs, which
// are the client's own: two clocks in one transcript would disorder it.
//
// # Trust
//
// A client's request cannot hold a key: Options.APIKey, the hooks and Model.Headers stay
// with the client, and a handler drops headers that carry credentials. It shows resolve
// nothing of the client's model but what names it, above all no base URL, and removes the
// server's keys from all that it reports about a failure.
package relay
