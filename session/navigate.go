package session

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session/event"
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
// and [ErrNoEntry] for an unknown entry. If the summary fails, or is ended by ctx or by
// [Session.Abort], the session stays where it is.
func (s *Session) Navigate(ctx context.Context, to transcript.EntryID, n *Navigation) (*Navigated, error) {
	if n == nil {
		n = &Navigation{}
	}
	from := s.store.Leaf()
	n, theirs, err := s.askNavigation(ctx, to, n)
	if err != nil {
		return nil, err
	}
	leaf, result, run, err := s.beginNavigation(ctx, to, n)
	if err == nil && run != nil {
		result, err = s.navigateWithSummary(run, leaf, to, n, result, theirs)
	}
	if err == nil {
		s.tellNavigated(ctx, from, result, theirs != nil)
	}
	return result, err
}

// beginNavigation goes to an entry, unless a summary is to be made first: then run is what
// keeps others waiting.
func (s *Session) beginNavigation(ctx context.Context, to transcript.EntryID, n *Navigation) (leaf transcript.EntryID, result *Navigated, run *CompactionRun, err error) {
	s.mu.Lock()
	defer s.hub.flush()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "", nil, nil, transcript.ErrClosed
	case s.activity != nil:
		return "", nil, nil, ErrBusy
	case s.compacting != nil:
		return "", nil, nil, ErrCompacting
	}
	e, err := s.store.Entry(to)
	if err != nil {
		return "", nil, nil, fmt.Errorf("go to entry %q: %w", to, err)
	}
	leaf, result = destination(e)
	if to == s.store.Leaf() {
		leaf, result = to, &Navigated{}
	}
	if n.Summarize {
		return leaf, result, s.begin(ctx, job{}), nil
	}
	return leaf, result, nil, s.moveTo(leaf, to, n, nil)
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

// moveTo moves the leaf and gives the agent the transcript of that place; the mutex is
// held.
func (s *Session) moveTo(leaf, target transcript.EntryID, n *Navigation, summary *transcript.BranchSummaryEntry) error {
	from := s.store.Leaf()
	if err := s.store.SetLeaf(leaf); err != nil {
		return fmt.Errorf("go to entry %q: %w", target, err)
	}
	past, err := transcript.Project(s.store, leaf)
	if err == nil && summary != nil {
		if err = s.ledger.add(summary); err == nil {
			past.Messages = append(past.Messages, transcript.EntryMessage(summary))
			target = summary.ID
		}
	}
	if err == nil && n.Label != "" {
		err = s.ledger.add(&transcript.LabelEntry{TargetID: target, Label: n.Label})
	}
	if err != nil {
		return errors.Join(fmt.Errorf("go to entry %q: %w", target, err), s.store.SetLeaf(from))
	}
	s.agent.SetMessages(past.Messages)
	s.moved = true
	return nil
}

// recordSettings makes the model and the level that are in use those of a place that was
// gone to, before the first message there; the mutex is held.
func (s *Session) recordSettings() error {
	if !s.moved {
		return nil
	}
	past, err := transcript.Project(s.store, s.store.Leaf())
	if err != nil {
		return err
	}
	if entries := s.changes(past, false); len(entries) > 0 {
		if err := s.ledger.add(entries...); err != nil {
			return fmt.Errorf("record the model in %s: %w", s.store.Path(), err)
		}
	}
	s.moved = false
	return nil
}

// changes are entries that say what differs from the settings of a path. Of a fresh path,
// which has none, all differ.
func (s *Session) changes(past *transcript.Projection, fresh bool) []transcript.Entry {
	var entries []transcript.Entry
	if s.model != nil && (fresh || past.ModelID != "" && (past.Provider != s.model.Provider || past.ModelID != s.model.ID)) {
		entries = append(entries, &transcript.ModelEntry{Provider: s.model.Provider, ModelID: s.model.ID})
	}
	if fresh || past.ThinkingLevel != "" && past.ThinkingLevel != s.thinking {
		entries = append(entries, &transcript.ThinkingLevelEntry{ThinkingLevel: s.thinking})
	}
	return entries
}

// SetLabel marks an entry, or takes its mark away if the label is empty. It returns
// [ErrNoEntry] for an unknown entry.
func (s *Session) SetLabel(id transcript.EntryID, label string) error {
	if _, err := s.store.Entry(id); err != nil {
		return fmt.Errorf("label an entry: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return transcript.ErrClosed
	}
	return s.ledger.add(&transcript.LabelEntry{TargetID: id, Label: oneLine(label)})
}

// SetName names the session. Line breaks become spaces. An empty name is refused.
func (s *Session) SetName(name string) error { return s.rename(s.ctx, name) }

// rename is SetName within ctx, which may be that of an extension's handler.
func (s *Session) rename(ctx context.Context, name string) error {
	name = oneLine(name)
	if name == "" {
		return errors.New("the name of the session is empty: give it at least one character")
	}
	if err := s.setName(name); err != nil {
		return err
	}
	if s.ext.Has(extension.KindSessionInfoChanged) {
		s.ext.Fire(ctx, &extension.SessionInfoChanged{Name: name}, extension.FireGrace)
	}
	return nil
}

func (s *Session) setName(name string) error {
	s.mu.Lock()
	defer s.hub.flush()
	defer s.mu.Unlock()
	if s.sealed {
		return transcript.ErrClosed
	}
	if err := s.ledger.add(&transcript.InfoEntry{Name: name}); err != nil {
		return fmt.Errorf("name the session %s: %w", s.store.Path(), err)
	}
	s.name = &name
	s.hub.post(&event.InfoChanged{Name: name})
	return nil
}

// Name returns the name that the session was given last; empty if it has none.
func (s *Session) Name() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.name == nil {
		name, err := transcript.Name(s.store)
		if err != nil {
			return "", fmt.Errorf("read the name of session %s: %w", s.store.Path(), err)
		}
		s.name = &name
	}
	return *s.name, nil
}

var lineBreaks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\r\n]+`) })

// oneLine returns a text as a list can show it.
func oneLine(text string) string {
	return strings.TrimSpace(lineBreaks().ReplaceAllString(text, " "))
}
