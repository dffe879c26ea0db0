package agent

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

// ask makes one request and streams the answer.
func (l *loop) ask(ctx context.Context) (*ai.AssistantMessage, error) {
	req, err := l.request(ctx)
	if err != nil {
		return nil, err
	}
	asked := ctx.Err() == nil
	answer, started, err := l.stream(ctx, l.cfg.Stream(ctx, req))
	if err != nil {
		return nil, err
	}
	if !asked && !answer.Failed() {
		answer = abortedAnswer(answer) // or a provider that ignores aborts could run forever
	}
	if l.cfg.Transcript == TranscriptSelfContained {
		stamped := *answer
		stamped.ThinkingLevel = cmp.Or(l.thinking, ai.ThinkingOff)
		answer = &stamped
	}
	var final Message
	if started {
		final, err = l.add(ctx, answer, new(messageEvents))
	} else {
		final, err = l.announce(ctx, answer)
	}
	if err != nil {
		return nil, err
	}
	return final.(*ai.AssistantMessage), nil
}

func (l *loop) request(ctx context.Context) (*ai.Request, error) {
	messages := l.c.Messages
	if transform := l.cfg.Hooks.TransformContext; transform != nil {
		var err error
		if messages, err = transform(ctx, slices.Clone(messages)); err != nil {
			return nil, err
		}
	}
	var seen []ai.Message
	if convert := l.cfg.Hooks.ConvertToLLM; convert != nil {
		var err error
		if seen, err = convert(ctx, slices.Clip(messages)); err != nil {
			return nil, err
		}
	} else {
		seen = ForModel(messages)
	}
	if l.cfg.Hooks.TransformContext != nil {
		seen = ai.DropChangedThinking(ForModel(l.c.Messages), seen)
	}
	req := &ai.Request{Model: l.model, Options: l.cfg.Request}
	req.Context = ai.Context{SystemPrompt: l.c.SystemPrompt, Messages: seen, Tools: declarations(l.c.Tools)}
	req.Options.Thinking = l.thinking
	if key := l.cfg.Hooks.APIKey; key != nil {
		got, err := key(ctx, l.model.Provider)
		if err != nil {
			return nil, err
		}
		if got != "" {
			req.Options.APIKey = got
		}
	}
	return req, nil
}

// abortedAnswer is m as an answer to a request that nobody wanted any more.
func abortedAnswer(m *ai.AssistantMessage) *ai.AssistantMessage {
	out := *m
	out.StopReason, out.Err, out.ErrorMessage = ai.StopAborted, ErrAborted, ErrAborted.Error()
	return &out
}

// stream passes the events of an answer on and returns the final message. started says
// whether the message's start has been emitted.
func (l *loop) stream(ctx context.Context, s *ai.Stream) (final *ai.AssistantMessage, started bool, err error) {
	r := &reading{loop: l, ctx: ctx}
	s.Events()(r.step)
	switch {
	case r.err != nil || r.final != nil:
		return r.final, r.started, r.err
	case s.Result() != nil:
		return s.Result(), r.started, nil
	}
	return l.unterminated(ctx, r.last), r.started, nil
}

// reading is an answer that is being read. It is a struct, and step a method, since the
// variables of a range loop over functions would each be allocated.
type reading struct {
	loop     *loop
	ctx      context.Context
	last     ai.Partial
	started  bool
	deadline time.Time // for a provider that goes on after an abort
	updates  []MessageUpdate
	final    *ai.AssistantMessage
	err      error
}

// step handles one event; false ends the reading.
func (r *reading) step(ev ai.StreamEvent, err error) bool {
	if err != nil {
		r.err = err
		return false
	}
	if r.ctx.Err() != nil && r.overdue() {
		return false
	}
	switch ev := ev.(type) {
	case *ai.Start:
		if r.started {
			return true
		}
		r.started, r.last = true, ev.Partial
		r.err = r.loop.emit(r.ctx, &MessageStart{Message: ev.Partial.Message()})
	case *ai.Done:
		r.final = ev.Message
	case *ai.Error:
		r.final = ev.Message
	default:
		if !r.started {
			return true
		}
		r.last, _ = ai.PartialOf(ev)
		if len(r.updates) == 0 {
			r.updates = make([]MessageUpdate, 16) // one allocation for several of the most frequent events
		}
		update := &r.updates[0]
		r.updates = r.updates[1:]
		update.Stream = ev
		r.err = r.loop.emit(r.ctx, update)
	}
	return r.err == nil && r.final == nil
}

// overdue reports whether the provider has gone on for too long after an abort.
func (r *reading) overdue() bool {
	now := time.Now()
	if r.deadline.IsZero() {
		r.deadline = now.Add(r.loop.grace())
	}
	return now.After(r.deadline)
}

// unterminated is the answer of a stream that ended without saying how.
func (l *loop) unterminated(ctx context.Context, last ai.Partial) *ai.AssistantMessage {
	m := last.Message()
	m.API, m.Provider, m.Model = l.model.API, l.model.Provider, l.model.ID
	if m.Timestamp == 0 {
		m.Timestamp = now()
	}
	m.StopReason, m.Err, m.ErrorMessage = ai.StopError, ai.ErrUnterminated, ai.ErrUnterminated.Error()
	if ctx.Err() != nil {
		m.StopReason = ai.StopAborted
	}
	return m
}
