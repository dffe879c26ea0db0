package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// errCompactionCancelled is the cause of a compaction that an extension has called off.
var errCompactionCancelled = errors.New("an extension has called the compaction off")

// askCompaction asks the extensions about a compaction. One may call it off, or make the
// entry itself, which is in run then.
func (s *Session) askCompaction(run *CompactionRun, p *plan) error {
	if !s.ext.Has(extension.KindSessionBeforeCompact) {
		return nil
	}
	path, err := transcript.Branch(s.store, p.leaf)
	if err != nil {
		return fmt.Errorf("read session %s: %w", s.store.Path(), err)
	}
	answer := s.ext.BeforeCompact(run.ctx, &extension.SessionBeforeCompact{
		Preparation: s.preparation(p), BranchEntries: rawEntries(path),
		CustomInstructions: run.instructions, Reason: string(run.reason), WillRetry: run.repeat != nil,
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
	c := answer.Compaction
	run.entry = &transcript.CompactionEntry{
		Summary: c.Summary, FirstKeptEntryID: transcript.EntryID(c.FirstKeptEntryID), TokensBefore: c.TokensBefore, Details: c.Details, Usage: c.Usage, FromHook: true,
	}
	if !slices.ContainsFunc(path, func(e transcript.Entry) bool { return e.Base().ID == run.entry.FirstKeptEntryID }) {
		return fmt.Errorf("the compaction that an extension has made keeps entries from %q on, which is not on this branch", c.FirstKeptEntryID)
	}
	return nil
}

func (s *Session) preparation(p *plan) *extension.CompactionPreparation {
	files := filesOf(p)
	prep := &extension.CompactionPreparation{
		FirstKeptEntryID: string(p.firstKept), MessagesToSummarize: p.history, TurnPrefixMessages: p.prefix, IsSplitTurn: len(p.prefix) > 0,
		TokensBefore: p.tokensBefore,
		FileOps: extension.FileOps{
			Read: slices.Sorted(maps.Keys(files.read)), Written: []string{}, Edited: slices.Sorted(maps.Keys(files.modified)),
		},
		Settings: extension.CompactionSettings{
			Enabled: s.State().AutoCompaction, ReserveTokens: s.opts.Compaction.reserve(), KeepRecentTokens: s.opts.Compaction.keep(),
		},
	}
	if p.previous != nil {
		prep.PreviousSummary = p.previous.Summary
	}
	return prep
}

// tellCompacted tells the extensions of a compaction, before all others.
func (s *Session) tellCompacted(run *CompactionRun) {
	if !s.ext.Has(extension.KindSessionCompact) {
		return
	}
	for e, err := range s.store.Ancestors(s.store.Leaf(), transcript.TypeCompaction) {
		if err == nil {
			s.ext.Emit(run.ctx, &extension.SessionCompact{
				CompactionEntry: rawEntry(e), FromExtension: run.entry != nil, Reason: string(run.reason), WillRetry: run.repeat != nil,
			})
		}
		return
	}
}

// tellNotCompacted tells the extensions of one that has failed, after all others.
func (s *Session) tellNotCompacted(end *event.CompactionEnd, theirs bool) {
	if s.ext.Has(extension.KindSessionCompactFailed) {
		s.ext.Emit(s.ctx, &extension.SessionCompactFailed{Reason: string(end.Reason), ErrorMessage: end.ErrorMessage, Aborted: end.Aborted, FromExtension: theirs})
	}
}

// askNavigation asks the extensions before the session goes to another place. It returns what
// the navigation has become, and the summary that one of them has made; nil if none has.
func (s *Session) askNavigation(ctx context.Context, to transcript.EntryID, n *Navigation) (*Navigation, *transcript.BranchSummaryEntry, error) {
	if !s.ext.Has(extension.KindSessionBeforeTree) {
		return n, nil, nil
	}
	prep, err := s.treePreparation(to, n)
	if err != nil {
		return nil, nil, err
	}
	answer := s.ext.BeforeTree(ctx, &extension.SessionBeforeTree{Preparation: prep})
	if answer == nil {
		return n, nil, nil
	}
	if answer.Cancel {
		return nil, nil, fmt.Errorf("go to entry %q: %w", to, ErrCancelled)
	}
	changed := *n
	if answer.CustomInstructions != nil {
		changed.Instructions = *answer.CustomInstructions
	}
	if answer.ReplaceInstructions != nil {
		changed.ReplacePrompt = *answer.ReplaceInstructions
	}
	if answer.Label != nil {
		changed.Label = *answer.Label
	}
	if answer.Summary == nil || !n.Summarize {
		return &changed, nil, nil
	}
	return &changed, &transcript.BranchSummaryEntry{
		FromID: s.store.Leaf(), Summary: answer.Summary.Summary, Details: answer.Summary.Details, Usage: answer.Summary.Usage, FromHook: true,
	}, nil
}

func (s *Session) treePreparation(to transcript.EntryID, n *Navigation) (*extension.TreePreparation, error) {
	e, err := s.store.Entry(to)
	if err != nil {
		return nil, fmt.Errorf("go to entry %q: %w", to, err)
	}
	leaf, _ := destination(e)
	from := s.store.Leaf()
	stay, err := transcript.Path(s.store, leaf)
	if err != nil {
		return nil, err
	}
	prep := &extension.TreePreparation{
		TargetID: string(to), OldLeafID: pointer(from), EntriesToSummarize: []jsontext.Value{},
		UserWantsSummary: n.Summarize, CustomInstructions: n.Instructions, ReplaceInstructions: n.ReplacePrompt, Label: n.Label,
	}
	if from == "" {
		return prep, nil
	}
	common := make(map[transcript.EntryID]bool, len(stay))
	for _, id := range stay {
		common[id] = true
	}
	for e, err := range s.store.Ancestors(from) {
		if err != nil {
			return nil, err
		}
		if common[e.Base().ID] {
			prep.CommonAncestorID = pointer(e.Base().ID)
			break
		}
		prep.EntriesToSummarize = append(prep.EntriesToSummarize, rawEntry(e))
	}
	slices.Reverse(prep.EntriesToSummarize)
	return prep, nil
}

// tellNavigated tells the extensions that the session has gone to another place.
func (s *Session) tellNavigated(ctx context.Context, from transcript.EntryID, n *Navigated, theirs bool) {
	if !s.ext.Has(extension.KindSessionTree) {
		return
	}
	e := &extension.SessionTree{NewLeafID: pointer(s.store.Leaf()), OldLeafID: pointer(from)}
	if n.Summary != nil {
		e.SummaryEntry, e.FromExtension = rawEntry(n.Summary), theirs
	}
	s.ext.Emit(ctx, e)
}

// pointer is an id as extensions see it: null where there is none.
func pointer(id transcript.EntryID) *string {
	if id == "" {
		return nil
	}
	text := string(id)
	return &text
}
