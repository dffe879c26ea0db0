package session

import (
	"context"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// stream is the way of the agent's requests to the model. What cannot be compacted, since the
// model has not seen it yet, is made to fit here, for the request alone; and no more is asked
// for than the window has room for.
func (c *compactor) stream(ctx context.Context, req *ai.Request) *ai.Stream {
	m := req.Model
	if ctx.Err() != nil { // the answer is not wanted any more
		return ai.NewStream(ctx, m, func(ctx context.Context, _ *ai.Writer) error { return context.Cause(ctx) })
	}
	size := int(c.meter.requestSize.Load())
	if c.enabled() && m.ContextWindow > 0 && c.shrink(req) {
		size = int(float64(ai.EstimateTokens(req.Context)) * c.meter.densityOf(m))
	}
	limit := req.Options.MaxTokens
	if limit <= 0 {
		limit = m.MaxTokens
	}
	if n := ai.ClampMaxTokens(m, limit, size); n < limit {
		req.Options.MaxTokens = n
	}
	c.meter.sent.Store(req)
	return c.opts.Stream(ctx, req)
}

// shrink shortens the largest results of tools if the request would not fit into the window,
// and reports whether it has. The transcript and the store keep all of them.
func (c *compactor) shrink(req *ai.Request) (shrunk bool) {
	r, density := c.opts.Compaction.Room(req.Model), c.meter.densityOf(req.Model)
	limit := int(float64(r.Window-min(compaction.WireReserve, r.Window/8)) / density)
	for range 3 {
		size := ai.EstimateTokens(req.Context)
		if size <= limit {
			return shrunk
		}
		shorter := compaction.ShortenResults(req.Context.Messages, compaction.CharsPerToken*(size-int(float64(r.Limit)/density)))
		if shorter == nil {
			return shrunk
		}
		req.Context.Messages, shrunk = shorter, true
	}
	return shrunk
}

// hooks put compaction between the requests of a run.
func (c *compactor) hooks() agent.Hooks {
	return agent.Hooks{
		PrepareNextTurn: func(ctx context.Context, t *agent.Turn) (*agent.NextTurn, error) {
			compacted := c.compactRequested(t.Context)
			if compacted == nil {
				compacted = c.compactRun(ctx, t.Context, nil)
			}
			return &agent.NextTurn{Context: compacted}, nil
		},
		PrepareRequest: func(ctx context.Context, p *agent.RequestPlan) (*agent.RequestPatch, error) {
			return &agent.RequestPatch{Context: c.compactRun(ctx, p.Context, p.Model)}, nil
		},
	}
}

// compactRun compacts the conversation of a run under way if too little of the window is left,
// and returns what the run goes on with; nil if nothing changes. m is the model of the next
// request, or nil for that of the session.
func (c *compactor) compactRun(ctx context.Context, run *agent.Context, m *ai.Model) *agent.Context {
	if m == nil {
		m = c.choice.current().model
	}
	a := c.scheduler.series()
	if m == nil || a == nil {
		return nil
	}
	size, err := c.meter.contextSize(run.Messages)
	if err != nil {
		return nil
	}
	c.meter.requestSize.Store(int64(size))
	if !c.enabled() {
		return nil
	}
	return c.goOnWith(run, c.keepBelow(ctx, a, m, size))
}

// compactRequested makes the compaction that an extension has asked for during the run.
func (c *compactor) compactRequested(run *agent.Context) *agent.Context {
	a := c.scheduler.series()
	if a == nil || c.scheduler.runContext().Err() != nil {
		return nil
	}
	asked := a.compaction.take()
	if asked == nil {
		return nil
	}
	messages, err := c.compact(asked)
	if err != nil {
		return nil // the caller that asked for it gets the error
	}
	return c.goOnWith(run, messages)
}

// goOnWith returns the context of a run with other messages; nil without any.
func (c *compactor) goOnWith(run *agent.Context, messages []agent.Message) *agent.Context {
	if messages == nil {
		return nil
	}
	c.meter.expect(messages)
	return &agent.Context{SystemPrompt: run.SystemPrompt, Messages: messages, Tools: run.Tools}
}
