package session

import (
	"context"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/transcript"
)

// hooks are all hooks of the agent, in the order in which they are asked: compaction, changes of
// tools and models, those of the options, those of the extensions, the check of images, and the
// end of a run.
func (c *conductor) hooks(theirs agent.Hooks) agent.Hooks {
	if theirs.ConvertToLLM == nil {
		theirs.ConvertToLLM = func(_ context.Context, messages []agent.Message) ([]ai.Message, error) {
			return transcript.ForModel(messages), nil
		}
	}
	return agent.Compose(
		c.compactor.hooks(),
		agent.Hooks{PrepareNextTurn: c.applyTools, PrepareRequest: c.applySelection},
		theirs,
		c.approval,
		c.binding.hooks(),
		agent.Hooks{AfterToolCall: c.binding.images.afterToolCall, FinishTurn: c.finishTurn},
	)
}

// applyTools gives a run the tools that have been made active.
func (c *conductor) applyTools(_ context.Context, t *agent.Turn) (*agent.NextTurn, error) {
	return &agent.NextTurn{Context: c.tools.changed(t.Context)}, nil
}

// applySelection gives the next request of a run the model and the level that have been chosen.
func (c *conductor) applySelection(context.Context, *agent.RequestPlan) (*agent.RequestPatch, error) {
	now, changed := c.choice.changed()
	if !changed || now.model == nil {
		return nil, nil
	}
	return &agent.RequestPatch{Model: now.model, Thinking: &now.thinking}, nil
}

// finishTurn ends a run that was aborted, or whose budget is used up. After an abort the run
// would end with an answer that says so, without a request: queued messages may not go there, and
// nobody reads the end of a session.
func (c *conductor) finishTurn(ctx context.Context, t *agent.Turn) (agent.TurnAction, error) {
	a := c.scheduler.series()
	switch {
	case ctx.Err() != nil && (c.agent.Queued() || c.scheduler.isClosed()):
		return agent.TurnEndRun, nil
	case a != nil && (len(t.ToolResults) > 0 || c.agent.Queued()) && a.budget.stops():
		return agent.TurnEndRun, nil
	}
	return agent.TurnGoOn, nil
}

// hooks ask the extensions.
func (b *binding) hooks() agent.Hooks {
	if b.ext == nil {
		return agent.Hooks{}
	}
	return agent.Hooks{
		TransformContext: func(ctx context.Context, messages []agent.Message) ([]agent.Message, error) {
			return b.context(ctx, messages), nil
		},
		BeforeToolCall: b.beforeToolCall,
		AfterToolCall:  b.afterToolCall,
		FinishTurn: func(ctx context.Context, t *agent.Turn) (agent.TurnAction, error) {
			b.turnNotified = true // what follows is turn_end itself
			return b.notifyTurn(ctx, t.Message, t.ToolResults), nil
		},
	}
}

func (b *binding) beforeToolCall(ctx context.Context, call *agent.PendingCall) (agent.Decision, error) {
	if !b.ext.Has(extension.KindToolCall) {
		return agent.Decision{}, nil
	}
	e := &extension.ToolCall{ToolCallID: call.Call.ID, ToolName: call.Call.Name, Input: call.Args}
	res, err := b.ext.ToolCall(ctx, e)
	call.Args = e.Input
	return agent.Decision{Block: res.Block, Reason: res.Reason, Terminate: res.Terminate}, err
}

func (b *binding) afterToolCall(ctx context.Context, call *agent.FinishedCall) (*agent.ResultPatch, error) {
	if !b.ext.Has(extension.KindToolResult) {
		return nil, nil
	}
	return b.ext.ToolResult(ctx, &extension.ToolResult{
		ToolCallID: call.Call.ID, ToolName: call.Call.Name, Input: call.Args,
		Content: call.Result.Content, Details: call.Result.Details, IsError: call.IsError, Usage: call.Result.Usage,
	}), nil
}

// context passes the messages of a request through the extensions. Those of Pi 0.85
// do not know system messages, which are put back in their places.
func (b *binding) context(ctx context.Context, messages []agent.Message) []agent.Message {
	if b.ext.Has(extension.KindContext) {
		rest := slices.DeleteFunc(slices.Clone(messages), isSystem)
		changed := slices.Clone(b.ext.Context(ctx, rest))
		for i, m := range messages {
			if isSystem(m) {
				changed = slices.Insert(changed, min(i, len(changed)), m)
			}
		}
		messages = changed
	}
	return b.ext.ContextWithSystem(ctx, messages)
}

func isSystem(m agent.Message) bool {
	_, ok := m.(*ai.SystemMessage)
	return ok
}
