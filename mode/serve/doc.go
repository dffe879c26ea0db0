// Package serve is the HTTP mode: sessions as resources, their events as server-sent events,
// and a page for browsers. docs/http.md describes it for authors of clients.
//
// # Usage
//
//	server, err := serve.New(&serve.Options{Token: token, Dir: dir, CWD: cwd, Open: open})
//	err = server.Serve(ctx, listener)
//
// # Streams
//
//  1. An event is encoded once and written into the session's ring ([ring.Ring]), however many
//     read it. Readers have a place in the ring and their own connection: one that is slow or
//     dead costs the run nothing.
//  2. Every event has an id. A client that names the last one it had (Last-Event-ID) gets what
//     came after it. If some of that is gone, it gets an event that says so and a snapshot, which says what
//     all events up to an id have led to; events go on after that id.
//  3. A client that disconnects changes nothing. What runs ends by itself, by an abort, or with
//     the server.
//
// # Sessions
//
// A session is opened when a client needs it, and closed when none has for a while: its file is
// closed and unlocked, and what stays is its id and where it is. It opens again by itself; a client
// that comes back with an id of before gets a snapshot.
//
// # Safety
//
// Every request needs the token, as a bearer token or as the cookie that the page gets for it.
// The Host header must name this server, and requests that a browser sends for another site
// are refused, whatever they carry. Tokens are never in an address, nor in what is logged.
package serve
