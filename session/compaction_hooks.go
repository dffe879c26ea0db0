package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// errCompactionCancelled is the cause of a compaction that an extension has called off.
var errCompactionCancelled = errors.New("an extension has called the compaction off")

// ask asks the extensions about a compaction. One may call it off, or make the
// entry itself, which is in run then.
func (c *compactor) ask(run *CompactionRun, p *compaction.Plan) error {
	if !c.ext.Has(extension.KindSessionBeforeCompact) {
		return nil
	}
	path, err := transcript.Branch(c.writer.store, p.Leaf)
	if err != nil {
		return fmt.Errorf("read session %s: %w", c.writer.store.Path(), err)
	}
	answer := c.ext.BeforeCompact(run.ctx, &extension.SessionBeforeCompact{
		Preparation: c.preparation(p), BranchEntries: rawEntries(path),
		CustomInstructions: run.Instructions, Reason: string(run.Reason), WillRetry: run.Repeat != nil,
	})
	switch {
	case run.ctx.Err() != nil:
		return context.Cause(run.ctx)
	case answer == nil:
		return nil
	case answer.Cancel:
		run.cancel(errCompactionCancelled)
		return errCompactionCancelled
	case answer.Compaction == nil:
		return nil
	}
	theirs := answer.Compaction
	if strings.TrimSpace(theirs.Summary) == "" {
		return errors.New("the compaction that an extension has made has an empty summary: nothing was replaced")
	}
	run.entry = &transcript.CompactionEntry{
		Summary: theirs.Summary, FirstKeptEntryID: transcript.EntryID(theirs.FirstKeptEntryID), TokensBefore: theirs.TokensBefore, Details: theirs.Details, Usage: theirs.Usage, FromHook: true,
	}
	if !slices.ContainsFunc(path, func(e transcript.Entry) bool { return e.Base().ID == run.entry.FirstKeptEntryID }) {
		return fmt.Errorf("the compaction that an extension has made keeps entries from %q on, which is not on this branch", theirs.FirstKeptEntryID)
	}
	return nil
}

func (c *compactor) preparation(p *compaction.Plan) *extension.CompactionPreparation {
	files := p.Files()
	prep := &extension.CompactionPreparation{
		FirstKeptEntryID: string(p.FirstKept), MessagesToSummarize: p.History, TurnPrefixMessages: p.Prefix, IsSplitTurn: len(p.Prefix) > 0,
		TokensBefore: p.TokensBefore,
		FileOps: extension.FileOps{
			Read: slices.Sorted(maps.Keys(files.Read)), Written: []string{}, Edited: slices.Sorted(maps.Keys(files.Modified)),
		},
		Settings: extension.CompactionSettings{
			Enabled: c.enabled(), ReserveTokens: c.opts.Compaction.Reserve(), KeepRecentTokens: c.opts.Compaction.Keep(),
		},
	}
	if p.Previous != nil {
		prep.PreviousSummary = p.Previous.Summary
	}
	return prep
}

// notifyCompacted tells the extensions of a compaction, before all others.
func (c *compactor) notifyCompacted(run *CompactionRun) {
	if !c.ext.Has(extension.KindSessionCompact) {
		return
	}
	for e, err := range c.writer.store.Ancestors(c.writer.store.Leaf(), transcript.TypeCompaction) {
		if err == nil {
			c.ext.Emit(run.ctx, &extension.SessionCompact{
				CompactionEntry: rawEntry(e), FromExtension: run.entry != nil, Reason: string(run.Reason), WillRetry: run.Repeat != nil,
			})
		}
		return
	}
}

// notifyFailed tells the extensions of one that has failed, after all others.
func (c *compactor) notifyFailed(end *event.CompactionEnd, theirs bool) {
	if c.ext.Has(extension.KindSessionCompactFailed) {
		c.ext.Emit(c.scheduler.ctx, &extension.SessionCompactFailed{Reason: string(end.Reason), ErrorMessage: end.ErrorMessage, Aborted: end.Aborted, FromExtension: theirs})
	}
}
