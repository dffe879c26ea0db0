package script_test

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
)

// observe sends an event that nothing comes of.
func observe[T any, E interface {
	*T
	extension.Hook[extension.None]
}](ctx context.Context, r *extension.Runner, raw jsontext.Value) any {
	r.Emit(ctx, E(read[T](raw)))
	return nil
}

// emit sends a canned event as a session does, and returns what came of it, as effects in
// testdata/examples/words.js.
func (tr *trial) emit(ctx context.Context, kind string, raw *jsontext.Value) any {
	r := tr.runner
	switch kind {
	case "project_trust":
		return orNull(r.Trust(ctx, read[extension.ProjectTrust](*raw).CWD))
	case "resources_discover":
		return r.Resources(ctx, read[extension.ResourcesDiscover](*raw))
	case "session_start":
		return observe[extension.SessionStart](ctx, r, *raw)
	case "session_info_changed":
		return observe[extension.SessionInfoChanged](ctx, r, *raw)
	case "session_before_switch":
		return r.BeforeSwitch(ctx, read[extension.SessionBeforeSwitch](*raw))
	case "session_before_fork":
		return r.BeforeFork(ctx, read[extension.SessionBeforeFork](*raw)).Cancel
	case "session_before_tree":
		return orNull(r.BeforeTree(ctx, read[extension.SessionBeforeTree](*raw)))
	case "session_before_compact":
		return orNull(r.BeforeCompact(ctx, read[extension.SessionBeforeCompact](*raw)))
	case "session_compact":
		return observe[extension.SessionCompact](ctx, r, *raw)
	case "session_tree":
		return observe[extension.SessionTree](ctx, r, *raw)
	case "session_shutdown":
		return observe[extension.SessionShutdown](ctx, r, *raw)
	case "model_select":
		return observe[extension.ModelSelect](ctx, r, *raw)
	case "thinking_level_select":
		return observe[extension.ThinkingLevelSelect](ctx, r, *raw)
	}
	return tr.emitOfRun(ctx, kind, raw)
}

// emitOfRun is emit for the events of a run.
func (tr *trial) emitOfRun(ctx context.Context, kind string, raw *jsontext.Value) any {
	r := tr.runner
	switch kind {
	case "context":
		return r.Context(ctx, read[extension.ContextEvent](*raw).Messages)
	case "before_provider_request":
		return r.Payload(ctx, read[extension.BeforeProviderRequest](*raw).Payload)
	case "after_provider_response":
		return observe[extension.AfterProviderResponse](ctx, r, *raw)
	case "before_agent_start":
		messages, prompt := r.BeforeAgentStart(ctx, read[extension.BeforeAgentStart](*raw), nil)
		words := []map[string]any{}
		for _, m := range messages {
			words = append(words, messageWords(m))
		}
		return map[string]any{"messages": words, "systemPrompt": prompt}
	case "agent_start":
		return observe[extension.AgentStart](ctx, r, *raw)
	case "turn_start":
		return observe[extension.TurnStart](ctx, r, *raw)
	case "message_start":
		return observe[extension.MessageStart](ctx, r, *raw)
	case "message_end":
		m := read[extension.MessageEnd](*raw).Message
		if replaced := r.MessageEnd(ctx, m); replaced != m {
			return replaced
		}
		return nil
	case "turn_end":
		return map[agent.TurnAction]string{agent.TurnGoOn: "", agent.TurnEndRun: "end", agent.TurnContinue: "continue"}[r.TurnEnd(ctx, read[extension.TurnEnd](*raw))]
	case "agent_end":
		return observe[extension.AgentEnd](ctx, r, *raw)
	case "agent_settled":
		return observe[extension.AgentSettled](ctx, r, *raw)
	case "tool_call":
		return tr.emitToolCall(ctx, raw)
	case "tool_result":
		return orNull(r.ToolResult(ctx, read[extension.ToolResult](*raw)))
	case "user_bash":
		result, err := r.UserBash(ctx, read[extension.UserBash](*raw))
		if err != nil {
			tr.note("failed", err)
		}
		return orNull(result)
	case "input":
		in := r.Input(ctx, read[extension.Input](*raw))
		if in.Action == "handled" {
			return map[string]any{"action": in.Action}
		}
		return map[string]any{"action": in.Action, "text": in.Text}
	}
	panic("no example has handled " + kind)
}

// emitToolCall keeps the input that handlers have changed for the next time, as drive.js does.
func (tr *trial) emitToolCall(ctx context.Context, raw *jsontext.Value) any {
	e := read[extension.ToolCall](*raw)
	result, err := tr.runner.ToolCall(ctx, e)
	if err != nil {
		tr.note("failed", err)
	}
	changed, _ := json.Marshal(map[string]any{"toolCallId": e.ToolCallID, "toolName": e.ToolName, "input": e.Input}, lax)
	*raw = changed
	return with(some(map[string]any{"block": result.Block, "reason": result.Reason}), map[string]any{"input": e.Input})
}

// orNull keeps nil pointers from being values.
func orNull[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}
