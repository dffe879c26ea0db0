package agent

import (
	"context"
	"slices"
)

// Compose makes one set of hooks of several, which are asked in their order:
//
//   - TransformContext, BeforeToolCall, AfterToolCall, PrepareNextTurn and PrepareRequest are
//     chained: each sees what those before it have made. The first BeforeToolCall that blocks
//     ends the chain.
//   - All FinishTurn are called; [TurnEndRun] wins over [TurnContinue], and that over
//     [TurnGoOn]. ShouldStopAfterTurn stops if one of them says so.
//   - ConvertToLLM is that of the first set that has one, APIKey that of the first set whose
//     answer is not empty.
//
// The first error ends a chain.
func Compose(sets ...Hooks) Hooks {
	var h Hooks
	for _, next := range sets {
		h = compose(h, next)
	}
	return h
}

func compose(a, b Hooks) Hooks {
	out := Hooks{
		TransformContext: both(a.TransformContext, b.TransformContext, chainTransform),
		BeforeToolCall:   both(a.BeforeToolCall, b.BeforeToolCall, chainBefore),
		AfterToolCall:    both(a.AfterToolCall, b.AfterToolCall, chainAfter),
		PrepareNextTurn:  both(a.PrepareNextTurn, b.PrepareNextTurn, chainNextTurn),
		PrepareRequest:   both(a.PrepareRequest, b.PrepareRequest, chainRequest),
		FinishTurn:       both(a.FinishTurn, b.FinishTurn, chainFinish),
		APIKey:           both(a.APIKey, b.APIKey, chainKey),
		ConvertToLLM:     a.ConvertToLLM,
	}
	if out.ConvertToLLM == nil {
		out.ConvertToLLM = b.ConvertToLLM
	}
	out.ShouldStopAfterTurn = both(a.ShouldStopAfterTurn, b.ShouldStopAfterTurn, chainStop)
	return out
}

// Aliases of the hooks' types, for the chains.
type (
	transformFunc = func(context.Context, []Message) ([]Message, error)
	beforeFunc    = func(context.Context, *PendingCall) (Decision, error)
	afterFunc     = func(context.Context, *FinishedCall) (*ResultPatch, error)
	nextTurnFunc  = func(context.Context, *Turn) (*NextTurn, error)
	requestFunc   = func(context.Context, *RequestPlan) (*RequestPatch, error)
	finishFunc    = func(context.Context, *Turn) (TurnAction, error)
	keyFunc       = func(context.Context, string) (string, error)
	stopFunc      = func(context.Context, *Turn) (bool, error)
)

// both chains two hooks, of which each may be absent.
func both[In, Out any](a, b func(context.Context, In) (Out, error), chain func(a, b func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return chain(a, b)
}

func chainTransform(a, b transformFunc) transformFunc {
	return func(ctx context.Context, messages []Message) ([]Message, error) {
		messages, err := a(ctx, messages)
		if err != nil {
			return nil, err
		}
		return b(ctx, messages)
	}
}

func chainBefore(a, b beforeFunc) beforeFunc {
	return func(ctx context.Context, call *PendingCall) (Decision, error) {
		if d, err := a(ctx, call); err != nil || d.Block {
			return d, err
		}
		return b(ctx, call)
	}
}

func chainAfter(a, b afterFunc) afterFunc {
	return func(ctx context.Context, call *FinishedCall) (*ResultPatch, error) {
		first, err := a(ctx, call)
		if err != nil {
			return nil, err
		}
		second, err := b(ctx, call.patched(first))
		if err != nil {
			return nil, err
		}
		return first.merge(second), nil
	}
}

func chainNextTurn(a, b nextTurnFunc) nextTurnFunc {
	return func(ctx context.Context, t *Turn) (*NextTurn, error) {
		first, err := a(ctx, t)
		if err != nil {
			return nil, err
		}
		if first == nil {
			return b(ctx, t)
		}
		if first.Context != nil {
			turn := *t
			turn.Context, t = first.Context, &turn
		}
		second, err := b(ctx, t)
		if err != nil || second == nil {
			return first, err
		}
		out := *first
		out.Messages = append(slices.Clip(out.Messages), second.Messages...)
		override(&out.Context, second.Context)
		override(&out.Model, second.Model)
		override(&out.Thinking, second.Thinking)
		return &out, nil
	}
}

func chainRequest(a, b requestFunc) requestFunc {
	return func(ctx context.Context, p *RequestPlan) (*RequestPatch, error) {
		first, err := a(ctx, p)
		if err != nil {
			return nil, err
		}
		if first == nil {
			return b(ctx, p)
		}
		plan := *p
		override(&plan.Context, first.Context)
		override(&plan.Model, first.Model)
		if first.Thinking != nil {
			plan.Thinking = *first.Thinking
		}
		second, err := b(ctx, &plan)
		if err != nil || second == nil {
			return first, err
		}
		out := *first
		override(&out.Context, second.Context)
		override(&out.Model, second.Model)
		override(&out.Thinking, second.Thinking)
		return &out, nil
	}
}

func chainFinish(a, b finishFunc) finishFunc {
	return func(ctx context.Context, t *Turn) (TurnAction, error) {
		first, err := a(ctx, t)
		if err != nil {
			return first, err
		}
		second, err := b(ctx, t)
		if err != nil || first == TurnGoOn || second == TurnEndRun {
			return second, err
		}
		return first, nil
	}
}

func chainKey(a, b keyFunc) keyFunc {
	return func(ctx context.Context, provider string) (string, error) {
		if key, err := a(ctx, provider); err != nil || key != "" {
			return key, err
		}
		return b(ctx, provider)
	}
}

func chainStop(a, b stopFunc) stopFunc {
	return func(ctx context.Context, t *Turn) (bool, error) {
		if stop, err := a(ctx, t); err != nil || stop {
			return stop, err
		}
		return b(ctx, t)
	}
}

// override replaces what p points to, unless there is nothing to replace it with.
func override[T any](p **T, by *T) {
	if by != nil {
		*p = by
	}
}

// patched returns the call as a patch, which may be nil, leaves it.
func (c *FinishedCall) patched(p *ResultPatch) *FinishedCall {
	if p == nil {
		return c
	}
	o := p.apply(&ToolOutcome{Result: c.Result, IsError: c.IsError})
	call := *c
	call.Result, call.IsError = o.Result, o.IsError
	return &call
}

// merge lays a later patch over p. Both may be nil.
func (p *ResultPatch) merge(over *ResultPatch) *ResultPatch {
	switch {
	case p == nil:
		return over
	case over == nil:
		return p
	}
	out := *p
	if over.Content != nil {
		out.Content, out.Structured = over.Content, over.Structured
	}
	if over.Details != nil {
		out.Details = over.Details
	}
	if over.Structured != nil {
		out.Structured = over.Structured
	}
	override(&out.IsError, over.IsError)
	override(&out.Usage, over.Usage)
	override(&out.Terminate, over.Terminate)
	return &out
}
