// Package print answers prompts with plain text: what the model says last, and nothing
// else, for use in scripts.
package print

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
)

// Run sends the prompts one after another and writes the text of the last answer to out,
// each text block on a line of its own. It stops at the first prompt that fails, and
// returns that failure: a [*session.FailedAnswerError], or the error of the session. Prompts
// that an extension has dealt with have no answer.
func Run(ctx context.Context, s *session.Session, prompts []session.Prompt, out io.Writer) error {
	before := s.LastAnswer()
	for _, p := range prompts {
		last := s.LastAnswer()
		if err := s.Prompt(ctx, p); err != nil {
			return err
		}
		if s.LastAnswer() == last { // an extension has dealt with the prompt
			continue
		}
		if err := s.Outcome(); err != nil {
			if answer := s.LastAnswer(); answer.StopReason == ai.StopLength {
				err = errors.Join(err, write(out, answer))
			}
			return err
		}
	}
	answer := s.LastAnswer()
	if answer == before {
		return nil
	}
	return write(out, answer)
}

func write(out io.Writer, answer *ai.AssistantMessage) error {
	for _, block := range answer.Content {
		if text, ok := block.(*ai.Text); ok {
			if _, err := fmt.Fprintln(out, text.Text); err != nil {
				return fmt.Errorf("write the answer: %w", err)
			}
		}
	}
	return nil
}
