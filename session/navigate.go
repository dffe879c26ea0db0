package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/transcript"
)

// ForkMessage is a message of the user that a fork or another branch can begin at.
type ForkMessage struct {
	EntryID transcript.EntryID `json:"entryId"`
	Text    string             `json:"text"`

	parent transcript.EntryID
}

// ForkMessages lists the messages of the user that have a text, of all branches, in the
// order in which they were sent.
func ForkMessages(s transcript.Store) ([]ForkMessage, error) {
	var messages []ForkMessage
	for e, err := range s.Entries(transcript.TypeMessage) {
		if err != nil {
			return nil, err
		}
		if m, ok := asUserMessage(e); ok && m.Text != "" {
			messages = append(messages, *m)
		}
	}
	return messages, nil
}

func asUserMessage(e transcript.Entry) (*ForkMessage, bool) {
	entry, ok := e.(*transcript.MessageEntry)
	if !ok {
		return nil, false
	}
	m, ok := entry.Message.(*ai.UserMessage)
	if !ok {
		return nil, false
	}
	return &ForkMessage{EntryID: entry.ID, Text: m.Content.Text(), parent: entry.ParentID}, true
}

// userMessage returns an entry that must be a message of the user.
func userMessage(s transcript.Store, id transcript.EntryID) (*ForkMessage, error) {
	e, err := s.Entry(id)
	if err != nil {
		return nil, fmt.Errorf("fork at a message: %w", err)
	}
	m, ok := asUserMessage(e)
	if !ok {
		return nil, fmt.Errorf("fork at entry %q: it is no message of the user; get_fork_messages lists those that are", id)
	}
	return m, nil
}

func hasMessages(s transcript.Store) bool {
	for e, err := range s.Entries(transcript.TypeMessage) {
		return e != nil && err == nil
	}
	return false
}

// Navigation says what is kept when a session goes to another place in its tree.
type Navigation struct {
	// Summarize tells the model about the branch that is left, in a summary that the model
	// makes. If there is nothing to sum up, none is made.
	Summarize bool
	// Instructions say what the summary is to dwell on; with ReplacePrompt, they are all
	// that the model is asked.
	Instructions  string
	ReplacePrompt bool
	// Label marks the summary or, if there is none, the entry that was gone to; empty leaves
	// its label as it is.
	Label string
}

// Navigated is what going to another place has come to.
type Navigated struct {
	// Text is that of the message that was gone to, if the user or an extension wrote it:
	// it can be edited and sent again, as a branch beside it.
	Text string
	// Summary is that of the branch that was left; nil if none was made.
	Summary *transcript.BranchSummaryEntry
}

// Navigate goes to an entry of another branch or an earlier one of this, so that the next
// message continues from there: from the entry itself or, if that is a message of the user
// or of an extension, from what lies before it. Nothing of the session is lost, and without
// summary or label nothing is stored before the next entry is. The options may be nil.
//
// It returns [ErrBusy] while the agent works, [ErrCompacting] while a summary is being made,
// and [transcript.ErrNoEntry] for an unknown entry. If the summary fails, or is ended by ctx or
// by [Session.Abort], the session stays where it is.
func (s *Session) Navigate(ctx context.Context, to transcript.EntryID, n *Navigation) (*Navigated, error) {
	if n == nil {
		n = &Navigation{}
	}
	return s.navigator.navigate(ctx, to, n)
}

// navigator moves a session to other places in its tree.
type navigator struct {
	scheduler *scheduler
	conductor *conductor
	agent     *agent.Agent
	events    *dispatcher
	writer    *writer
	choice    *choice
	compactor *compactor
	ext       *extension.Runner
}

func (n *navigator) store() transcript.Store { return n.writer.store }

// navigate is [Session.Navigate].
func (n *navigator) navigate(ctx context.Context, to transcript.EntryID, opts *Navigation) (*Navigated, error) {
	from := n.store().Leaf()
	opts, theirs, err := n.ask(ctx, to, opts)
	if err != nil {
		return nil, err
	}
	leaf, result, run, err := n.begin(ctx, to, opts)
	if err == nil && run != nil {
		result, err = n.withSummary(run, leaf, to, opts, result, theirs)
	}
	if err == nil {
		n.notify(ctx, from, result, theirs != nil)
	}
	return result, err
}

// begin goes to an entry, unless a summary is to be made first: then run is what keeps others
// waiting.
func (n *navigator) begin(ctx context.Context, to transcript.EntryID, opts *Navigation) (leaf transcript.EntryID, result *Navigated, run *CompactionRun, err error) {
	defer n.events.flush()
	run, err = n.scheduler.reserveIdle(ctx, func() (needed bool, err error) {
		e, err := n.store().Entry(to)
		if err != nil {
			return false, fmt.Errorf("go to entry %q: %w", to, err)
		}
		leaf, result = destination(e)
		if to == n.store().Leaf() {
			leaf, result = to, &Navigated{}
		}
		if opts.Summarize {
			return true, nil
		}
		return false, n.moveTo(leaf, to, opts, nil)
	})
	if err != nil {
		return "", nil, nil, err
	}
	return leaf, result, run, nil
}

// destination returns the leaf that an entry stands for, and its text for the editor.
func destination(e transcript.Entry) (leaf transcript.EntryID, n *Navigated) {
	if m, ok := asUserMessage(e); ok {
		return m.parent, &Navigated{Text: m.Text}
	}
	if m, ok := e.(*transcript.CustomMessageEntry); ok {
		return m.ParentID, &Navigated{Text: m.Content.Content().Text()}
	}
	return e.Base().ID, &Navigated{}
}

// moveTo moves the leaf and gives the agent the transcript of that place; the scheduler's mutex
// is held.
func (n *navigator) moveTo(leaf, target transcript.EntryID, opts *Navigation, summary *transcript.BranchSummaryEntry) error {
	from := n.store().Leaf()
	if err := n.store().SetLeaf(leaf); err != nil {
		return fmt.Errorf("go to entry %q: %w", target, err)
	}
	past, err := transcript.Project(n.store(), leaf)
	if err == nil && summary != nil {
		if err = n.writer.add(summary); err == nil {
			past.Messages = append(past.Messages, transcript.EntryMessage(summary))
			target = summary.ID
		}
	}
	if err == nil && opts.Label != "" {
		err = n.writer.add(&transcript.LabelEntry{TargetID: target, Label: opts.Label})
	}
	if err != nil {
		return errors.Join(fmt.Errorf("go to entry %q: %w", target, err), n.store().SetLeaf(from))
	}
	n.agent.SetMessages(past.Messages)
	n.choice.leafMoved()
	return nil
}

// withSummary goes to another place when the branch that is left has been summed up. Until then
// no prompt is accepted, and an abort leaves everything as it is.
//
// theirs is a summary that an extension has made; nil if none has.
func (n *navigator) withSummary(run *CompactionRun, leaf, target transcript.EntryID, opts *Navigation, result *Navigated, theirs *transcript.BranchSummaryEntry) (*Navigated, error) {
	from := n.store().Leaf()
	summary, err := theirs, error(nil)
	if theirs == nil {
		summary, err = n.compactor.summarizeBranch(run.ctx, leaf, opts)
	}
	defer run.finish(nil, nil)
	n.conductor.release(func() {
		switch {
		case run.ctx.Err() != nil:
			err = fmt.Errorf("go to entry %q: the summary was called off: %w", target, context.Cause(run.ctx))
		case err != nil:
			err = fmt.Errorf("go to entry %q: %w", target, err)
		case n.store().Leaf() != from:
			err = errors.New("the conversation has moved meanwhile; try again")
		default:
			result.Summary = summary
			err = n.moveTo(leaf, target, opts, summary)
		}
	})
	n.events.flush()
	if err != nil {
		return nil, err
	}
	return result, nil
}
