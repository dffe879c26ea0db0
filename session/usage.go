package session

import (
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Stats returns the session's numbers. The first call reads the session; later ones read
// what has been added since.
func (s *Session) Stats() (*transcript.Stats, error) {
	stats, err := s.tally.Count(s.store)
	if err != nil {
		return nil, fmt.Errorf("count session %s: %w", s.store.Path(), err)
	}
	stats.SessionFile, stats.SessionID = s.store.Path(), s.ID()
	if stats.ContextUsage, err = s.ContextUsage(); err != nil {
		return nil, err
	}
	return &stats, nil
}

// ContextUsage returns how full the context of the selected model is, or nil if that cannot
// be known. The cost is that of reading what came after the newest answer.
func (s *Session) ContextUsage() (*transcript.ContextUsage, error) {
	model := s.State().Model
	if model == nil || model.ContextWindow <= 0 {
		return nil, nil
	}
	usage := &transcript.ContextUsage{ContextWindow: model.ContextWindow}
	tokens, known, err := s.contextTokens(model.ContextWindow)
	if err != nil {
		return nil, fmt.Errorf("measure the context of session %s: %w", s.store.Path(), err)
	}
	if known {
		percent := float64(tokens) / float64(model.ContextWindow) * 100
		usage.Tokens, usage.Percent = &tokens, &percent
	}
	return usage, nil
}

// contextTokens walks back to the newest answer that says how large its context was.
func (s *Session) contextTokens(window int) (tokens int, known bool, err error) {
	leaf := s.store.Leaf()
	if leaf == "" {
		return 0, true, nil
	}
	for e, err := range s.store.Ancestors(leaf, transcript.TypeMessage, transcript.TypeCustomMessage, transcript.TypeBranchSummary, transcript.TypeCompaction) {
		if err != nil {
			return 0, false, err
		}
		if e.Type() == transcript.TypeCompaction {
			return 0, false, nil
		}
		m := transcript.EntryMessage(e)
		if answer, ok := m.(*ai.AssistantMessage); ok {
			if n := reported(answer); n > 0 && (n <= window || s.plausible(n)) {
				return n + tokens, true, nil
			}
		}
		tokens += estimate(m)
	}
	return tokens, true, nil
}

// reported is the size of the context with the answer, as the provider counted it; 0 if it
// did not.
func reported(m *ai.AssistantMessage) int {
	u := m.Usage
	if m.Failed() || min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
		return 0
	}
	if u.TotalTokens > 0 {
		return u.TotalTokens
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// plausible reports whether a count that is larger than the context window can be true: the
// model may have been changed for a smaller one, or the provider may count twice. Text of
// any kind has at least about 2.7 bytes a token.
func (s *Session) plausible(tokens int) bool {
	st := s.agent.State()
	bytes := len(st.SystemPrompt)
	for _, t := range st.Tools {
		bytes += len(t.Description) + len(t.Declaration().Parameters)
	}
	for _, m := range transcript.ForModel(st.Messages) {
		bytes += contentBytes(m)
	}
	return tokens*8 <= bytes*3
}

// imageBytes is what an image counts for, as in the estimate of package ai.
const imageBytes = 4800

func contentBytes(m ai.Message) int {
	n := 0
	for _, block := range contentOf(m) {
		switch b := block.(type) {
		case *ai.Text:
			n += len(b.Text)
		case *ai.Thinking:
			n += len(b.Thinking)
		case *ai.ToolCall:
			n += len(b.Name) + len(b.Arguments)
		case *ai.Image:
			n += imageBytes
		case *ai.UnknownBlock:
		}
	}
	return n
}

func contentOf(m ai.Message) ai.Content {
	switch m := m.(type) {
	case *ai.UserMessage:
		return m.Content
	case *ai.AssistantMessage:
		return m.Content
	case *ai.ToolResultMessage:
		return m.Content
	case *ai.SystemMessage:
		return ai.TextContent(m.Content)
	case *ai.UnknownMessage:
	}
	return nil
}

// estimate is a coarse count of the tokens of one message, as Pi 0.85 makes it: the text
// around summaries and commands is left out.
func estimate(m agent.Message) int {
	switch m := m.(type) {
	case *transcript.BashExecution:
		if m.ExcludeFromContext {
			return 0
		}
		return ai.EstimateMessage(&ai.UserMessage{Content: ai.Content{&ai.Text{Text: m.Command}, &ai.Text{Text: m.Output}}})
	case *transcript.CustomMessage:
		return ai.EstimateMessage(&ai.UserMessage{Content: m.Content.Content()})
	case *transcript.BranchSummary:
		return ai.EstimateMessage(agent.User(m.Summary))
	case *transcript.CompactionSummary:
		return ai.EstimateMessage(agent.User(m.Summary))
	case ai.Message:
		return ai.EstimateMessage(m)
	}
	return 0
}
