package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// --- scripted hooks

// hook records a call of a hook and its end, waits and fails as scripted. rule is empty
// if no rule matches.
func (l *lab) hook(name string, inputs object) (rule object, err error) {
	id, _ := inputs["id"].(string)
	key := name
	if id != "" {
		key += ":" + id
	}
	n := l.count(key)
	mark := fmt.Sprintf("%s#%d", key, n)
	rule = match(l.s["hooks"].(object)[name], n, func(r object) bool { return r["call"] == nil || r["call"] == id })
	inputs["t"], inputs["h"] = "hook", name
	l.rec(inputs)
	l.hit(mark)
	if gate, ok := rule["wait"].(string); ok {
		l.pass(gate, nil)
	}
	done := object{"t": "hook_done", "h": name}
	if id != "" {
		done["id"] = id
	}
	text, throws := rule["throw"].(string)
	if throws {
		done["throw"] = true
		err = errors.New(text)
	}
	l.rec(done)
	l.hit(mark + ".done")
	return rule, err
}

// match returns the first rule for the n-th time that also fits.
func match(rules any, n int, fits func(object) bool) object {
	for _, r := range flat(rules) {
		rule := r.(object)
		if at, ok := rule["n"].(float64); (!ok || int(at) == n) && fits(rule) {
			return rule
		}
	}
	return object{}
}

func (l *lab) hooks() agent.Hooks {
	var h agent.Hooks
	installed, _ := l.s["hooks"].(object)
	has := func(name string) bool { _, ok := installed[name]; return ok }
	if has("beforeToolCall") {
		h.BeforeToolCall = l.before
	}
	if has("afterToolCall") {
		h.AfterToolCall = l.after
	}
	if has("transformContext") {
		h.TransformContext = l.transform
	}
	if has("convertToLlm") {
		h.ConvertToLLM = l.convert
	}
	if has("getApiKey") {
		h.APIKey = func(_ context.Context, provider string) (string, error) {
			rule, err := l.hook("getApiKey", object{"provider": provider})
			key, _ := rule["key"].(string)
			return key, err
		}
	}
	if has("shouldStopAfterTurn") {
		h.ShouldStopAfterTurn = func(_ context.Context, t *agent.Turn) (bool, error) {
			rule, err := l.hook("shouldStopAfterTurn", l.turn(t))
			return rule["stop"] == true, err
		}
	}
	if has("prepareNextTurn") {
		h.PrepareNextTurn = func(_ context.Context, t *agent.Turn) (*agent.NextTurn, error) {
			rule, err := l.hook("prepareNextTurn", l.turn(t))
			return l.update(rule, t.Context), err
		}
	}
	if has("prepareRequest") {
		h.PrepareRequest = l.prepareRequest
	}
	if has("finishTurn") {
		h.FinishTurn = func(ctx context.Context, t *agent.Turn) (agent.TurnAction, error) {
			inputs := l.turn(t)
			flagAborted(inputs, ctx)
			rule, err := l.hook("finishTurn", inputs)
			return map[any]agent.TurnAction{"end": agent.TurnEndRun, "continue": agent.TurnContinue}[rule["action"]], err
		}
	}
	return h
}

func (l *lab) before(ctx context.Context, c *agent.PendingCall) (agent.Decision, error) {
	inputs := object{"id": c.Call.ID, "tool": c.Call.Name, "raw": c.Call.Arguments, "args": c.Args, "context": len(c.Context.Messages)}
	flagAborted(inputs, ctx)
	rule, err := l.hook("beforeToolCall", inputs)
	c.Args = merged(c.Args, rule["setArgs"])
	ret, _ := rule["return"].(object)
	reason, _ := ret["reason"].(string)
	return agent.Decision{Block: ret["block"] == true, Reason: reason, Terminate: ret["terminate"] == true}, err
}

func (l *lab) after(ctx context.Context, c *agent.FinishedCall) (*agent.ResultPatch, error) {
	inputs := object{"id": c.Call.ID, "tool": c.Call.Name, "args": c.Args, "result": l.result(c.Result, c.IsError), "isError": c.IsError, "context": len(c.Context.Messages)}
	flagAborted(inputs, ctx)
	rule, err := l.hook("afterToolCall", inputs)
	ret, ok := rule["return"].(object)
	if !ok || err != nil {
		return nil, err
	}
	p := &agent.ResultPatch{Details: raw(ret["details"]), Structured: raw(ret["structured"]), Usage: toUsage(ret["usage"])}
	if c, ok := ret["content"]; ok {
		p.Content = toContent(c)
	}
	if v, ok := ret["isError"].(bool); ok {
		p.IsError = &v
	}
	if v, ok := ret["terminate"].(bool); ok {
		p.Terminate = &v
	}
	return p, nil
}

func (l *lab) transform(ctx context.Context, messages []agent.Message) ([]agent.Message, error) {
	inputs := object{"messages": len(messages)}
	flagAborted(inputs, ctx)
	rule, err := l.hook("transformContext", inputs)
	if spoil := rule["spoil"]; spoil != nil {
		messages[0] = toMessage(spoil)
	}
	return rewrite(rule, messages), err
}

func (l *lab) convert(_ context.Context, messages []agent.Message) ([]ai.Message, error) {
	rule, err := l.hook("convertToLlm", object{"messages": len(messages)})
	roles, _ := rule["map"].(object)
	var out []ai.Message
	for _, m := range messages {
		if n, ok := m.(*note); ok && roles[n.role] != nil {
			out = append(out, &ai.UserMessage{Content: ai.TextContent(n.text)})
			continue
		}
		out = append(out, agent.ForModel([]agent.Message{m})...)
	}
	return out, err
}

func (l *lab) prepareRequest(ctx context.Context, plan *agent.RequestPlan) (*agent.RequestPatch, error) {
	names := []any{}
	for _, t := range plan.Context.Tools {
		names = append(names, t.Name)
	}
	inputs := object{"context": len(plan.Context.Messages), "tools": names, "model": plan.Model.ID, "thinking": string(plan.Thinking)}
	flagAborted(inputs, ctx)
	rule, err := l.hook("prepareRequest", inputs)
	change := l.update(rule, plan.Context)
	if change == nil || err != nil {
		return nil, err
	}
	return &agent.RequestPatch{Context: change.Context, Model: change.Model, Thinking: change.Thinking}, nil
}

func (l *lab) pollHook(name string) func(context.Context) ([]agent.Message, error) {
	if hooks, _ := l.s["hooks"].(object); hooks[name] == nil {
		return nil
	}
	return func(context.Context) ([]agent.Message, error) {
		rule, err := l.hook(name, object{})
		return toMessages(rule["messages"]), err
	}
}

func (l *lab) turn(t *agent.Turn) object {
	return object{"message": l.digest(t.Message, false), "results": resultIDs(t.ToolResults), "context": len(t.Context.Messages), "new": len(t.NewMessages)}
}

// update is what prepareNextTurn and prepareRequest return.
func (l *lab) update(rule object, c *agent.Context) *agent.NextTurn {
	var out agent.NextTurn
	if m, ok := rule["model"].(string); ok {
		out.Model = labModel(m)
	}
	if level, ok := rule["thinking"].(string); ok {
		t := ai.ThinkingLevel(level)
		out.Thinking = &t
	}
	out.Messages = toMessages(rule["messages"])
	if change, ok := rule["context"].(object); ok {
		changed := &agent.Context{SystemPrompt: c.SystemPrompt, Messages: rewrite(change, c.Messages), Tools: c.Tools}
		if system, ok := change["system"].(string); ok {
			changed.SystemPrompt = system
		}
		if names, ok := change["tools"]; ok {
			changed.Tools = l.named(names)
		}
		out.Context = changed
	}
	if out.Model == nil && out.Thinking == nil && out.Messages == nil && out.Context == nil {
		return nil
	}
	return &out
}

// rewrite makes the changes to a message list that hooks may ask for.
func rewrite(change object, messages []agent.Message) []agent.Message {
	out := messages
	if v, ok := change["messages"]; ok {
		out = toMessages(v)
	}
	if keep, ok := change["keepLast"].(float64); ok {
		rest := 0
		for _, m := range out {
			if m.Role() != ai.RoleSystem {
				rest++
			}
		}
		var kept []agent.Message
		for _, m := range out {
			if m.Role() == ai.RoleSystem {
				kept = append(kept, m)
			} else if rest--; rest < int(keep) {
				kept = append(kept, m)
			}
		}
		out = kept
	}
	return append(slices.Clip(out), toMessages(change["append"])...)
}

// --- scripted listeners

func (l *lab) listener(spec object) agent.Listener {
	name := spec["name"].(string)
	return func(ctx context.Context, ev agent.Event) error {
		id := callID(ev)
		key := name + "." + ev.Type()
		if id != "" {
			key += ":" + id
		}
		n := l.count(key)
		hidden := l.hidden[ev.Type()]
		if !hidden {
			record := l.fields(ev)
			record["t"], record["l"], record["ev"] = "recv", name, ev.Type()
			flagAborted(record, ctx)
			if l.agent != nil {
				record["state"] = l.snapshot(ev)
			}
			l.rec(record)
		}
		l.hit(fmt.Sprintf("%s#%d", key, n))
		rule := match(spec["rules"], n, func(r object) bool {
			return r["on"] == ev.Type() && (r["call"] == nil || r["call"] == id)
		})
		if gate, ok := rule["wait"].(string); ok {
			l.pass(gate, nil)
		}
		if rule["slow"] == true {
			time.Sleep(labSlow)
		}
		if edit, ok := rule["edit"]; ok {
			end := ev.(*agent.MessageEnd)
			changed := *end.Message.(*ai.AssistantMessage)
			changed.Content = toContent(edit)
			end.Replace(&changed)
		}
		text, throws := rule["throw"].(string)
		if !hidden {
			done := object{"t": "done", "l": name, "ev": ev.Type()}
			if id != "" {
				done["id"] = id
			}
			if throws {
				done["throw"] = true
			}
			l.rec(done)
		}
		l.hit(fmt.Sprintf("%s#%d.done", key, n))
		if throws {
			return errors.New(text)
		}
		return nil
	}
}

func callID(ev agent.Event) string {
	switch ev := ev.(type) {
	case *agent.ToolExecutionStart:
		return ev.ToolCallID
	case *agent.ToolExecutionUpdate:
		return ev.ToolCallID
	case *agent.ToolExecutionEnd:
		return ev.ToolCallID
	}
	return ""
}

func (l *lab) snapshot(ev agent.Event) object {
	st := l.agent.State()
	l.mu.Lock()
	l.held = append(l.held, heldSet{st.PendingToolCalls, strings.Join(st.PendingToolCalls, ",")})
	l.mu.Unlock()
	out := object{"n": len(st.Messages), "busy": st.Streaming}
	if len(st.PendingToolCalls) > 0 {
		out["pending"] = slices.Sorted(slices.Values(st.PendingToolCalls))
	}
	if m := l.agent.StreamingMessage(); m != nil {
		shown := l.digest(m, true)
		out["streaming"] = shown
		if own := messageOf(ev); own != nil && string(raw(l.digest(own, true))) == string(raw(shown)) {
			out["streaming"] = "="
		}
	}
	if st.Error != "" {
		out["error"] = l.errorText(st.Error)
	}
	return out
}

func messageOf(ev agent.Event) agent.Message {
	switch ev := ev.(type) {
	case *agent.MessageStart:
		return ev.Message
	case *agent.MessageUpdate:
		return ev.Message()
	case *agent.MessageEnd:
		return ev.Message
	case *agent.TurnEnd:
		return ev.Message
	}
	return nil
}

func flagAborted(record object, ctx context.Context) {
	if ctx.Err() != nil {
		record["aborted"] = true
	}
}
