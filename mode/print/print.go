// Package print answers prompts with plain text: what the model says last, and nothing
// else, for use in scripts.
package print

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
)

// Run sends the prompts one after another and writes the text of the last answer to out,
// each text block on a line of its own. It stops at the first prompt that fails, and
// returns that failure: a [*session.FailedAnswerError], or the error of the session. Prompts
// that an extension has dealt with have no answer. If one of them has put another session in
// the place of the first, the rest goes on there.
func Run(ctx context.Context, rt *session.Runtime, prompts []session.Prompt, out io.Writer) error {
	before := rt.Session().LastAnswer()
	var ended error // what is left of the prompts is not wanted
	for _, p := range prompts {
		if ended = context.Cause(ctx); ended != nil {
			break
		}
		last := rt.Session().LastAnswer()
		_, err := rt.Prompt(ctx, p)
		aborted := errors.Is(err, agent.ErrAborted) // the answer says so as well
		if err != nil && !aborted {
			return err
		}
		s := rt.Session()
		if s.LastAnswer() != last { // else an extension has dealt with the prompt
			err = cmp.Or(s.Outcome(), err)
		}
		if err != nil {
			if answer := s.LastAnswer(); answer != nil && answer.StopReason == ai.StopLength {
				err = errors.Join(err, write(out, answer))
			}
			return err
		}
	}
	answer := rt.Session().LastAnswer()
	if answer == before {
		return ended
	}
	return errors.Join(write(out, answer), ended)
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
