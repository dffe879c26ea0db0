package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/transcript"
)

// ask asks the extensions before the session goes to another place. It returns what
// the navigation has become, and the summary that one of them has made; nil if none has.
func (n *navigator) ask(ctx context.Context, to transcript.EntryID, opts *Navigation) (*Navigation, *transcript.BranchSummaryEntry, error) {
	if !n.ext.Has(extension.KindSessionBeforeTree) {
		return opts, nil, nil
	}
	prep, err := n.preparation(to, opts)
	if err != nil {
		return nil, nil, err
	}
	answer := n.ext.BeforeTree(ctx, &extension.SessionBeforeTree{Preparation: prep})
	if answer == nil {
		return opts, nil, nil
	}
	if answer.Cancel {
		return nil, nil, fmt.Errorf("go to entry %q: %w", to, ErrCancelled)
	}
	changed := *opts
	if answer.CustomInstructions != nil {
		changed.Instructions = *answer.CustomInstructions
	}
	if answer.ReplaceInstructions != nil {
		changed.ReplacePrompt = *answer.ReplaceInstructions
	}
	if answer.Label != nil {
		changed.Label = *answer.Label
	}
	if answer.Summary == nil || !opts.Summarize {
		return &changed, nil, nil
	}
	return &changed, &transcript.BranchSummaryEntry{
		FromID: n.store().Leaf(), Summary: answer.Summary.Summary, Details: answer.Summary.Details, Usage: answer.Summary.Usage, FromHook: true,
	}, nil
}

func (n *navigator) preparation(to transcript.EntryID, opts *Navigation) (*extension.TreePreparation, error) {
	e, err := n.store().Entry(to)
	if err != nil {
		return nil, fmt.Errorf("go to entry %q: %w", to, err)
	}
	leaf, _ := destination(e)
	from := n.store().Leaf()
	stay, err := transcript.Path(n.store(), leaf)
	if err != nil {
		return nil, err
	}
	prep := &extension.TreePreparation{
		TargetID: string(to), OldLeafID: pointer(from), EntriesToSummarize: []jsontext.Value{},
		UserWantsSummary: opts.Summarize, CustomInstructions: opts.Instructions, ReplaceInstructions: opts.ReplacePrompt, Label: opts.Label,
	}
	if from == "" {
		return prep, nil
	}
	common := make(map[transcript.EntryID]bool, len(stay))
	for _, id := range stay {
		common[id] = true
	}
	for e, err := range n.store().Ancestors(from) {
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

// notify tells the extensions that the session has gone to another place.
func (n *navigator) notify(ctx context.Context, from transcript.EntryID, result *Navigated, theirs bool) {
	if !n.ext.Has(extension.KindSessionTree) {
		return
	}
	e := &extension.SessionTree{NewLeafID: pointer(n.store().Leaf()), OldLeafID: pointer(from)}
	if result.Summary != nil {
		e.SummaryEntry, e.FromExtension = rawEntry(result.Summary), theirs
	}
	n.ext.Emit(ctx, e)
}

// pointer is an id as extensions see it: null where there is none.
func pointer(id transcript.EntryID) *string {
	if id == "" {
		return nil
	}
	text := string(id)
	return &text
}
