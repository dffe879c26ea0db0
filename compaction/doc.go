// Package compaction replaces the older part of a conversation by a summary (law S4): it
// measures messages, plans what a summary stands for, and asks a model for it. It consists of
// functions over messages and entries and knows no session: package session decides when a
// conversation is compacted, asks the extensions, and stores the entry.
//
// # Usage
//
//	view, err := compaction.Look(store, store.Leaf())
//	…
//	room := settings.Room(model)
//	plan, err := compaction.NewPlan(view, &compaction.Job{Reason: compaction.Manual}, room)
//	…
//	z := &compaction.Summarizer{Stream: stream, Model: model, Room: room}
//	entry, err := z.Compact(ctx, plan, "")
//	…
//	err = store.Append(entry)
//
// # Guarantees
//
//  1. A plan never separates a call from its result, and keeps what the model has not answered
//     yet. It keeps about [Settings].KeepRecentTokens of the newest messages; in a small window
//     neither these nor the reserve take more than half.
//  2. A turn that is split gets notes of its own behind those of the history.
//  3. A request for a summary is bounded, in tokens and in bytes. What is too long for one
//     request is summed up part by part, and a part that is still too long is made smaller, so
//     that it always ends. Results of tools are cut to 2,000 bytes, images are left out (Pi 0.85).
//  4. An answer without text, one that was cut, and one that calls a tool are no summary: the
//     error says so, and nothing is replaced.
//  5. System messages of the compacted part stay in force: [Plan.SystemMessage] replays them
//     (law L11).
//
// # Sizes
//
// [Size] and [Estimate] count tokens as Pi 0.85 does, roughly four bytes a token; [Reported] is
// what a provider has counted with an answer. [ShortenResults] makes single results of tools
// smaller that no compaction can help with.
//
// # Concurrency
//
// Functions may be called from any goroutine. A [Summarizer] is for one goroutine at a time.
package compaction
