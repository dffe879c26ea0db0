package transcript

import (
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// Projection is what a session's path comes to: the transcript that the agent goes on
// with, and the settings that were in force.
type Projection struct {
	Messages []agent.Message
	// Provider and ModelID name the model that was chosen or answered last; empty if there
	// is none.
	Provider, ModelID string
	// ThinkingLevel is empty if it was never set.
	ThinkingLevel ai.ThinkingLevel
}

// Project walks from the leaf to the root and returns what the model is to see of the
// path. After a compaction that is the summary, what it kept, and all that came later;
// what lies before is not even read, and neither are other branches.
func Project(s Store, leaf EntryID) (*Projection, error) {
	p := new(Projection)
	if leaf == "" {
		return p, nil
	}
	path, compaction, _, err := Visible(s, leaf)
	if err != nil {
		return nil, err
	}
	p.transcript(path, compaction)
	return p, p.settings(s, leaf)
}

// Visible returns the entries of the path that count, oldest first, and the newest
// compaction. Entries before its first kept one are left out; newer of them come after the
// compaction.
func Visible(s Store, leaf EntryID) (path []Entry, compaction *CompactionEntry, newer int, err error) {
	complete := false
	for e, err := range s.Ancestors(leaf) {
		if err != nil {
			return nil, nil, 0, err
		}
		if c, ok := e.(*CompactionEntry); ok {
			if compaction != nil {
				if e.Base().ID == compaction.FirstKeptEntryID {
					complete = true
					break
				}
				continue // an older summary is part of the newer one
			}
			compaction, newer = c, len(path)
		} else {
			path = append(path, e)
		}
		if compaction != nil && e.Base().ID == compaction.FirstKeptEntryID {
			complete = true
			break
		}
	}
	if compaction != nil && !complete { // the first kept entry is not on this path
		path = path[:newer]
	}
	if compaction == nil {
		newer = len(path)
	}
	slices.Reverse(path)
	return path, compaction, newer, nil
}

// transcript makes the messages of the path.
func (p *Projection) transcript(path []Entry, compaction *CompactionEntry) {
	if compaction != nil {
		if compaction.SystemMessage != nil {
			if m, err := agent.DecodeMessage(compaction.SystemMessage); err == nil {
				p.Messages = append(p.Messages, m)
			}
		}
		p.Messages = append(p.Messages, EntryMessage(compaction))
	}
	for _, m := range PathMessages(path) {
		if m != nil {
			p.Messages = append(p.Messages, m)
		}
	}
}

// PathMessages returns the message that each entry of a path is for the model; nil for one
// that is none or is hidden.
func PathMessages(path []Entry) []agent.Message {
	edits := make(map[EntryID]*ContextEditEntry)
	for _, e := range path {
		if edit, ok := e.(*ContextEditEntry); ok {
			edits[edit.TargetID] = edit
		}
	}
	messages := make([]agent.Message, len(path))
	for i, e := range path {
		messages[i] = EntryMessage(e)
		if edit, ok := edits[e.Base().ID]; ok {
			messages[i] = edit.apply(messages[i])
		}
	}
	return messages
}

// settings looks for the newest model and thinking level of the path. The model may have
// been changed where nobody recorded it, so that an answer says which it was as well.
func (p *Projection) settings(s Store, leaf EntryID) error {
	for e, err := range s.Ancestors(leaf, TypeThinkingLevel) {
		if err != nil {
			return err
		}
		if e, ok := e.(*ThinkingLevelEntry); ok {
			p.ThinkingLevel = e.ThinkingLevel
			break
		}
	}
	for e, err := range s.Ancestors(leaf, TypeModel, TypeMessage) {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case *ModelEntry:
			p.Provider, p.ModelID = e.Provider, e.ModelID
		case *MessageEntry:
			if answer, ok := e.Message.(*ai.AssistantMessage); ok && answer.Model != "" {
				p.Provider, p.ModelID = answer.Provider, answer.Model
			}
		default: // the other entries name no model
		}
		if p.ModelID != "" {
			return nil
		}
	}
	return nil
}

// EntryMessage returns the message that an entry is in the transcript, or nil for one that
// is none.
func EntryMessage(e Entry) agent.Message {
	at := e.Base().Timestamp.Millis()
	switch e := e.(type) {
	case *MessageEntry:
		return e.Message
	case *CustomMessageEntry:
		return &CustomMessage{CustomType: e.CustomType, Content: e.Content, Display: e.Display, Details: e.Details, Timestamp: at}
	case *BranchSummaryEntry:
		return &BranchSummary{Summary: e.Summary, FromID: e.FromID, Timestamp: at}
	case *CompactionEntry:
		return &CompactionSummary{Summary: e.Summary, TokensBefore: e.TokensBefore, Timestamp: at}
	default:
		return nil
	}
}

// apply returns what is left of the message, or nil if it is hidden. A kind of message
// that has no content stays as it is.
func (e *ContextEditEntry) apply(m agent.Message) agent.Message {
	if e.Replacement == nil {
		return nil
	}
	content := e.Replacement.Content
	switch m := m.(type) {
	case *ai.UserMessage:
		edited := *m
		edited.Content = content
		return &edited
	case *ai.AssistantMessage:
		edited := *m
		edited.Content = content
		return &edited
	case *ai.ToolResultMessage:
		edited := *m
		edited.Content = content
		return &edited
	case *CustomMessage:
		edited := *m
		edited.Content = CustomContent{Blocks: append(ai.Content{}, content...)}
		return &edited
	}
	return m
}
