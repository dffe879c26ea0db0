package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// --- the scripted model

func (l *lab) request(ctx context.Context, req *ai.Request) *ai.Stream {
	n := l.count("request")
	replies := list(l.s["replies"])
	reply := object{}
	if n <= len(replies) {
		reply = replies[n-1].(object)
	}
	if l.s["api"] != "iterate" {
		thinking := req.Options.Thinking
		if thinking == "" {
			thinking = ai.ThinkingOff
		}
		record := object{"t": "request", "n": n, "model": req.Model.ID, "thinking": string(thinking), "messages": l.modelDigests(req.Context.Messages)}
		if !l.next {
			names := []any{}
			for _, t := range req.Context.Tools {
				names = append(names, t.Name)
			}
			record["system"], record["tools"] = req.Context.SystemPrompt, names
		}
		if req.Options.APIKey != "" {
			record["key"] = req.Options.APIKey
		}
		flagAborted(record, ctx)
		l.rec(record)
		l.hit(fmt.Sprintf("request#%d", n))
	}
	if text, ok := reply["throw"].(string); ok {
		return ai.StreamOf(func(yield func(ai.StreamEvent, error) bool) { yield(nil, errors.New(text)) }, nil)
	}
	stream := ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		return l.produce(ctx, w, req.Model, reply, n > len(replies))
	})
	if reply["noStart"] == true {
		return withoutStart(stream)
	}
	if text, ok := reply["throwMidStream"].(string); ok {
		return breaking(stream, text)
	}
	return stream
}

// produce plays one reply.
func (l *lab) produce(ctx context.Context, w *ai.Writer, model *ai.Model, reply object, missing bool) error {
	partial := ai.Content{}
	finish := func(stop, errText string) error {
		m := &ai.AssistantMessage{Content: partial, API: model.API, Provider: model.Provider, Model: model.ID, StopReason: ai.StopReason(stop), ErrorMessage: errText}
		if final, ok := reply["final"]; ok {
			m.Content = toContent(final)
		}
		if reply["end"] == "silent" {
			w.Resolve(m)
		} else {
			w.DoneWith(m)
		}
		return nil
	}
	obey := ctx
	if reply["ignoreAbort"] == true {
		obey = nil
	}
	if obey != nil && obey.Err() != nil {
		return finish("aborted", "aborted")
	}
	if missing {
		l.fault = "a request has no scripted reply"
		return finish("error", l.fault)
	}
	w.Start()
	blocks := reply["blocks"]
	if blocks == nil && reply["text"] != nil {
		blocks = []any{object{"text": reply["text"]}}
	}
	calls := 0
	for _, spec := range list(blocks) {
		b, ok := spec.(object)
		if !ok {
			b = object{"text": spec}
		}
		if gate, ok := b["wait"].(string); ok {
			if !l.pass(gate, obey) {
				return finish("aborted", "aborted")
			}
			continue
		}
		final := toBlock(b)
		i, whole := open(w, final)
		partial = append(partial, emptied(final))
		deltas, given := b["deltas"]
		if !given {
			deltas = []any{whole}
		}
		for _, d := range list(deltas) {
			if wait, ok := d.(object); ok {
				if !l.pass(wait["wait"].(string), obey) {
					return finish("aborted", "aborted")
				}
				continue
			}
			w.Append(i, d.(string))
			partial[i] = extended(partial[i], d.(string))
		}
		if b["open"] == true {
			continue
		}
		partial[i] = final
		w.End(i)
		if _, ok := final.(*ai.ToolCall); ok {
			calls++
		}
	}
	stop, _ := reply["stop"].(string)
	errText, _ := reply["error"].(string)
	switch {
	case stop != "":
	case errText != "":
		stop = "error"
	case calls > 0:
		stop = "toolUse"
	default:
		stop = "stop"
	}
	return finish(stop, errText)
}

func open(w *ai.Writer, b ai.Block) (int, string) {
	switch b := b.(type) {
	case *ai.Text:
		return w.StartText(), b.Text
	case *ai.Thinking:
		return w.StartThinking(), b.Thinking
	case *ai.ToolCall:
		return w.StartToolCall(b.ID, b.Name), string(b.Arguments)
	}
	panic("no such block in a reply")
}

func emptied(b ai.Block) ai.Block {
	switch b := b.(type) {
	case *ai.Text:
		return &ai.Text{}
	case *ai.Thinking:
		return &ai.Thinking{}
	case *ai.ToolCall:
		return &ai.ToolCall{ID: b.ID, Name: b.Name, Arguments: jsontext.Value("{}")}
	}
	return b
}

func extended(b ai.Block, delta string) ai.Block {
	switch b := b.(type) {
	case *ai.Text:
		return &ai.Text{Text: b.Text + delta}
	case *ai.Thinking:
		return &ai.Thinking{Thinking: b.Thinking + delta}
	}
	return b
}

// breaking fails where the stream would have ended.
func breaking(s *ai.Stream, text string) *ai.Stream {
	return ai.StreamOf(func(yield func(ai.StreamEvent, error) bool) {
		for ev, err := range s.Events() {
			switch ev.(type) {
			case *ai.Done, *ai.Error:
				yield(nil, errors.New(text))
				return
			}
			if !yield(ev, err) {
				return
			}
		}
	}, s.Result)
}

func withoutStart(s *ai.Stream) *ai.Stream {
	return ai.StreamOf(func(yield func(ai.StreamEvent, error) bool) {
		for ev, err := range s.Events() {
			if _, start := ev.(*ai.Start); !start && !yield(ev, err) {
				return
			}
		}
	}, s.Result)
}

// --- scripted tools

func (l *lab) tool(spec object) *agent.Tool {
	name := spec["name"].(string)
	t := &agent.Tool{Name: name, Label: name, Description: name, Parameters: labSchema(spec["schema"])}
	if mode, ok := spec["mode"].(string); ok {
		t.Mode = agent.ExecutionMode(mode)
	}
	if prepare, ok := spec["prepare"].(object); ok {
		t.PrepareArguments = func(args jsontext.Value) (jsontext.Value, error) {
			l.rec(object{"t": "prepare", "tool": name, "args": args})
			if text, ok := prepare["throw"].(string); ok {
				return nil, errors.New(text)
			}
			return merged(args, prepare["args"]), nil
		}
	}
	t.Execute = func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
		return l.execute(ctx, spec, call)
	}
	return t
}

// merged returns args with some fields set.
func merged(args jsontext.Value, set any) jsontext.Value {
	if set == nil {
		return args
	}
	var m object
	if err := json.Unmarshal(args, &m); err != nil {
		panic(err)
	}
	maps.Copy(m, set.(object))
	return raw(m)
}

func (l *lab) execute(ctx context.Context, spec object, call *agent.Call) (*agent.ToolResult, error) {
	run, _ := spec["run"].(object)
	steps := list(run[call.ID])
	if steps == nil {
		steps = list(run["*"])
	}
	for _, s := range steps {
		if gate, ok := s.(object)["enter"].(string); ok {
			l.pass(gate, nil)
		}
	}
	l.mu.Lock()
	l.late[call.ID] = call.Update
	l.mu.Unlock()
	record := object{"t": "exec", "id": call.ID, "tool": spec["name"], "args": call.Args}
	flagAborted(record, ctx)
	l.rec(record)
	l.hit("exec:" + call.ID)
	settle := func(throw bool) {
		record := object{"t": "settle", "id": call.ID}
		if throw {
			record["throw"] = true
		}
		l.rec(record)
		l.hit("settle:" + call.ID)
	}
	for _, s := range steps {
		step := s.(object)
		switch {
		case step["wait"] != nil:
			text, throws := step["abortThrow"].(string)
			var obey context.Context
			if throws || step["abortGoOn"] == true {
				obey = ctx
			}
			if !l.pass(step["wait"].(string), obey) && throws {
				settle(true)
				return nil, errors.New(text)
			}
		case step["update"] != nil:
			l.rec(object{"t": "update", "id": call.ID, "n": l.count("update:" + call.ID)})
			call.Update(toResult(step["update"]))
		case step["setArgs"] != nil:
			call.Args = merged(call.Args, step["setArgs"])
		case step["call"] != nil:
			l.nested(ctx, call, step["call"].(object))
		case step["throw"] != nil:
			settle(true)
			return nil, errors.New(step["throw"].(string))
		case step["return"] != nil:
			settle(false)
			return toResult(step["return"]), nil
		}
	}
	settle(false)
	return toResult("ok"), nil
}

func (l *lab) nested(ctx context.Context, call *agent.Call, spec object) {
	id := spec["id"].(string)
	args := spec["args"]
	if args == nil {
		args = object{}
	}
	inner := &ai.ToolCall{ID: id, Name: spec["name"].(string), Arguments: raw(args)}
	out := call.RunTool(ctx, inner, func(p *agent.ToolResult) {
		l.rec(object{"t": "nested_update", "id": id, "partial": l.result(p, false)})
		l.hit(fmt.Sprintf("nested_update:%s#%d", id, l.count("nested_update:"+id)))
	})
	record := object{"t": "nested", "id": id, "isError": out.IsError, "result": l.result(out.Result, out.IsError)}
	if out.DurationMs != nil {
		record["timed"] = true
	}
	l.rec(record)
}
