// Package json shows a session as JSON lines: first the session's header, then every
// event, as Pi 0.85's JSON mode does.
package json

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

// Run sends the prompts one after another and writes the header and all events to out, a
// line each; whole lines only. It stops at the first prompt that fails, and returns that
// failure: a [*session.FailedAnswerError], the error of the session, or that of writing,
// which aborts the run. If an extension has put another session in the place of the first,
// its events follow, and the rest of the prompts go on there.
func Run(ctx context.Context, rt *session.Runtime, prompts []session.Prompt, out io.Writer) error {
	header, err := json.Marshal(rt.Session().Store().Header())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &lines{out: out, failed: cancel}
	w.write(header)
	unsubscribe := rt.Subscribe(func(ev event.Event) { w.write(ev.AppendJSON(w.buf[:0])) })
	defer unsubscribe()
	for _, p := range prompts {
		if ctx.Err() != nil { // what is left is not wanted
			return cmp.Or(w.err, context.Cause(ctx))
		}
		last := rt.Session().LastAnswer()
		_, err := rt.Prompt(ctx, p)
		if w.err != nil {
			return w.err
		}
		aborted := errors.Is(err, agent.ErrAborted) // the answer says so as well
		if err != nil && !aborted {
			return err
		}
		s := rt.Session()
		if s.LastAnswer() != last { // else an extension has dealt with the prompt
			err = cmp.Or(s.Outcome(), err)
		}
		if err != nil {
			return err
		}
	}
	return w.err
}

// lines writes lines. The session calls it for one event at a time.
type lines struct {
	out    io.Writer
	buf    []byte
	err    error
	failed context.CancelCauseFunc
}

func (l *lines) write(line []byte) {
	l.buf = append(line, '\n')
	if l.err != nil {
		return
	}
	if _, err := l.out.Write(l.buf); err != nil {
		l.err = fmt.Errorf("write the events: %w", err)
		l.failed(l.err)
	}
}
