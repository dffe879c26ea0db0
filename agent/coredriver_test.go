package agent_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// --- the driver

func (l *lab) perform(a object) {
	record := object{"t": "act"}
	maps.Copy(record, a)
	mine := l.rec(record)
	switch {
	case a["release"] != nil:
		for _, g := range flat(a["release"]) {
			l.release(g.(string))
		}
	case a["abort"] != nil:
		if l.agent != nil {
			l.agent.Abort()
		} else {
			l.abort(agent.ErrAborted)
		}
	case a["prompt"] != nil || a["continue"] != nil || a["waitForIdle"] != nil:
		l.follow(a)
	case a["steer"] != nil:
		l.agent.Steer(toMessage(a["steer"]))
	case a["followUp"] != nil:
		l.agent.FollowUp(toMessage(a["followUp"]))
	case a["clear"] != nil:
		if a["clear"] != "followUp" {
			l.agent.ClearSteering()
		}
		if a["clear"] != "steering" {
			l.agent.ClearFollowUps()
		}
	case a["reset"] != nil:
		if err := l.agent.Reset(); err != nil {
			l.mu.Lock()
			mine["refused"] = l.class(err)
			l.mu.Unlock()
		}
	case a["subscribe"] != nil:
		l.subscribe(a["subscribe"].(string))
	case a["unsubscribe"] != nil:
		l.unsubscribe[a["unsubscribe"].(string)]()
	case a["set"] != nil:
		l.assign(a["set"].(object))
	case a["spoil"] != nil:
		l.spoil(a["spoil"].(string))
	case a["lateUpdate"] != nil:
		content := a["content"]
		if content == nil {
			content = "late"
		}
		l.mu.Lock()
		update := l.late[a["lateUpdate"].(string)]
		l.mu.Unlock()
		update(toResult(content))
	default:
		l.fault = fmt.Sprintf("unknown action %v", a)
	}
}

// follow starts a call of the kernel; its outcome becomes a record and a mark. With "now"
// it waits for the outcome, otherwise only until the call has taken effect.
func (l *lab) follow(a object) {
	id := a["id"].(string)
	l.mu.Lock()
	l.calls[id] = false
	l.mu.Unlock()
	returned := make(chan struct{})
	go func() {
		outcome := l.start(a)
		outcome["t"], outcome["id"] = "outcome", id
		l.rec(outcome)
		close(returned)
		l.hit("outcome:" + id)
		l.mu.Lock()
		l.calls[id] = true
		l.mu.Unlock()
		l.nudge()
	}()
	if a["now"] == true {
		<-returned
		return
	}
	if l.agent == nil || a["waitForIdle"] != nil {
		return
	}
	for !l.agent.State().Streaming {
		select {
		case <-returned:
			return
		case <-time.After(50 * time.Microsecond):
		}
	}
}

func (l *lab) start(a object) object {
	var prompts []agent.Message
	if text, ok := a["prompt"].(string); ok {
		var images []*ai.Image
		for _, block := range toContent(a["images"]) {
			images = append(images, block.(*ai.Image))
		}
		prompts = []agent.Message{agent.User(text, images...)}
	} else if a["prompt"] != nil {
		for _, m := range flat(a["prompt"]) {
			prompts = append(prompts, toMessage(m))
		}
	}
	ctx := context.Background()
	switch {
	case a["waitForIdle"] != nil:
		return l.outcome(l.agent.Wait(ctx), nil)
	case l.agent != nil && a["continue"] != nil:
		return l.outcome(l.agent.Continue(ctx), nil)
	case l.agent != nil:
		return l.outcome(l.agent.Prompt(ctx, prompts...), nil)
	case l.s["api"] == "iterate":
		return l.iterate(prompts)
	case a["continue"] != nil:
		return l.outcomeOf(agent.ContinueLoop(l.loopCtx, l.base, l.cfg, l.listener(l.listeners[0])))
	}
	return l.outcomeOf(agent.RunLoop(l.loopCtx, prompts, l.base, l.cfg, l.listener(l.listeners[0])))
}

func (l *lab) iterate(prompts []agent.Message) object {
	var added []agent.Message
	for ev, err := range agent.Iterate(l.loopCtx, prompts, l.base, l.cfg) {
		if err != nil {
			return l.outcome(err, nil)
		}
		record := l.fields(ev)
		record["t"], record["l"], record["ev"] = "recv", "iterator", ev.Type()
		l.rec(record)
		if end, ok := ev.(*agent.AgentEnd); ok {
			added = end.Messages
		}
	}
	return l.outcome(nil, added)
}

func (l *lab) outcomeOf(added []agent.Message, err error) object { return l.outcome(err, added) }

func (l *lab) outcome(err error, added []agent.Message) object {
	if err != nil {
		return object{"ok": false, "error": l.class(err)}
	}
	out := object{"ok": true}
	if added != nil {
		out["messages"] = l.labels(added)
	}
	return out
}

func (l *lab) class(err error) string {
	switch {
	case l.scripted[err.Error()]:
		return err.Error()
	case errors.Is(err, agent.ErrBusy):
		return "busy"
	case errors.Is(err, agent.ErrNothingToContinue):
		return "empty"
	case errors.Is(err, agent.ErrLastIsAnswer):
		return "last-assistant"
	}
	return "<error>"
}

func (l *lab) subscribe(name string) {
	for _, spec := range l.listeners {
		if spec["name"] == name {
			l.unsubscribe[name] = l.agent.Subscribe(l.listener(spec))
		}
	}
}

// spoil changes, in place, the list that was handed to the agent last.
func (l *lab) spoil(what string) {
	switch handed := l.handed[what].(type) {
	case []agent.Message:
		handed[0] = handed[len(handed)-1]
		l.handed[what] = append(handed, handed[0])
	case []*agent.Tool:
		handed[0] = handed[len(handed)-1]
		l.handed[what] = append(handed, handed[0])
	}
}

func (l *lab) assign(set object) {
	if v, ok := set["messages"]; ok {
		messages := toMessages(v)
		l.handed["messages"] = messages
		l.agent.SetMessages(messages)
	}
	if v, ok := set["tools"]; ok {
		tools := l.named(v)
		l.handed["tools"] = tools
		l.agent.SetTools(tools)
	}
	if v, ok := set["model"].(string); ok {
		l.agent.SetModel(labModel(v))
	}
	if v, ok := set["thinking"].(string); ok {
		l.agent.SetThinking(ai.ThinkingLevel(v))
	}
	if v, ok := set["system"].(string); ok {
		l.agent.SetSystemPrompt(v)
	}
	steering, _ := set["steeringMode"].(string)
	followUp, _ := set["followUpMode"].(string)
	l.agent.SetQueueModes(agent.QueueMode(steering), agent.QueueMode(followUp))
}

func (l *lab) named(v any) []*agent.Tool {
	tools := []*agent.Tool{}
	for _, name := range list(v) {
		tools = append(tools, l.tools[name.(string)])
	}
	return tools
}
