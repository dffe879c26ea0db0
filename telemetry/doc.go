// Package telemetry tells an OpenTelemetry collector what sessions do: spans and metrics by
// the semantic conventions for generative AI, sent over OTLP (HTTP, protobuf).
//
// # Usage
//
// [Start] returns nil unless the environment asks for telemetry, and a nil [*Telemetry] does
// nothing, so that a program need not ask whether it is on:
//
//	tel, err := telemetry.Start(ctx, &telemetry.Options{Version: version})
//	watch := tel.Session(id)
//	s, err := session.New(store, &session.Options{Stream: watch.Stream(stream), …})
//	s.Subscribe(watch.Event)
//	…
//	err = tel.Shutdown(ctx)
//
// # What is sent
//
// A run is a span, each of its turns a child of it, and each request to a model and each
// tool call a child of its turn. A request that no turn makes, as for a summary, is a child
// of the run or a trace of its own. The metrics are histograms: tokens, the durations of
// requests, runs and tools, and the time to the first piece of an answer.
//
// What was said is not sent: no prompt, no answer, no arguments or results, no text of an
// error. OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true adds all of these but for
// images. Keys and headers are never sent.
//
// # Environment
//
// OTEL_EXPORTER_OTLP_ENDPOINT (or …_TRACES_ENDPOINT, …_METRICS_ENDPOINT) switches it on.
// Further names are OpenTelemetry's: see docs/telemetry.md. The exporter is our own, since
// that of OpenTelemetry brings gRPC along: nine megabytes, and milliseconds of every start.
//
// # Concurrency
//
// [Session.Event] is called for one event after another, as a session does; [Session.Stream]
// may be called at any time. Nothing here waits for the network but [Telemetry.Shutdown].
package telemetry
