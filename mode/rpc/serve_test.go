package rpc_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// echo is a shell that knows echo TEXT, fail, and wait, which runs until it is aborted.
func echo(ctx context.Context, cmd *host.Command, output func([]byte)) (host.Exit, error) {
	word, rest, _ := strings.Cut(cmd.Text, " ")
	switch word {
	case "echo":
		output([]byte(rest + "\n"))
	case "fail":
		return host.Exit{Code: 3}, nil
	case "wait":
		output([]byte("waiting\n"))
		<-ctx.Done()
		return host.Exit{}, ctx.Err()
	}
	return host.Exit{}, nil
}

// Every command of the protocol that there is gets exactly one response.
func TestCommands(t *testing.T) {
	model := scripted.New(scripted.Say("Hi."))
	s := open(t, model.Stream, session.Options{Bash: &bash.Options{Host: host.WithCommands(nil, echo)}})
	c := connect(t, s, nil)
	for _, command := range []struct{ line, want string }{
		{`{"type":"get_last_assistant_text"}`, `"success":true,"data":{}}`},
		{`{"type":"get_messages"}`, `"success":true,"data":{"messages":[]}}`},
		{`{"type":"get_state"}`, `"success":true,"data":{"model":{"id":"scripted","name":"Scripted","api":"scripted","provider":"scripted",`},
		{`{"type":"get_available_models"}`, `"success":true,"data":{"models":[{"id":"scripted",`},
		{`{"type":"get_available_thinking_levels"}`, `"success":true,"data":{"levels":["off"]}}`},
		{`{"type":"set_model","provider":"scripted","modelId":"thinker"}`, `"success":true,"data":{"id":"thinker",`},
		{`{"type":"get_available_thinking_levels"}`, `"success":true,"data":{"levels":["off","minimal","low","medium","high"]}}`},
		{`{"type":"set_thinking_level","level":"high"}`, `"success":true}`},
		{`{"type":"set_steering_mode","mode":"all"}`, `"success":true}`},
		{`{"type":"set_follow_up_mode","mode":"all"}`, `"success":true}`},
		{`{"type":"abort"}`, `"success":true}`},
		{`{"type":"abort_bash"}`, `"success":true}`},
		{`{"type":"steer","message":"a"}`, `"success":true}`},
		{`{"type":"follow_up","message":"b"}`, `"success":true}`},
		{`{"type":"clear_queue"}`, `"success":true,"data":{"steering":["a"],"followUp":["b"]}}`},
		{`{"type":"bash","command":"echo hi"}`, `"success":true,"data":{"output":"hi\n","exitCode":0,"cancelled":false,"truncated":false}}`},
		{`{"type":"bash","command":"fail"}`, `"success":true,"data":{"output":"","exitCode":3,`},
		{`{"type":"prompt","message":"Hello."}`, `"success":true}`},
	} {
		response := c.ask(command.line)
		name, _, _ := strings.Cut(strings.TrimPrefix(command.line, `{"type":"`), `"`)
		if !strings.HasPrefix(response, `{"type":"response","command":"`+name+`",`+command.want) {
			t.Errorf("%s: %s\nwant %s", command.line, response, command.want)
		}
	}
	c.until("agent_settled")
	if got := c.ask(`{"type":"get_last_assistant_text"}`); !strings.HasSuffix(got, `"data":{"text":"Hi."}}`) {
		t.Errorf("last text: %s", got)
	}
	state := c.ask(`{"type":"get_state"}`)
	for _, want := range []string{`"thinkingLevel":"high"`, `"isStreaming":false`, `"steeringMode":"all"`, `"followUpMode":"all"`, `"messageCount":4`, `"pendingMessageCount":0`, `"sessionId":"` + s.ID() + `"`} {
		if !strings.Contains(state, want) {
			t.Errorf("no %s in %s", want, state)
		}
	}
	if strings.Contains(state, "sessionFile") {
		t.Errorf("a session in memory has a file: %s", state)
	}
	if rest := c.end(); len(rest) > 0 {
		t.Errorf("more lines: %q", rest)
	}
}

// Without models there are none to choose from.
func TestNoModels(t *testing.T) {
	c := connect(t, open(t, scripted.New().Stream, session.Options{}), &rpc.Options{})
	if got := c.ask(`{"type":"get_available_models"}`); !strings.HasSuffix(got, `"data":{"models":[]}}`) {
		t.Error(got)
	}
	if got := c.ask(`{"type":"set_model","provider":"a","modelId":"b"}`); !strings.Contains(got, "model a/b is not available") {
		t.Error(got)
	}
	c.end()
}

func TestPromptIsAcceptedBeforeItsEvents(t *testing.T) {
	c := connect(t, open(t, scripted.New(scripted.Say("a"), scripted.Say("b")).Stream, session.Options{}), nil)
	for range 2 {
		c.send(`{"type":"prompt","message":"go","id":1}`)
		expectKinds(t, c.until("agent_settled"), "ok:prompt "+run)
	}
	c.end()
}

func TestLaw_S2_TwoPromptsAtOnce(t *testing.T) {
	model := scripted.New(scripted.Reply{Hold: "gate", Blocks: scripted.Say("a").Blocks})
	c := connect(t, open(t, model.Stream, session.Options{}), nil)
	c.send(`{"type":"prompt","message":"one","id":1}`, `{"type":"prompt","message":"two","id":2}`)
	lines := c.until(`"id":2`)
	refused := lines[len(lines)-1]
	for _, want := range []string{`"success":false`, "steering", "follow-up"} {
		if !strings.Contains(refused, want) {
			t.Errorf("no %s in %s", want, refused)
		}
	}
	model.Release("gate")
	lines = append(lines, c.until("agent_settled")...)
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == refused })
	expectKinds(t, lines, "ok:prompt "+run)
	c.end()
	if model.Calls() != 1 {
		t.Errorf("%d requests", model.Calls())
	}
}

// A prompt that says so is queued; it settles with the one that it joins.
func TestPromptWhileBusy(t *testing.T) {
	model := scripted.New(scripted.Reply{Hold: "gate", Blocks: scripted.Say("a").Blocks}, scripted.Say("b"), scripted.Say("c"))
	c := connect(t, open(t, model.Stream, session.Options{}), nil)
	c.ask(`{"type":"prompt","message":"one"}`)
	<-model.Waiting("gate")
	for _, line := range []string{`{"type":"prompt","message":"two","streamingBehavior":"followUp"}`, `{"type":"prompt","message":"three","streamingBehavior":"steer"}`} {
		if got := c.ask(line); !strings.Contains(got, `"success":true`) {
			t.Errorf("%s: %s", line, got)
		}
	}
	if got := c.ask(`{"type":"get_state"}`); !strings.Contains(got, `"isStreaming":true`) || !strings.Contains(got, `"pendingMessageCount":2`) {
		t.Errorf("state: %s", got)
	}
	model.Release("gate")
	c.until("agent_settled")
	if got := c.ask(`{"type":"get_messages"}`); !inOrder(got, `"text":"one"`, `"text":"a"`, `"text":"three"`, `"text":"b"`, `"text":"two"`, `"text":"c"`) {
		t.Errorf("messages: %s", got)
	}
	if rest := c.end(); len(rest) > 0 {
		t.Errorf("more lines: %q", rest)
	}
}

func inOrder(text string, parts ...string) bool {
	for _, part := range parts {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

func TestAbortIsAnsweredWhenSettled(t *testing.T) {
	model := scripted.New(scripted.Reply{Hold: "gate"})
	c := connect(t, open(t, model.Stream, session.Options{}), nil)
	c.ask(`{"type":"prompt","message":"go"}`)
	<-model.Waiting("gate")
	c.send(`{"type":"abort","id":"x"}`)
	lines := c.until(`"command":"abort"`)
	if got := kinds(t, lines); got[len(got)-1] != "ok:abort" || got[len(got)-2] != "agent_settled" {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(strings.Join(lines, "\n"), `"stopReason":"aborted"`) {
		t.Errorf("no aborted answer in %q", lines)
	}
	c.end()
}

func TestBashCommandsRunTogether(t *testing.T) {
	s := open(t, scripted.New().Stream, session.Options{Bash: &bash.Options{Host: host.WithCommands(nil, echo)}})
	c := connect(t, s, nil)
	c.send(`{"type":"bash","command":"wait","id":1}`, `{"type":"bash","command":"wait","id":2,"excludeFromContext":true}`)
	for range 2 {
		c.until(`"delta":"waiting\n"`)
	}
	// Others are answered meanwhile.
	if got := c.ask(`{"type":"bash","command":"echo x","id":3}`); !strings.Contains(got, `"id":3`) || !strings.Contains(got, `"output":"x\n"`) {
		t.Errorf("got %s", got)
	}
	c.send(`{"type":"abort_bash","id":4}`)
	lines := append(c.until(`"type":"response"`), append(c.until(`"type":"response"`), c.until(`"type":"response"`)...)...)
	for id, want := range map[int]string{1: `"data":{"output":"waiting\n","cancelled":true`, 2: `"data":{"output":"waiting\n","cancelled":true`, 4: `"command":"abort_bash","success":true}`} {
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, fmt.Sprintf(`{"id":%d,"type":"response"`, id)) && strings.Contains(line, want)
		}) {
			t.Errorf("no response to %d with %s in %q", id, want, lines)
		}
	}
	c.end()
}

// A command of the user's does not come between a call and its result.
func TestBashDuringARun(t *testing.T) {
	gate := make(chan struct{})
	slow := &agent.Tool{Name: "slow", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		<-gate
		return agent.TextResult("done"), nil
	}}
	model := scripted.New(scripted.Of(scripted.Call("c1", "slow", nil)), scripted.Say("ok"))
	c := connect(t, open(t, model.Stream, session.Options{Tools: []*agent.Tool{slow}, Bash: &bash.Options{Host: host.WithCommands(nil, echo)}}), nil)
	c.ask(`{"type":"prompt","message":"go"}`)
	c.until("tool_execution_start")
	if got := c.ask(`{"type":"bash","command":"echo x"}`); !strings.Contains(got, `"output":"x\n"`) {
		t.Errorf("got %s", got)
	}
	close(gate)
	c.until("agent_settled")
	if got := c.ask(`{"type":"get_messages"}`); !inOrder(got, `"role":"user"`, `"id":"c1"`, `"role":"toolResult"`, `"text":"ok"`, `"role":"bashExecution"`) {
		t.Errorf("messages: %s", got)
	}
	c.end()
}

// The content of messages of users and models has one form on the wire, a list of blocks,
// also where a session file has a plain text. That of custom messages is what their author
// has chosen (Pi 0.85).
func TestOneFormOfContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"plain","timestamp":1}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":"answer","timestamp":2}}
{"type":"custom_message","id":"00000003","parentId":"00000002","timestamp":"2026-01-01T00:00:00.000Z","customType":"note","content":"custom","display":true}
`)
	store, err := jsonl.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(store, &session.Options{Stream: scripted.New().Stream, Model: scripted.Record()})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, nil)
	got := c.ask(`{"type":"get_messages"}`)
	for _, want := range []string{`"content":[{"type":"text","text":"plain"}]`, `"content":[{"type":"text","text":"answer"}]`, `"content":"custom"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	c.end()
}

// A model that cannot be asked is a refusal, with what to do.
func TestNotReady(t *testing.T) {
	opts := session.Options{Ready: func(m *ai.Model) error { return fmt.Errorf("no key for %s; set one", m.ID) }}
	c := connect(t, open(t, scripted.New().Stream, opts), nil)
	if got := c.ask(`{"type":"prompt","message":"go"}`); got != `{"type":"response","command":"prompt","success":false,"error":"no key for scripted; set one"}` {
		t.Error(got)
	}
	if rest := c.end(); len(rest) > 0 {
		t.Errorf("more lines: %q", rest)
	}
}

// Settings change between commands while a run is under way, from another goroutine.
func TestCommandsDuringARun(t *testing.T) {
	model := scripted.New(scripted.Reply{Blocks: []scripted.Block{scripted.Text(slices.Repeat([]string{"word "}, 2000)...)}})
	c := connect(t, open(t, model.Stream, session.Options{}), nil)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 50 {
			c.send(`{"type":"get_state"}`, `{"type":"set_thinking_level","level":"off"}`, `{"type":"get_messages"}`, `{"type":"set_model","provider":"scripted","modelId":"thinker"}`)
		}
	})
	c.send(`{"type":"prompt","message":"go"}`)
	wg.Wait()
	lines := c.end()
	responses := 0
	for _, line := range lines {
		if strings.Contains(line, `"type":"response"`) {
			responses++
			if !strings.Contains(line, `"success":true`) {
				t.Errorf("refused: %s", line)
			}
		}
	}
	if responses != 201 {
		t.Errorf("%d responses", responses)
	}
}
