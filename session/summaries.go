package session

import (
	"context"
	"time"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// BranchSummaries says how a branch that is left is summed up. The zero value is that of Pi
// 0.85's settings.
type BranchSummaries struct {
	// ReserveTokens are kept free of the branch in the request; 0 means 16384.
	ReserveTokens int
}

// summarizer returns one for a model, whose requests are repeated as those of the session are.
func (c *compactor) summarizer(m *ai.Model, r compaction.Room, start event.SummarizationRetryAttemptStart) *compaction.Summarizer {
	return &compaction.Summarizer{
		Stream: c.opts.Stream, Model: m, Options: c.opts.Request, APIKey: c.opts.Hooks.APIKey, Grace: c.opts.AbortGrace, Failures: c.opts.Failures,
		Room: r, Density: c.meter.densityOf(m), Retries: compaction.Retries{Max: c.retry.policy.max(), Delay: c.retry.delay},
		Notify: compaction.Notify{
			Scheduled: func(attempt, limit int, delay time.Duration, errorMessage string) {
				c.events.emit(&event.SummarizationRetryScheduled{
					Attempt: attempt, MaxAttempts: limit, DelayMs: milliseconds(delay), ErrorMessage: errorMessage,
				})
			},
			Attempt: func() {
				again := start
				c.events.emit(&again)
			},
			Finished: func() { c.events.emit(&event.SummarizationRetryFinished{}) },
		},
	}
}

// summarizeBranch makes the summary of the branch that is left for another leaf; nil if it has
// nothing to say.
func (c *compactor) summarizeBranch(ctx context.Context, to transcript.EntryID, n *Navigation) (*transcript.BranchSummaryEntry, error) {
	m, err := c.choice.ready()
	if err != nil {
		return nil, err
	}
	z := c.summarizer(m, c.opts.Compaction.Room(m), event.SummarizationRetryAttemptStart{Source: "branchSummary"})
	return z.Branch(ctx, c.writer.store, to, compaction.BranchOptions{
		Reserve: c.opts.BranchSummaries.ReserveTokens, Instructions: n.Instructions, ReplacePrompt: n.ReplacePrompt,
	})
}
