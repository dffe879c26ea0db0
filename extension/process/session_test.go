package process_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
)

func init() {
	// versatile does what an event or a command names.
	roles["versatile"] = func(p *peer) {
		hello := p.ready(object{
			"capabilities": []string{"fullMessages"},
			"events":       []string{"session_start", "session_info_changed", "input", "context", "message_update", "before_provider_headers"},
			"commands":     []object{{"name": "do", "completes": true}, {"name": "die"}},
			"flags":        []object{{"name": "depth", "type": "string", "default": "3"}, {"name": "fast", "type": "boolean"}},
			"shortcuts":    []object{{"key": "ctrl+x"}},
			"channels":     []string{"news"},
			"tools":        []object{{"name": "slow", "description": "x", "executionMode": "sequential", "promptSnippet": "Slow work"}},
		})
		p.take = func(call object) object { return versatile(p, hello, call) }
		p.serve()
	}
	roles["picky"] = func(p *peer) { // wants less when it is started again
		events := []string{"agent_start", "agent_end"}
		if p.receive()["restarts"] != 0.0 {
			events = events[1:]
		}
		p.send(object{"type": "ready", "protocol": 1, "events": events})
		p.take = func(call object) object { os.Exit(1); return nil }
		p.serve()
	}
}

// show is a result in a notification, so that it stands in the trace.
func show(p *peer, call object, text string) {
	p.act(call, "ui.notify", object{"message": text})
}

func versatile(p *peer, hello, call object) object {
	event, _ := call["event"].(object)
	switch call["type"] {
	case "event":
		return versatileEvent(p, call, event)
	case "bus":
		show(p, nil, fmt.Sprintf("%v: %v", call["channel"], call["data"]))
	case "shortcut":
		show(p, call, fmt.Sprint("key ", call["key"]))
		return object{}
	case "complete":
		return object{"result": []object{{"value": fmt.Sprint(call["prefix"], "nation"), "label": "x"}}}
	case "call_tool":
		p.send(object{"type": "progress", "id": call["id"], "result": "half way"})
		return object{"result": object{"content": []object{{"type": "text", "text": "done"}}, "isError": true, "terminate": true}}
	case "command":
		if call["command"] == "die" {
			os.Exit(1)
		}
		fields := strings.Fields(fmt.Sprint(call["args"]))
		var params object
		for _, field := range fields[1:] {
			name, value, _ := strings.Cut(field, "=")
			if params == nil {
				params = object{}
			}
			params[name] = value
		}
		if fields[0] == "hello" {
			show(p, call, fmt.Sprint(hello["cwd"], hello["mode"], hello["hasUI"], hello["name"], hello["restarts"]))
			return object{}
		}
		answer := p.act(call, fields[0], params)
		show(p, call, fmt.Sprintf("%v %v %v", answer["type"], answer["result"], answer["error"]))
		return object{}
	}
	return nil
}

func versatileEvent(p *peer, call, event object) object {
	switch event["type"] {
	case "session_start":
		show(p, call, fmt.Sprint("session_start ", event["reason"]))
	case "session_info_changed":
		show(p, call, fmt.Sprint("the name is ", event["name"]))
	case "input":
		return object{"result": object{"action": "transform", "text": fmt.Sprint(event["text"], "!")}}
	case "context":
		messages := event["messages"].([]any)
		return object{"mutated": messages[1:]}
	case "before_provider_headers":
		headers := event["headers"].(object)
		headers["x-new"], headers["x-old"] = "yes", nil
		return object{"mutated": headers}
	case "message_update":
		message, _ := event["message"].(object)
		show(p, call, fmt.Sprint("so far ", message["content"]))
	}
	return object{}
}

func (s *scene) do(t *testing.T, args string) string {
	t.Helper()
	before := len(s.trace.all())
	if err := s.RunCommand(t.Context(), s.Command("do"), args); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return strings.Join(s.trace.all()[before:], "\n")
}

func TestActions(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "versatile")}).ok(t)
	s.SetFlags(map[string]any{"fast": true})
	for args, want := range map[string]string{
		"hello":                         "/projectrpctrueversatile0",
		"getFlag name=depth":            "result 3 ",
		"getFlag name=fast":             "result true ",
		"getFlag name=others":           "result <nil> ",
		"ui.select title=a":             "result Yes",
		"ui.confirm title=a":            "result false",
		"ui.input title=a":              "result <nil>",
		"ui.setStatus key=k text=t":     `status k "t"`,
		"ui.setStatus key=k":            "status k cleared",
		"ui.setTheme name=none":         `there is no theme`,
		"ui.getTheme":                   "result plain",
		"exec command=no-such-program":  "run no-such-program",
		"exec":                          "error <nil> there is no command",
		"getField field=message":        "this is for handlers of events",
		"waitForIdle":                   "wait\n",
		"fly":                           `there is no action`,
		"emit channel=news data=today":  "news: today",
		"appendEntry":                   "there is no customType",
		"appendEntry customType=x":      "appendEntry x",
		"ui.setWidget key=k lines=a":    "the action's params",
		"getSessionName":                "result ",
		"unregisterProvider id=nothing": "",
	} {
		if got := s.do(t, args); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// TestActions_Reentrant: an action makes the session ask the same extension, which answers
// while it waits for the action.
func TestActions_Reentrant(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "versatile")}).ok(t)
	s.session.runner = s.Runner
	got := s.do(t, "setSessionName name=blue")
	if want := "setName blue\nnotify \"the name is blue\" \nnotify \"result <nil> <nil>\" "; got != want {
		t.Errorf("trace:\n%s\nwant\n%s", got, want)
	}
}

func TestEvents(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "versatile")}).ok(t)
	if r := s.Input(t.Context(), &extension.Input{Text: "half a \u2028 line", Source: extension.SourceRPC}); r == nil || r.Text != "half a \u2028 line!" {
		t.Errorf("input: %+v", r)
	}
	messages := []agent.Message{&ai.UserMessage{Content: ai.TextContent("a")}, &ai.UserMessage{Content: ai.TextContent("b")}}
	if got := s.Context(t.Context(), messages); len(got) != 1 {
		t.Errorf("context: %v", got)
	}
	header := map[string][]string{"X-Old": {"1"}, "X-Kept": {"2"}}
	s.Headers(t.Context(), header)
	if got := fmt.Sprint(header); got != "map[X-Kept:[2] X-New:[yes]]" {
		t.Errorf("headers: %s", got)
	}
	tool := s.Tools()[0]
	r, err := tool.Execute(t.Context(), &agent.Call{ID: "1", Tool: tool.Tool.Tool, Args: []byte("{\n \"path\":\r\n\"x\"}")})
	if err != nil || !r.IsError || r.Terminate == nil || !*r.Terminate || tool.Mode != agent.Sequential || tool.PromptSnippet != "Slow work" {
		t.Errorf("tool: %+v, %v", r, err)
	}
	items, err := s.Command("do").Completions(t.Context(), "combi")
	if err != nil || len(items) != 1 || items[0].Value != "combination" {
		t.Errorf("completions: %v, %v", items, err)
	}
	keys := s.Shortcuts()
	if err := s.RunShortcut(t.Context(), &keys[0]); err != nil || !s.trace.has("key ctrl+x") {
		t.Errorf("shortcut: %v", err)
	}
}

// delta is an event of a stream, with the text so far.
func delta(t *testing.T) ai.StreamEvent {
	t.Helper()
	model := scripted.New(scripted.Of(scripted.Text("hel", "lo")))
	var last ai.StreamEvent
	for ev, err := range model.Stream(t.Context(), &ai.Request{
		Model: scripted.Record(), Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("hi")}}},
	}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ev.(*ai.TextDelta); ok {
			last = ev
		}
	}
	return last
}

// TestEvents_FullMessages: an extension that says so gets the message so far.
func TestEvents_FullMessages(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "versatile")}).ok(t)
	s.Emit(t.Context(), &extension.MessageUpdate{Stream: delta(t)})
	s.await(t, "so far [map[text:hello type:text]]")
}

// TestDialogs_StopTheClock: the time that a person takes does not count.
func TestDialogs_StopTheClock(t *testing.T) {
	python(t)
	s := open(t, sceneOptions{source: extension.Source{Path: examples + "python-gate", Host: process.Kind}, deadline: 5 * time.Second}).ok(t)
	s.ui.delay, s.ui.choice = 6*time.Second, "No"
	if r, _, err := s.toolCall(t.Context(), `{"command":"sudo ls"}`); err != nil || !r.Block {
		t.Errorf("result %v, %v", r, err)
	}
}

// TestDialogs_EndWithTheCall: an abort closes the dialog.
func TestDialogs_EndWithTheCall(t *testing.T) {
	s := open(t, sceneOptions{source: built(t)}).ok(t)
	s.ui.delay = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if r, _, err := s.toolCall(ctx, `{"command":"sudo ls"}`); err != nil || !r.Block {
		t.Errorf("result %v, %v", r, err)
	}
	s.await(t, "select cancelled")
	if s.trace.has("started again") {
		t.Errorf("trace: %q", s.trace.all())
	}
}

// TestRestart_SessionStart: a program that is started again learns that there is a session.
func TestRestart_SessionStart(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "versatile")}).ok(t)
	s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
	if err := s.RunCommand(t.Context(), s.Command("die"), ""); err == nil {
		t.Error("the command did not fail")
	}
	s.await(t, "session_start reload")
	if got := s.do(t, "hello"); !strings.Contains(got, "versatile1") {
		t.Errorf("trace: %s", got)
	}
	if len(s.Commands()) != 2 || len(s.Tools()) != 1 || len(s.Shortcuts()) != 1 || len(s.Flags()) != 2 {
		t.Error("things are registered twice")
	}
}

// TestRestart_Unsubscribes: what the program does not want any more does not come.
func TestRestart_Unsubscribes(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "picky")}).ok(t)
	s.Emit(t.Context(), &extension.AgentStart{})
	s.await(t, "it is started again")
	for range 500 {
		if !s.Has(extension.KindAgentStart) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if s.Has(extension.KindAgentStart) || !s.Has(extension.KindAgentEnd) {
		t.Error("the handlers are not those that it wants now")
	}
}

// TestActions_WhileLoading: a factory does not act on the session.
func TestActions_WhileLoading(t *testing.T) {
	s := open(t, sceneOptions{source: role(t, "versatile"), noBind: true}).ok(t)
	if got := s.do(t, "appendEntry customType=x"); !strings.Contains(got, "still being loaded") {
		t.Errorf("trace: %s", got)
	}
}
