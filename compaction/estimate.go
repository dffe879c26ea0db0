package compaction

import (
	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Reported is the size of the context with the answer, as the provider counted it; 0 if it
// did not, or if the answer is not whole.
func Reported(m *ai.AssistantMessage) int {
	if m.Failed() {
		return 0
	}
	return ReportedSoFar(m)
}

// ReportedSoFar is Reported for an answer that may have been aborted: what a provider had
// counted by then is true. The count of a failed answer need not be.
func ReportedSoFar(m *ai.AssistantMessage) int {
	u := m.Usage
	if m.StopReason == ai.StopError || min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
		return 0
	}
	if u.TotalTokens > 0 {
		return u.TotalTokens
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// imageBytes is what an image counts for, as in the estimate of package ai.
const imageBytes = 4800

func ContentBytes(m ai.Message) int {
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

// Estimate is a coarse count of the tokens of one message, as Pi 0.85 makes it: the text
// around summaries and commands is left out.
func Estimate(m agent.Message) int {
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
