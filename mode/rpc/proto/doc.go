// Package proto has the types of the RPC protocol as they are on the wire: requests and answers
// of commands, events, and the requests of extensions to the person at a client. It is the
// protocol of Pi 0.85 with the additions that docs/rpc.md names.
//
// # Commands
//
// The variables of type [Command], such as [SetModel], are the table of commands: each ties a
// name to the types of its request and of its answer. The server (package mode/rpc) has a handler
// for each of them, the client (package mode/rpc/client) sends any of them, and the documentation
// is tested against [Commands]. To add a command is to add a variable here and a handler there.
//
// # Events
//
// An event is one variant of the sealed union [Event], which [DecodeEvent] reads. [Events] is the
// table of discriminants; tests compare it with the tables of packages agent, session and
// extension. A kind that is not in the table is an [*Unknown], which keeps its line.
//
// # Dependencies
//
// This package imports package ai and nothing else of this module, so that a client links no
// agent, no tools, no session and no extensions.
package proto
