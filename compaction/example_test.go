package compaction_test

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// Example compacts a conversation of two questions and keeps the second.
func Example() {
	store := memory.New(transcript.NewHeader("/project"))
	err := store.Append(
		storetest.User("Which port does the server use?"), storetest.Assistant("8080."),
		storetest.User("Change it to 9090."), storetest.Assistant("Done."),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := compaction.Look(store, store.Leaf())
	if err != nil {
		fmt.Println(err)
		return
	}
	room := compaction.Settings{KeepRecentTokens: 5}.Room(scripted.Record())
	plan, err := compaction.NewPlan(view, &compaction.Job{Reason: compaction.Manual}, room)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := scripted.New(scripted.Say("The server used port 8080."))
	z := &compaction.Summarizer{Stream: model.Stream, Model: scripted.Record(), Room: room}
	entry, err := z.Compact(context.Background(), plan, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(entry.Summary)
	// Output: The server used port 8080.
}
