package agent_test

import (
	"encoding/json"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// note is a message kind of the scenarios' own.
type note struct{ role, text string }

func (n *note) Role() string { return n.role }

// --- from the scenario's notation

func toContent(v any) ai.Content {
	if v == nil {
		return nil
	}
	content := ai.Content{}
	for _, b := range flat(v) {
		content = append(content, toBlock(b))
	}
	return content
}

func toBlock(v any) ai.Block {
	if text, ok := v.(string); ok {
		return &ai.Text{Text: text}
	}
	b := v.(object)
	if text, ok := b["text"].(string); ok {
		return &ai.Text{Text: text}
	}
	if text, ok := b["think"].(string); ok {
		return &ai.Thinking{Thinking: text}
	}
	if id, ok := b["call"].(string); ok {
		args := b["args"]
		if args == nil {
			args = object{}
		}
		return &ai.ToolCall{ID: id, Name: b["name"].(string), Arguments: raw(args)}
	}
	mime, data, _ := strings.Cut(b["image"].(string), ";")
	return &ai.Image{MIMEType: mime, Data: data}
}

func toMessages(v any) []agent.Message {
	var out []agent.Message
	for _, m := range list(v) {
		out = append(out, toMessage(m))
	}
	return out
}

func toMessage(v any) agent.Message {
	spec, ok := v.(object)
	if !ok {
		spec = object{"user": v}
	}
	text := func(key string) string { s, _ := spec[key].(string); return s }
	switch {
	case spec["user"] != nil:
		return &ai.UserMessage{Content: toContent(spec["user"])}
	case spec["assistant"] != nil:
		stop := text("stop")
		if stop == "" {
			stop = "stop"
		}
		return &ai.AssistantMessage{Content: toContent(spec["assistant"]), API: "lab", Provider: "lab", Model: "m1", StopReason: ai.StopReason(stop), ErrorMessage: text("error")}
	case spec["toolResult"] != nil:
		return &ai.ToolResultMessage{ToolCallID: text("toolResult"), ToolName: text("name"), Content: toContent(spec["content"]), Details: raw(spec["details"]), IsError: spec["isError"] == true}
	case spec["system"] != nil:
		return &ai.SystemMessage{Content: text("system")}
	}
	return &note{role: text("custom"), text: text("text")}
}

func toResult(v any) *agent.ToolResult {
	spec, ok := v.(object)
	if !ok {
		spec = object{"content": v}
	}
	r := &agent.ToolResult{
		Content: toContent(spec["content"]), Details: raw(spec["details"]), Structured: raw(spec["structured"]), Usage: toUsage(spec["usage"]),
		Terminate: new(spec["terminate"] == true), IsError: spec["isError"] == true,
	}
	for _, name := range list(spec["addedToolNames"]) {
		r.AddedToolNames = append(r.AddedToolNames, name.(string))
	}
	return r
}

func toUsage(v any) *ai.Usage {
	if v == nil {
		return nil
	}
	u := new(ai.Usage)
	if err := json.Unmarshal(raw(v), u); err != nil {
		panic(err)
	}
	return u
}

// --- to digests

func (l *lab) errorText(text string) string {
	if l.scripted[text] {
		return text
	}
	return "<error>"
}

func (l *lab) content(c ai.Content, isError, partial bool) any {
	blocks := []any{}
	for _, block := range c {
		switch b := block.(type) {
		case *ai.Text:
			text := b.Text
			if isError {
				text = l.errorText(text)
			}
			if len(c) == 1 {
				return text
			}
			blocks = append(blocks, object{"text": text})
		case *ai.Thinking:
			blocks = append(blocks, object{"think": b.Thinking})
		case *ai.ToolCall:
			call := object{"call": b.ID, "name": b.Name}
			if !partial {
				call["args"] = b.Arguments
			}
			blocks = append(blocks, call)
		case *ai.Image:
			blocks = append(blocks, object{"image": b.MIMEType + ";" + b.Data})
		}
	}
	return blocks
}

func (l *lab) digest(m agent.Message, partial bool) object {
	out := object{}
	switch m := m.(type) {
	case *ai.UserMessage:
		out["user"] = l.content(m.Content, false, false)
	case *ai.AssistantMessage:
		out["assistant"] = l.content(m.Content, false, partial)
		if partial {
			break
		}
		out["stop"] = string(m.StopReason)
		if m.ErrorMessage != "" {
			out["error"] = l.errorText(m.ErrorMessage)
		}
		if m.ThinkingLevel != "" {
			out["thinking"] = string(m.ThinkingLevel)
		}
	case *ai.ToolResultMessage:
		out["toolResult"], out["name"], out["isError"] = m.ToolCallID, m.ToolName, m.IsError
		out["content"] = l.content(m.Content, m.IsError, false)
		if m.Details != nil {
			out["details"] = m.Details
		}
		addUsage(out, m.Usage)
		addNames(out, "added", m.AddedToolNames)
		if l.next && m.DurationMs != nil {
			out["timed"] = true
		}
	case *ai.SystemMessage:
		out["system"] = m.Content
		var added []string
		for _, t := range m.ToolsAdded {
			added = append(added, t.Name)
		}
		addNames(out, "toolsAdded", added)
		addNames(out, "toolsRemoved", m.ToolsRemoved)
	case *note:
		out["custom"], out["text"] = m.role, m.text
	}
	return out
}

func (l *lab) result(r *agent.ToolResult, isError bool) object {
	out := object{"content": l.content(r.Content, isError, false)}
	if r.Details != nil {
		out["details"] = r.Details
	}
	if r.Structured != nil {
		out["structured"] = r.Structured
	}
	addUsage(out, r.Usage)
	addNames(out, "added", r.AddedToolNames)
	if r.Terminate != nil && *r.Terminate {
		out["terminate"] = true
	}
	return out
}

func addNames(out object, key string, names []string) {
	if len(names) > 0 {
		out[key] = names
	}
}

func addUsage(out object, u *ai.Usage) {
	if u == nil {
		return
	}
	shown := object{}
	for key, n := range map[string]int{"input": u.Input, "output": u.Output, "cacheRead": u.CacheRead, "cacheWrite": u.CacheWrite} {
		if n != 0 {
			shown[key] = n
		}
	}
	if len(shown) > 0 {
		out["usage"] = shown
	}
}

func (l *lab) digests(messages []agent.Message) []any {
	out := []any{}
	for _, m := range messages {
		out = append(out, l.digest(m, false))
	}
	return out
}

func (l *lab) modelDigests(messages []ai.Message) []any {
	out := []any{}
	for _, m := range messages {
		out = append(out, l.digest(m, false))
	}
	return out
}

func (l *lab) labels(messages []agent.Message) []any {
	out := []any{}
	for _, m := range messages {
		switch m := m.(type) {
		case *ai.AssistantMessage:
			out = append(out, "assistant:"+string(m.StopReason))
		case *ai.ToolResultMessage:
			out = append(out, "toolResult:"+m.ToolCallID)
		default:
			out = append(out, m.Role())
		}
	}
	return out
}

func resultIDs(results []*ai.ToolResultMessage) []any {
	ids := []any{}
	for _, r := range results {
		ids = append(ids, r.ToolCallID)
	}
	return ids
}

// fields are an event's own fields.
func (l *lab) fields(ev agent.Event) object {
	switch ev := ev.(type) {
	case *agent.MessageStart:
		return object{"message": l.digest(ev.Message, true)}
	case *agent.MessageEnd:
		return object{"message": l.digest(ev.Message, false)}
	case *agent.MessageUpdate:
		return l.updateFields(ev)
	case *agent.TurnEnd:
		return object{"message": l.digest(ev.Message, false), "results": resultIDs(ev.ToolResults)}
	case *agent.AgentEnd:
		return object{"messages": l.labels(ev.Messages)}
	case *agent.ToolExecutionStart:
		return object{"id": ev.ToolCallID, "tool": ev.ToolName, "args": ev.Args}
	case *agent.ToolExecutionUpdate:
		return object{"id": ev.ToolCallID, "tool": ev.ToolName, "args": ev.Args, "partial": l.result(ev.PartialResult, false)}
	case *agent.ToolExecutionEnd:
		out := object{"id": ev.ToolCallID, "tool": ev.ToolName, "isError": ev.IsError, "result": l.result(ev.Result, ev.IsError)}
		if l.next && ev.DurationMs != nil {
			out["timed"] = true
		}
		return out
	}
	return object{}
}

func (l *lab) updateFields(ev *agent.MessageUpdate) object {
	out := object{"kind": ev.Stream.Type(), "message": l.digest(ev.Message(), true)}
	switch s := ev.Stream.(type) {
	case *ai.TextStart:
		out["i"] = s.ContentIndex
	case *ai.TextDelta:
		out["i"], out["delta"] = s.ContentIndex, s.Delta
	case *ai.TextEnd:
		out["i"], out["content"] = s.ContentIndex, s.Content
	case *ai.ThinkingStart:
		out["i"] = s.ContentIndex
	case *ai.ThinkingDelta:
		out["i"], out["delta"] = s.ContentIndex, s.Delta
	case *ai.ThinkingEnd:
		out["i"], out["content"] = s.ContentIndex, s.Content
	case *ai.ToolCallStart:
		out["i"] = s.ContentIndex
	case *ai.ToolCallDelta:
		out["i"], out["delta"] = s.ContentIndex, s.Delta
	case *ai.ToolCallEnd:
		out["i"], out["call"] = s.ContentIndex, s.ToolCall.ID
	}
	return out
}
