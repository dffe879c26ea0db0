// Package rpc serves a session over JSON lines: commands come in on one stream, responses
// and events go out on another. It speaks the RPC protocol of Pi 0.85.
//
// # Framing
//
// Each line is one JSON object and ends with LF; one CR before it is ignored. No other
// character ends a line. A command may have an id, which is any JSON value and comes back
// in its response. Every command gets exactly one response; a line that is no JSON object
// gets one whose command is "parse".
//
// The content of messages of users, models and tools is a list of blocks, whatever a session
// file has. That of custom messages is a text or a list, as it was made (Pi 0.85).
//
// # Order
//
// Events come in the order in which they happen. The response to prompt says that the
// prompt was accepted or refused, and does not wait for the run. The responses to bash and
// abort come when the command has ended and when the session has settled; other commands
// are answered meanwhile.
//
// # Flow
//
// Writing blocks: a client that does not read holds the session back, and nothing is lost
// or buffered without bound. When the input ends, what runs is aborted, all output is
// flushed, and Serve returns.
package rpc
