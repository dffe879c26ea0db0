package session

import (
	"fmt"

	"github.com/rondo-agent/rondo/ai"
)

// FailedAnswerError says that the last answer is not what was asked for: the model or its
// service failed, the answer was aborted or cut, or it is empty.
type FailedAnswerError struct {
	Answer *ai.AssistantMessage
}

// Error tells what went wrong, and what to do where that is known.
func (e *FailedAnswerError) Error() string {
	m := e.Answer
	switch {
	case m.StopReason == ai.StopAborted:
		return "the answer was aborted"
	case m.StopReason == ai.StopLength:
		return fmt.Sprintf("the answer was cut at the output limit of %s; ask for a shorter answer, or raise maxTokens in models.json", m.Model)
	case m.ErrorMessage != "":
		return m.ErrorMessage
	case m.StopReason == ai.StopError:
		return fmt.Sprintf("%s answered with an error", m.Model)
	}
	return fmt.Sprintf("%s answered with nothing; try again", m.Model)
}

// Unwrap returns the error behind a failed answer, if it is known.
func (e *FailedAnswerError) Unwrap() error { return e.Answer.Err }

// Outcome returns a [*FailedAnswerError] if the last answer failed, was cut at the output
// limit or is empty, and nil otherwise.
func (s *Session) Outcome() error {
	m := s.LastAnswer()
	if m == nil {
		return nil
	}
	if m.Failed() || m.StopReason == ai.StopLength || blank(m) {
		return &FailedAnswerError{m}
	}
	return nil
}

// blank reports whether an answer has neither text nor calls.
func blank(m *ai.AssistantMessage) bool {
	for _, block := range m.Content {
		switch b := block.(type) {
		case *ai.Text:
			if b.Text != "" {
				return false
			}
		case *ai.ToolCall, *ai.Image, *ai.UnknownBlock:
			return false
		case *ai.Thinking:
		}
	}
	return true
}
