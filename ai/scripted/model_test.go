package scripted_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
)

// show describes an answer in one line.
func show(m *ai.AssistantMessage) string {
	var parts []string
	for _, block := range m.Content {
		switch b := block.(type) {
		case *ai.Text:
			parts = append(parts, fmt.Sprintf("text %q", b.Text))
		case *ai.Thinking:
			parts = append(parts, fmt.Sprintf("thinking %q%s%s", b.Thinking, b.Signature, map[bool]string{true: " redacted"}[b.Redacted]))
		case *ai.ToolCall:
			bad := ""
			if b.ArgumentsError != "" {
				bad = " bad"
			}
			parts = append(parts, fmt.Sprintf("call %s %s %s%s", b.ID, b.Name, b.Arguments, bad))
		}
	}
	parts = append(parts, string(m.StopReason))
	if m.ErrorMessage != "" {
		parts = append(parts, m.ErrorMessage)
	}
	return strings.Join(parts, "; ")
}

func TestReply(t *testing.T) {
	down := errors.New("the service is down")
	path := map[string]any{"path": "a"}
	for name, c := range map[string]struct {
		reply scripted.Reply
		want  string
	}{
		"text":      {scripted.Say("Hello there."), `text "Hello there."; stop`},
		"nothing":   {scripted.Reply{}, "stop"},
		"no text":   {scripted.Say(""), `text ""; stop`},
		"all kinds": {scripted.Of(scripted.Thinking("Hm."), scripted.Text("I look."), scripted.Call("c1", "read", path)), `thinking "Hm."; text "I look."; call c1 read {"path":"a"}; toolUse`},
		"thinking": {
			scripted.Of(scripted.Block{Content: &ai.Thinking{Thinking: "Hm.", Signature: " sig", Redacted: true}}),
			`thinking "Hm." sig redacted; stop`,
		},
		"no arguments":    {scripted.Of(scripted.Call("c1", "now", nil)), "call c1 now {}; toolUse"},
		"JSON arguments":  {scripted.Of(scripted.Call("c1", "now", jsontext.Value(`{"b": 1, "a": 2}`))), `call c1 now {"b": 1, "a": 2}; toolUse`},
		"ids made up":     {scripted.Of(scripted.Call("", "a", nil), scripted.Call("", "b", nil)), "call call_1 a {}; call call_2 b {}; toolUse"},
		"raw arguments":   {scripted.Of(scripted.RawCall("c1", "read", `{"path": "a`, `bc`)), `call c1 read {"path":"abc"} bad; toolUse`},
		"empty arguments": {scripted.Of(scripted.RawCall("c1", "read")), "call c1 read {}; toolUse"},
		"stop":            {scripted.Reply{Blocks: []scripted.Block{scripted.Text("Too lo")}, Stop: ai.StopLength}, `text "Too lo"; length`},
		"stop error":      {scripted.Reply{Stop: ai.StopError}, "error; the script lets this answer fail"},
		"stop aborted":    {scripted.Reply{Blocks: []scripted.Block{scripted.Text("I")}, Stop: ai.StopAborted}, `text "I"; aborted; the script lets this answer fail`},
		"stop deferred":   {scripted.Reply{Stop: ai.StopDeferred}, "deferred"},
		"failure":         {scripted.Fail(down), "error; the service is down"},
		"late failure":    {scripted.Reply{Blocks: []scripted.Block{scripted.Text("I am")}, Err: down}, `text "I am"; error; the service is down`},
		"cut":             {scripted.Reply{Blocks: []scripted.Block{scripted.Text("One ", "two ", "three")}, CutAt: 2}, `text "One two "; error; ` + ai.ErrUnterminated.Error()},
		"cut with error":  {scripted.Reply{Blocks: []scripted.Block{scripted.Text("One ", "two")}, CutAt: 1, Err: down}, `text "One "; error; the service is down`},
		"cut at the end":  {scripted.Reply{Blocks: []scripted.Block{scripted.Text("One")}, CutAt: 9}, `text "One"; error; ` + ai.ErrUnterminated.Error()},
		"function": {scripted.Func(func(req *ai.Request) scripted.Reply {
			return scripted.Say("You said: " + req.Context.Messages[0].(*ai.UserMessage).Content.Text())
		}), `text "You said: Hi!"; stop`},
		"unknown block": {
			scripted.Of(scripted.Block{Content: &ai.Image{}}),
			"error; a scripted reply can hold text, thinking and tool calls, but one has a block *ai.Image",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, m := ask(t, scripted.New(c.reply).Stream, t.Context())
			diff(t, "answer", c.want, show(m))
			diff(t, "model", "scripted scripted scripted", m.API+" "+m.Provider+" "+m.Model)
		})
	}
}

func TestReply_FailureBeforeStart(t *testing.T) {
	events, _ := ask(t, scripted.New(scripted.Fail(errors.New("no"))).Stream, t.Context())
	if len(events) != 1 {
		t.Errorf("got %d events, want only the error", len(events))
	}
}

func TestReply_TypedError(t *testing.T) {
	_, m := ask(t, scripted.New(scripted.Fail(&ai.StatusError{Status: 529, Message: "overloaded"})).Stream, t.Context())
	if e, ok := errors.AsType[*ai.StatusError](m.Err); !ok || e.Status != 529 {
		t.Errorf("the cause is %#v, want the status error", m.Err)
	}
	if !ai.IsRetryable(m) {
		t.Error("529 is not retryable")
	}
}

func TestPieces(t *testing.T) {
	long := strings.Repeat("x", 40)
	for name, c := range map[string]struct {
		reply scripted.Reply
		want  []string
	}{
		"words":      {scripted.Say(" One two,\n\tthree "), []string{" One", " two,", "\n\tthree", " "}},
		"long word":  {scripted.Say(long), []string{long[:16], long[:16], long[:8]}},
		"runes":      {scripted.Say(strings.Repeat("é", 20)), []string{strings.Repeat("é", 16), "éééé"}},
		"one":        {scripted.Reply{Blocks: []scripted.Block{scripted.Text("One two")}, Chunks: 1}, []string{"One two"}},
		"three":      {scripted.Reply{Blocks: []scripted.Block{scripted.Text("One two"), scripted.Text("ab")}, Chunks: 3}, []string{"One", " t", "wo", "a", "b"}},
		"given":      {scripted.Of(scripted.Text("On", "e ", "", "two")), []string{"On", "e ", "", "two"}},
		"arguments":  {scripted.Of(scripted.Call("c", "t", map[string]any{"path": "notes about milk"})), []string{`{"path":"notes`, " about", ` milk"}`}},
		"raw pieces": {scripted.Of(scripted.RawCall("c", "t", `{"a"`, `:1}`)), []string{`{"a"`, `:1}`}},
	} {
		t.Run(name, func(t *testing.T) {
			events, _ := ask(t, scripted.New(c.reply).Stream, t.Context())
			diff(t, "pieces", c.want, deltas(events))
		})
	}
}

func TestModel_Queue(t *testing.T) {
	m := scripted.New(scripted.Say("one"), scripted.Say("two"))
	texts := func(n int) (out []string) {
		for range n {
			_, answer := ask(t, m.Stream, t.Context())
			out = append(out, answer.Content.Text()+answer.ErrorMessage)
		}
		return out
	}
	m.Append(scripted.Say("three"))
	diff(t, "pending", 3, m.Pending())
	diff(t, "replies", []string{"one", "two"}, texts(2))
	m.Replace(scripted.Say("four"))
	diff(t, "replies", []string{"four", "no scripted reply is left for request 4; add a reply, or let the script loop"}, texts(2))
	diff(t, "calls", 4, m.Calls())
	diff(t, "requests", 4, len(m.Requests()))
	if _, answer := ask(t, m.Stream, t.Context()); !errors.Is(answer.Err, scripted.ErrNoReply) {
		t.Errorf("the cause is %v, want ErrNoReply", answer.Err)
	}
}

func TestModel_RequestsKeepTheirMessages(t *testing.T) {
	m := scripted.New(scripted.Say("one"))
	messages := []ai.Message{user("before")}
	send(t, m.Stream, t.Context(), &ai.Request{Context: ai.Context{Messages: messages}})
	messages[0] = user("after")
	diff(t, "message", "before", m.Requests()[0].Context.Messages[0].(*ai.UserMessage).Content.Text())
}

func TestModel_Loop(t *testing.T) {
	script := &scripted.Script{Replies: []scripted.Reply{scripted.Say("a"), scripted.Say("b")}, Loop: true}
	stream := scripted.Stream(script)
	got := ""
	for range 5 {
		_, answer := ask(t, stream, t.Context())
		got += answer.Content.Text()
	}
	diff(t, "answers", "ababa", got)
}

func TestModel_ReplyOfARequestIsTakenWhenItIsRead(t *testing.T) {
	m := scripted.New(scripted.Say("one"))
	m.Stream(t.Context(), &ai.Request{})
	if m.Calls() != 0 || m.Pending() != 1 {
		t.Error("a stream that nobody reads has taken a reply")
	}
}

func TestModel_NewIDs(t *testing.T) {
	history := []ai.Message{user("x"), &ai.AssistantMessage{Content: ai.Content{
		&ai.ToolCall{ID: "call_2", Name: "a"}, &ai.ToolCall{ID: "other", Name: "b"},
	}}}
	m := scripted.New(scripted.Of(scripted.Call("", "a", nil), scripted.Call("", "b", nil)))
	_, answer := send(t, m.Stream, t.Context(), &ai.Request{Context: ai.Context{Messages: history}})
	diff(t, "answer", "call call_3 a {}; call call_4 b {}; toolUse", show(answer))
}

func TestUsage(t *testing.T) {
	usage := func(m *scripted.Model, opts ai.Options, texts ...string) ai.Usage {
		req := &ai.Request{Options: opts, Context: ai.Context{SystemPrompt: "12345678"}}
		for _, text := range texts {
			req.Context.Messages = append(req.Context.Messages, user(text))
		}
		_, answer := send(t, m.Stream, t.Context(), req)
		return answer.Usage
	}
	ten := scripted.Say("0123456789")
	m := scripted.New(ten, ten, ten, ten, ten, ten)
	session := ai.Options{SessionID: "s"}
	diff(t, "plain", ai.Usage{Input: 3, Output: 3, TotalTokens: 6}, usage(m, ai.Options{}, "1234"))
	diff(t, "new session", ai.Usage{CacheWrite: 3, Output: 3, TotalTokens: 6}, usage(m, session, "1234"))
	diff(t, "continued", ai.Usage{CacheRead: 3, CacheWrite: 2, Output: 3, TotalTokens: 8}, usage(m, session, "1234", "12345678"))
	diff(t, "changed", ai.Usage{CacheRead: 2, CacheWrite: 1, Output: 3, TotalTokens: 6}, usage(m, session, "4321"))
	diff(t, "no cache", ai.Usage{Input: 3, Output: 3, TotalTokens: 6}, usage(m, ai.Options{SessionID: "s", CacheRetention: "none"}, "4321"))
	diff(t, "other session", ai.Usage{CacheWrite: 3, Output: 3, TotalTokens: 6}, usage(m, ai.Options{SessionID: "r"}, "4321"))

	given := &ai.Usage{Input: 7, Output: 1, CacheRead: 2}
	diff(t, "given", ai.Usage{Input: 7, Output: 1, CacheRead: 2, TotalTokens: 10}, usage(scripted.New(scripted.Reply{Usage: given}), session, "1"))
}

func TestUsage_OfAnAnswerThatBreaksOff(t *testing.T) {
	reply := scripted.Reply{Blocks: []scripted.Block{scripted.Text("12345678", "1234")}, CutAt: 1}
	_, m := ask(t, scripted.New(reply).Stream, t.Context())
	diff(t, "output", 2, m.Usage.Output)
}

// Arguments that were cut short never run, whatever they look like.
func TestLaw_L3_CutCallsDoNotRun(t *testing.T) {
	for name, reply := range map[string]scripted.Reply{
		"short text":  scripted.Of(scripted.RawCall("c1", "touch", `{"path": "a`)),
		"broken off":  {Blocks: []scripted.Block{scripted.RawCall("c1", "touch", `{"path":`, `"a"}`)}, CutAt: 1},
		"over length": {Blocks: []scripted.Block{scripted.Call("c1", "touch", nil)}, Stop: ai.StopLength},
	} {
		t.Run(name, func(t *testing.T) {
			ran := false
			touch := &agent.Tool{Name: "touch", Execute: execute(func() { ran = true })}
			m := scripted.New(reply, scripted.Say("Well."))
			a := agent.New(m.Stream, &agent.Options{Model: scripted.Record(), Tools: []*agent.Tool{touch}})
			if err := a.Prompt(t.Context(), agent.User("go")); err != nil {
				t.Fatal(err)
			}
			if ran {
				t.Error("the call ran")
			}
		})
	}
}

func TestRecord(t *testing.T) {
	a, b := scripted.Record(), scripted.Record()
	if a == b {
		t.Error("two records are one")
	}
	diff(t, "record", "scripted/scripted/scripted 128000 16384", fmt.Sprintf("%s/%s/%s %d %d", a.API, a.Provider, a.ID, a.ContextWindow, a.MaxTokens))
}

func BenchmarkStream(b *testing.B) {
	stream := scripted.Stream(&scripted.Script{Loop: true, Replies: []scripted.Reply{scripted.Say(strings.Repeat("word ", 1000))}})
	req := &ai.Request{Model: scripted.Record()}
	b.ReportAllocs()
	for b.Loop() {
		for range stream(b.Context(), req).Events() {
		}
	}
}
