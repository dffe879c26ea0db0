// Package event has the events of a session: those of package agent and those that a session
// adds about settlement, queues, retry, compaction, models and entries. It is a package of its
// own so that what only reads events links no session, no tools and no extensions.
//
// An event is one variant of the sealed union [Event]. [Kinds] is the table of all variants
// with their discriminants; the documentation, the RPC protocol and the frontends are tested
// against it. To add a variant is to add a struct that embeds [agent.Sealed], with its Type and
// AppendJSON, and a row of the table.
package event
