package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// BranchSummaries says how a branch that is left is summed up. The zero value is that of Pi
// 0.85's settings.
type BranchSummaries struct {
	// ReserveTokens are kept free of the branch in the request; 0 means 16384.
	ReserveTokens int
}

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
	files    files
}

// abandoned looks at what of the path to the leaf from is not on the path to the leaf to. The
// newest messages are taken, as far as the budget reaches; all of them count for the files.
func abandoned(s transcript.Store, from, to transcript.EntryID, budget int) (*branchPlan, error) {
	p := &branchPlan{from: from, files: files{make(map[string]bool), make(map[string]bool)}}
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
		p.files.of(m, failed)
		if !room || skipped(m) {
			continue
		}
		n := sizeOf(m)
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
func (f files) of(m agent.Message, failed map[string]bool) {
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

// summarizeBranch makes the summary of the branch that is left for another leaf; nil if it has
// nothing to say.
func (c *compactor) summarizeBranch(ctx context.Context, to transcript.EntryID, n *Navigation) (*transcript.BranchSummaryEntry, error) {
	m, err := c.choice.ready()
	if err != nil {
		return nil, err
	}
	r := c.room(m)
	if r.reserve = c.opts.BranchSummaries.ReserveTokens; r.reserve <= 0 {
		r.reserve = branchReserve
	}
	budget := unknownBudget
	if r.window > 0 {
		r.reserve = min(r.reserve, r.window/2)
		budget = r.window - r.reserve
	}
	store := c.writer.store
	p, err := abandoned(store, store.Leaf(), to, budget)
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", store.Path(), err)
	}
	list := pieces(p.messages)
	if len(list) == 0 {
		return nil, nil
	}
	z := c.summarizer(m, r, event.SummarizationRetryAttemptStart{Source: "branchSummary"})
	summary, err := z.condense(ctx, "", list, n.phrasing(r.reserve))
	if err != nil {
		return nil, err
	}
	details := p.files.details()
	raw, err := json.Marshal(details, lenient.UTF8)
	if err != nil {
		return nil, err
	}
	return &transcript.BranchSummaryEntry{FromID: p.from, Summary: appendFiles(summary, details), Details: raw, Usage: z.usage}, nil
}

// phrasing is how the summary is asked for.
func (n *Navigation) phrasing(reserve int) phrasing {
	p := phrasing{first: branchAsk + summaryForm, next: branchUpdate + summaryForm, instructions: n.Instructions, part: min(branchMaxTokens/float64(reserve), 1)}
	if n.ReplacePrompt && n.Instructions != "" {
		p.first, p.next, p.instructions = n.Instructions, branchUpdate+n.Instructions, ""
	}
	return p
}
