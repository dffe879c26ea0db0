package compaction_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// wordless are answers that are no summary, although they claim success.
var wordless = map[string]scripted.Reply{
	"thinking alone":       scripted.Of(scripted.Thinking("I should write notes.")),
	"blank text":           scripted.Of(scripted.Text(" \n\t")),
	"thinking and blank":   scripted.Of(scripted.Thinking("Notes."), scripted.Text("\n")),
	"nothing":              scripted.Of(),
	"tools without a call": {Blocks: scripted.Of(scripted.Thinking("Hm.")).Blocks, Stop: ai.StopToolUse},
}

func TestAnAnswerWithoutTextIsNoSummary(t *testing.T) {
	for name, reply := range wordless {
		t.Run(name, func(t *testing.T) {
			store := storetest.Memory(t, storetest.User("first"), storetest.Assistant("one"), storetest.User("second"), storetest.Assistant("two"))
			view, err := compaction.Look(store, store.Leaf())
			if err != nil {
				t.Fatal(err)
			}
			room := compaction.Settings{KeepRecentTokens: 2}.Room(scripted.Record())
			plan, err := compaction.NewPlan(view, &compaction.Job{Reason: compaction.Threshold}, room)
			if err != nil {
				t.Fatal(err)
			}
			z := &compaction.Summarizer{Stream: scripted.New(reply, reply).Stream, Model: scripted.Record(), Room: room}
			if e, err := z.Compact(t.Context(), plan, ""); err == nil {
				t.Errorf("Compact: the summary is %q", e.Summary)
			}
			if e, err := z.Branch(t.Context(), store, "", compaction.BranchOptions{}); err == nil {
				t.Errorf("Branch: the summary is %q", e.Summary)
			}
		})
	}
}

func TestAnAnswerWithoutTextIsAskedForAgain(t *testing.T) {
	store := storetest.Memory(t, storetest.User("first"), storetest.Assistant("one"), storetest.User("second"), storetest.Assistant("two"))
	view, err := compaction.Look(store, store.Leaf())
	if err != nil {
		t.Fatal(err)
	}
	room := compaction.Settings{KeepRecentTokens: 2}.Room(scripted.Record())
	plan, err := compaction.NewPlan(view, &compaction.Job{Reason: compaction.Manual}, room)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	z := &compaction.Summarizer{
		Stream: scripted.New(scripted.Of(scripted.Thinking("Hm.")), scripted.Say("Notes.")).Stream, Model: scripted.Record(), Room: room,
		Retries: compaction.Retries{Max: 1, Delay: func(attempt int, failed *ai.AssistantMessage) (d time.Duration, again bool) {
			asked++
			return 0, attempt == 1 && errors.Is(failed.Err, ai.ErrEmptyAnswer)
		}},
	}
	e, err := z.Compact(t.Context(), plan, "")
	if err != nil || e.Summary != "Notes." || asked == 0 {
		t.Errorf("%+v, %v after %d failures", e, err, asked)
	}
}
