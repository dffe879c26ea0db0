// Package conformance runs a program as a black box and compares what it shows to the
// outside with golden traces. The goldens were recorded from Pi 0.85.0, so a program that
// agrees with them can be used by its clients, sessions and extensions.
//
// A [Scenario] says what the model answers, what the client does and which files exist.
// [Program.Run] plays both neighbours of the program: the model, an HTTP server on
// loopback that speaks the dialects of the providers, and the client, which writes and
// reads JSON lines. It returns a [Recording], of which [Normalise] makes a [Trace] that no
// longer holds what differs from run to run, nor wording that an implementation is free
// to choose. [Compare] finds the facets in which two traces differ.
//
// README.md describes the files and how to run them.
package conformance
