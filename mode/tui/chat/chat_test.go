package chat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// play runs a prompt and returns all events.
func play(t *testing.T, tools []*agent.Tool, replies ...scripted.Reply) []event.Event {
	t.Helper()
	s, err := session.New(memory.New(transcript.NewHeader(t.TempDir())), &session.Options{
		Stream: scripted.New(replies...).Stream, Model: scripted.Record(), Tools: tools, Retry: session.Retry{Disabled: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	var events []event.Event
	s.SubscribeStored(func(ev event.Event) { events = append(events, ev) })
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	return events
}

func shown(tr *chat.Transcript) string {
	var b strings.Builder
	for _, block := range tr.Blocks() {
		switch block.Kind {
		case chat.Tool:
			fmt.Fprintf(&b, "tool %s %s -> %q error=%v skipped=%v\n", block.Call.Name, block.Call.Args, block.Call.Output(), block.Call.IsError, block.Call.Skipped)
		default:
			fmt.Fprintf(&b, "%d %q\n", block.Kind, block.Text)
		}
	}
	return b.String()
}

func echo() *agent.Tool {
	type input struct {
		Text string `json:"text"`
	}
	return agent.NewTool("echo", "Echoes.", func(ctx context.Context, in input) (string, error) {
		agent.CallFrom(ctx).Update(agent.TextResult("working on \x1b[31m" + in.Text))
		return in.Text + "\x1b]0;title\x07", nil
	})
}

func call(id, args string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: "echo", Arguments: jsontext.Value(args)}
}

// TestCoalescedEventsShowTheSame is the promise of Inbox: however few of the superseded
// events a slow reader sees, it shows the same in the end.
func TestCoalescedEventsShowTheSame(t *testing.T) {
	events := play(t, []*agent.Tool{echo()},
		scripted.Of(scripted.Thinking("hm, well"), scripted.Text("# One\n\ntwo words\n\n```\ncode\n\nmore\n```\n\nend"), scripted.Call("c1", "echo", map[string]any{"text": "hi"}), scripted.Call("c2", "echo", map[string]any{"text": "ho"})),
		scripted.Say("All\n\ndone."),
	)
	var all chat.Transcript
	for _, ev := range events {
		all.Apply(ev)
	}
	want := shown(&all)
	for _, b := range all.Blocks() {
		if !b.Final {
			t.Errorf("a block is open after the end: %+v", b)
		}
	}
	for every := 1; every < 40; every++ {
		var tr chat.Transcript
		inbox := chat.NewInbox()
		for i, ev := range events {
			inbox.Put(ev)
			if i%every == 0 {
				for _, ev := range inbox.Take() {
					tr.Apply(ev)
				}
			}
		}
		for _, ev := range inbox.Take() {
			tr.Apply(ev)
		}
		// How an answer is divided depends on when it is looked at; what it says does not.
		if got := joined(&tr); got != joined(&all) {
			t.Errorf("reading every %d events:\n%s\nwant:\n%s", every, shown(&tr), want)
		}
	}
}

// joined is what is shown without the borders of the answer's blocks.
func joined(tr *chat.Transcript) string {
	s := shown(tr)
	return strings.ReplaceAll(strings.ReplaceAll(s, "\"\n1 \"", `\n\n`), `\n\n`, "")
}

func TestFinalBlocksAreNotChanged(t *testing.T) {
	events := play(t, []*agent.Tool{echo()},
		scripted.Of(scripted.Text("one\n\ntwo\n\nthree"), scripted.Call("c1", "echo", map[string]any{"text": "hi"})), scripted.Say("end"))
	var tr chat.Transcript
	frozen := make(map[*chat.Block]chat.Block)
	for _, ev := range events {
		tr.Apply(ev)
		for _, b := range tr.Blocks() {
			if old, ok := frozen[b]; ok && (old.Text != b.Text || old.Version != b.Version) {
				t.Errorf("a final block has become %+v", b)
			}
			if b.Final {
				frozen[b] = *b
			}
		}
	}
	if !strings.Contains(shown(&tr), `tool echo {"text":"hi"} -> "hi" error=false`) {
		t.Errorf("escape sequences are not removed:\n%s", shown(&tr))
	}
}

func TestLoadShowsTheSameAsEvents(t *testing.T) {
	events := play(t, []*agent.Tool{echo()}, scripted.Of(scripted.Text("one\n\ntwo"), scripted.Call("c1", "echo", map[string]any{"text": "hi"})), scripted.Say("end"))
	var live, loaded chat.Transcript
	for _, ev := range events {
		live.Apply(ev)
		if end, ok := ev.(*agent.MessageEnd); ok {
			loaded.Load(end.Message)
		}
	}
	loaded.Finish()
	if joined(&live) != joined(&loaded) {
		t.Errorf("events:\n%s\nloaded:\n%s", shown(&live), shown(&loaded))
	}
}

// TestArgumentsOfAnyKind shows calls whose arguments are not what the tool asks
// for.
func TestArgumentsOfAnyKind(t *testing.T) {
	for _, args := range []string{`{"text":{"cmd":"ls"}}`, `{"text":[1]}`, `{}`} {
		events := play(t, []*agent.Tool{echo()}, scripted.Of(scripted.Call("c1", "echo", jsontext.Value(args))), scripted.Say("end"))
		var tr chat.Transcript
		for _, ev := range events {
			tr.Apply(ev)
		}
		if s := shown(&tr); !strings.Contains(s, "tool echo "+args) || !strings.Contains(s, "error=true") {
			t.Errorf("%s:\n%s", args, s)
		}
	}
}

func TestFailedAnswerSkipsItsCalls(t *testing.T) {
	var tr chat.Transcript
	tr.Apply(&agent.AgentStart{})
	m := &ai.AssistantMessage{StopReason: ai.StopError, ErrorMessage: "overloaded\x1b[2J", Content: ai.Content{&ai.Text{Text: "well"}, call("c1", `{"text":"x"}`)}}
	tr.Apply(&agent.MessageEnd{Message: m})
	tr.Apply(&event.AgentEnd{})
	if got, want := shown(&tr), "1 \"well\"\ntool echo {\"text\":\"x\"} -> \"\" error=false skipped=true\n5 \"Error: overloaded\"\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestInboxIsBounded: nobody reads while an answer streams.
func TestInboxIsBounded(t *testing.T) {
	inbox := chat.NewInbox()
	for range 100_000 {
		inbox.Put(&agent.MessageUpdate{})
		inbox.Put(&agent.ToolExecutionUpdate{ToolCallID: "a"})
		inbox.Put(&event.BashExecutionUpdate{ID: jsontext.Value(`"b"`), Delta: "x"})
	}
	events := inbox.Take()
	if len(events) > 10 {
		t.Errorf("%d events are kept", len(events))
	}
}
