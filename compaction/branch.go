package compaction

import (
	"context"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Limits of a branch summary (Pi 0.85).
const (
	branchReserve   = 16_384
	branchMaxTokens = 4_096
	// summariesUpTo is the share of the budget up to which a summary that does not fit is
	// taken nevertheless: it stands for much.
	summariesUpTo = 0.9
)

// The texts of requests for a branch summary.
const (
	branchAsk    = "The conversation above is a branch that the user has left, to go on from an earlier point. Write notes on it for the agent that goes on there and has not seen it: it must know what was tried, what came of it, and what of it is still in the files. "
	branchUpdate = "Above are notes on a branch that the user has left, in <previous-summary>, and more of that branch, in <conversation>. Write one set of notes that covers both, for an agent that goes on from an earlier point. "
)

// branchPlan is a branch that is going to be summed up.
type branchPlan struct {
	from     transcript.EntryID // where it is left
	messages []agent.Message
	Files    Files
}

// abandoned looks at what of the path to the leaf from is not on the path to the leaf to. The
// newest messages are taken, as far as the budget reaches; all of them count for the files.
func abandoned(s transcript.Store, from, to transcript.EntryID, budget int) (*branchPlan, error) {
	p := &branchPlan{from: from, Files: Files{make(map[string]bool), make(map[string]bool)}}
	if from == "" {
		return p, nil
	}
	ids, err := transcript.Path(s, to)
	if err != nil {
		return nil, err
	}
	stay := make(map[transcript.EntryID]struct{}, len(ids))
	for _, id := range ids {
		stay[id] = struct{}{}
	}
	failed := make(map[string]bool)
	room, size := true, 0
	for e, err := range s.Ancestors(from) {
		if err != nil {
			return nil, err
		}
		if _, common := stay[e.Base().ID]; common {
			break
		}
		m := transcript.EntryMessage(e)
		p.Files.of(m, failed)
		if !room || skipped(m) {
			continue
		}
		n := Size(m)
		if room = size+n <= budget; !room && (!isSummary(m) || float64(size) >= summariesUpTo*float64(budget)) {
			continue
		}
		size += n
		p.messages = append(p.messages, m)
	}
	slices.Reverse(p.messages)
	return p, nil
}

// skipped reports whether a message is left out: none at all, or a result, which says less
// than the answer to it.
func skipped(m agent.Message) bool {
	switch m := m.(type) {
	case nil, *ai.ToolResultMessage:
		return true
	case *transcript.BashExecution:
		return m.ExcludeFromContext
	}
	return false
}

func isSummary(m agent.Message) bool {
	switch m.(type) {
	case *transcript.BranchSummary, *transcript.CompactionSummary:
		return true
	}
	return false
}

// of takes note of the files of one message of a path that is walked back. Results come before
// their calls then: failed are those that have failed.
func (f Files) of(m agent.Message, failed map[string]bool) {
	switch m := m.(type) {
	case *ai.ToolResultMessage:
		failed[m.ToolCallID] = m.IsError
	case *ai.AssistantMessage:
		for _, call := range m.Content.ToolCalls() {
			if !failed[call.ID] {
				f.call(call)
			}
		}
	}
}

// BranchOptions say how a summary of a branch is asked for.
type BranchOptions struct {
	// Reserve is in tokens, which are kept free of the branch in the request; 0 means 16384.
	Reserve int
	// Instructions say what the summary is to dwell on; with ReplacePrompt, they are all that the
	// model is asked.
	Instructions  string
	ReplacePrompt bool
}

// Branch makes the entry of the branch that is left for another leaf; nil if it has nothing to
// say.
func (z *Summarizer) Branch(ctx context.Context, store transcript.Store, to transcript.EntryID, o BranchOptions) (*transcript.BranchSummaryEntry, error) {
	if z.Room.Reserve = o.Reserve; z.Room.Reserve <= 0 {
		z.Room.Reserve = branchReserve
	}
	budget := unknownBudget
	if z.Room.Window > 0 {
		z.Room.Reserve = min(z.Room.Reserve, z.Room.Window/2)
		budget = z.Room.Window - z.Room.Reserve
	}
	p, err := abandoned(store, store.Leaf(), to, budget)
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", store.Path(), err)
	}
	list := pieces(p.messages)
	if len(list) == 0 {
		return nil, nil
	}
	z.begin()
	summary, err := z.condense(ctx, "", list, o.phrasing(z.Room.Reserve))
	if err != nil {
		return nil, err
	}
	summary, details, err := p.Files.appendTo(summary)
	if err != nil {
		return nil, err
	}
	return &transcript.BranchSummaryEntry{FromID: p.from, Summary: summary, Details: details, Usage: z.Usage}, nil
}

// phrasing is how the summary is asked for.
func (o *BranchOptions) phrasing(reserve int) phrasing {
	p := phrasing{first: branchAsk + summaryForm, next: branchUpdate + summaryForm, Instructions: o.Instructions, part: min(branchMaxTokens/float64(reserve), 1)}
	if o.ReplacePrompt && o.Instructions != "" {
		p.first, p.next, p.Instructions = o.Instructions, branchUpdate+o.Instructions, ""
	}
	return p
}
