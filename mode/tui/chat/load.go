package chat

import (
	"fmt"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/transcript"
)

// Reset forgets all blocks and the status, for another session.
func (t *Transcript) Reset() { *t = Transcript{} }

// Load adds messages that are complete: those of a session that goes on.
func (t *Transcript) Load(messages ...agent.Message) {
	for _, m := range messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			t.push(&Block{Kind: User, Final: true, Text: contentText(m.Content), Images: images(m.Content)})
		case *ai.AssistantMessage:
			t.answer = nil
			t.update(m)
			t.answerEnded(m)
		case *ai.ToolResultMessage:
			t.callResult(m)
		case *transcript.BashExecution:
			t.push(&Block{Kind: Bash, Final: true, Shell: shellOf(m)})
		case *transcript.CompactionSummary:
			t.push(&Block{Kind: Summary, Final: true, Label: compactionLabel(m.TokensBefore), Text: text.CleanSource(m.Summary)})
		case *transcript.BranchSummary:
			t.push(&Block{Kind: Summary, Final: true, Label: "Summary of the branch that was left", Text: text.CleanSource(m.Summary)})
		case *transcript.CustomMessage:
			if m.Display {
				content := m.Content.Content()
				t.push(&Block{Kind: Custom, Final: true, Label: text.OneLine(m.CustomType), Text: contentText(content), Images: images(content), Message: m})
			}
		}
	}
}

// Finish closes what is open after messages were loaded: calls without a result.
func (t *Transcript) Finish() { t.runEnded() }

// contentText is the clean text of a message.
func contentText(c ai.Content) string {
	var parts []string
	for _, b := range c {
		if t, ok := b.(*ai.Text); ok {
			parts = append(parts, t.Text)
		}
	}
	return text.Clean(strings.TrimRight(strings.Join(parts, "\n"), "\n"))
}

func compactionLabel(tokens int) string {
	return fmt.Sprintf("Compacted from %s tokens", Tokens(tokens))
}

// Tokens writes a number of tokens in few characters, such as 950, 12k or 1.2M.
func Tokens(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	default:
		return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Adopt puts final blocks first: what was shown before a [Transcript.Reset].
func (t *Transcript) Adopt(blocks []*Block) { t.blocks = append(blocks, t.blocks...) }
