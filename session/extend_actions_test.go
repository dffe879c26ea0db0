package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
)

// All runs pass before_agent_start, also one that a message of an extension begins.
func TestOneWayIn(t *testing.T) {
	var d diary
	var a *api
	p := &llm{replies: []answerFunc{saying("one", 10)}}
	s := extended(t, &d, p, session.Options{SystemPrompt: "base"}, func(api *api) {
		a = api
		extension.On(api, func(_ context.Context, _ *extx, e *extension.BeforeAgentStart) (*extension.BeforeAgentStartResult, error) {
			d.add("%s %s", e.MessageType, e.Prompt)
			return &extension.BeforeAgentStartResult{Message: &extension.CustomMessage{CustomType: "hint", Content: extension.Content{Text: "hint"}}}, nil
		})
	})
	mustPrompt(t, s, "go")
	if err := a.SendMessage(&extension.CustomMessage{CustomType: "note", Content: extension.Content{Text: "act"}}, extension.SendOptions{TriggerTurn: new(true)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.String() != "user go, custom act" || len(p.asked) != 2 {
		t.Errorf("%s; %d requests", d.String(), len(p.asked))
	}
	if got := fmt.Sprint(carried(p.asked[1])); got != "[user:go user:hint assistant:one user:act user:hint]" {
		t.Error(got)
	}
}

// The handlers of input see what is queued as well.
func TestAllInputsAreAsked(t *testing.T) {
	var d diary
	gate := make(chan struct{})
	p := &llm{replies: []answerFunc{held("one", gate), saying("two", 10)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.Input) (*extension.InputResult, error) {
			d.add("%s %s", e.Text, e.StreamingBehavior)
			if strings.Contains(e.Text, "secret") {
				return &extension.InputResult{Action: "handled"}, nil
			}
			return &extension.InputResult{Action: "transform", Text: e.Text + "!"}, nil
		})
	})
	a, err := s.Start(session.Prompt{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Queue(session.Prompt{Text: "secret"}, session.Steer); err != nil {
		t.Fatal(err)
	}
	if err := s.Queue(session.Prompt{Text: "more"}, session.FollowUp); err != nil {
		t.Fatal(err)
	}
	_, followUp := s.ClearQueue()
	close(gate)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.String() != "go , secret steer, more followUp" || !slices.Equal(followUp, []string{"more!"}) {
		t.Errorf("%s; queued %q", d.String(), followUp)
	}
}

// A message that an extension sends when it sees an answer reaches the same run by steering,
// and still has its turn as a follow-up.
func TestMessagesAboutAnAnswer(t *testing.T) {
	for _, delivery := range []extension.Delivery{extension.Steer, extension.FollowUp} {
		t.Run(string(delivery), func(t *testing.T) {
			var d diary
			sent := false
			p := &llm{replies: []answerFunc{saying("hm", 10), saying("better", 10)}}
			s := extended(t, &d, p, session.Options{}, func(api *api) {
				extension.Observe(api, func(_ context.Context, _ *extx, e *extension.MessageEnd) error {
					if e.Message.Role() != ai.RoleAssistant || sent {
						return nil
					}
					sent = true
					return api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "continue"}, DeliverAs: delivery})
				})
			}, observing(&d, func(*extension.AgentStart) string { return "run" }))
			mustPrompt(t, s, "go")
			if len(p.asked) != 2 || d.String() != "run" {
				t.Errorf("%d requests; %s", len(p.asked), d.String())
			}
		})
	}
}

// What is sent while other handlers are asked about it counts before the session settles.
func TestASentMessageIsNotStranded(t *testing.T) {
	var d diary
	sent := false
	p := &llm{replies: []answerFunc{saying("one", 10), saying("two", 10)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		extension.On(api, func(_ context.Context, _ *extx, e *extension.Input) (*extension.InputResult, error) {
			time.Sleep(20 * time.Millisecond)
			d.add("%s %s", e.Source, e.Text)
			return nil, nil
		})
		extension.Observe(api, func(context.Context, *extx, *extension.AgentEnd) error {
			if sent {
				return nil
			}
			sent = true
			return api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "more"}, DeliverAs: extension.FollowUp})
		})
	})
	mustPrompt(t, s, "go")
	if len(p.asked) != 2 || d.String() != "interactive go, extension more" {
		t.Errorf("%d requests; %s", len(p.asked), d.String())
	}
}

// Without a delivery a message of the user is refused while the agent works, and that is told.
func TestSendUserMessageNeedsADelivery(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("done", 10)}}
	s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}}, func(api *api) {
		extension.Observe(api, func(context.Context, *extx, *extension.ToolCall) error {
			return api.SendUserMessage(&extension.UserMessage{Content: extension.Content{Text: "lost"}})
		})
	})
	mustPrompt(t, s, "go")
	if !strings.HasPrefix(d.String(), "<runtime> send_user_message failed: the agent is working") {
		t.Error(d.String())
	}
}

func TestMessagesOfExtensions(t *testing.T) {
	var d diary
	var a *api
	note := func(text string) *extension.CustomMessage {
		return &extension.CustomMessage{CustomType: "note", Content: extension.Content{Text: text}, Display: true}
	}
	sent := false
	p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("two", 10), saying("three", 10), saying("four", 10)}}
	s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}}, func(api *api) {
		a = api
		extension.Observe(api, func(context.Context, *extx, *extension.ToolCall) error {
			if sent {
				return nil
			}
			sent = true
			return errors.Join(api.SendMessage(note("steering"), extension.SendOptions{}),
				api.SendMessage(note("later"), extension.SendOptions{DeliverAs: extension.FollowUp}),
				api.SendMessage(note("next"), extension.SendOptions{DeliverAs: extension.NextTurn, TriggerTurn: new(true)}))
		})
	})
	if err := a.SendMessage(note("idle"), extension.SendOptions{}); err != nil {
		t.Fatal(err)
	}
	mustPrompt(t, s, "go")
	mustPrompt(t, s, "on")
	if len(p.asked) != 4 {
		t.Fatalf("%d requests", len(p.asked))
	}
	for i, want := range []string{
		"[user:idle user:go]",
		"user:steering]",
		"user:steering assistant:two user:later]",
		"assistant:three user:on user:next]",
	} {
		if got := fmt.Sprint(carried(p.asked[i])); !strings.HasSuffix(got, want) {
			t.Errorf("request %d: %s", i, got)
		}
	}
	kept := 0
	for range s.Store().Entries(transcript.TypeCustomMessage) {
		kept++
	}
	if kept != 4 {
		t.Errorf("%d messages of the extension are kept", kept)
	}
}

func TestModelAndLevelAreTold(t *testing.T) {
	var d diary
	thinker := *labModel
	thinker.ID, thinker.Reasoning = "thinker", true
	s := extended(t, &d, &llm{}, session.Options{},
		observing(&d, func(e *extension.ModelSelect) string {
			return e.PreviousModel.ID + ">" + e.Model.ID + " " + e.Source
		}),
		observing(&d, func(e *extension.ThinkingLevelSelect) string { return string(e.PreviousLevel + ">" + e.Level) }))
	if err := errors.Join(s.SetModel(&thinker), s.SetThinking("low"), s.SetThinking("low"), s.SetModel(labModel)); err != nil {
		t.Fatal(err)
	}
	if want := labModel.ID + ">thinker set, off>low, low>off, thinker>" + labModel.ID + " set"; d.String() != want {
		t.Errorf("got  %s\nwant %s", d.String(), want)
	}
}

func TestCommandsOfExtensions(t *testing.T) {
	var d diary
	gate := make(chan struct{})
	p := &llm{replies: []answerFunc{held("one", gate)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		_ = api.RegisterCommand(&extension.Command{Name: "hello", Description: "Says hello", Handler: func(_ context.Context, x *extension.CommandContext, args string) error {
			d.add("hello %q, idle %v", args, x.Idle())
			return nil
		}})
	}, observing(&d, func(e *extension.Input) string { return "input " + e.Text }))
	prompt := func(text string) (disposition session.Disposition) {
		t.Helper()
		if _, err := s.Start(session.Prompt{Text: text, Accepted: func(d session.Disposition) { disposition = d }}); err != nil {
			t.Fatal(err)
		}
		return disposition
	}
	// What an extension has dealt with can be told from what began a run.
	if got := prompt("/hello big  world"); got != session.Handled {
		t.Errorf("the command was %s", got)
	}
	if got := prompt("/other"); got != session.Started {
		t.Errorf("what is no command was %s", got)
	}
	if got := prompt("/hello"); got != session.Handled {
		t.Errorf("the command was %s", got)
	}
	if err := s.Queue(session.Prompt{Text: "/hello"}, session.Steer); err == nil {
		t.Error("a command is queued")
	}
	close(gate)
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := `hello "big  world", idle true, input /other, hello "", idle false`; d.String() != want {
		t.Error(d.String())
	}
	if list := s.CommandInfos(); len(list) != 1 || list[0].Name != "hello" || list[0].Source != "extension" {
		t.Errorf("%+v", list)
	}
}

// A handler of input that waits until what it sends is accepted does not wait for itself.
func TestAHandlerOfInputSendsAMessage(t *testing.T) {
	var d diary
	p := &llm{replies: []answerFunc{saying("one", 10)}}
	s := extended(t, &d, p, session.Options{}, func(api *api) {
		extension.On(api, func(ctx context.Context, x *extx, e *extension.Input) (*extension.InputResult, error) {
			d.add("asked %s", e.Text)
			if e.Text != "outer" {
				return nil, nil
			}
			s, err := x.Session()
			if err != nil {
				return nil, err
			}
			accepted := make(chan error, 1)
			s.SendUserMessage(ctx, &extension.UserMessage{Content: extension.Content{Text: "inner"}}, func(err error) { accepted <- err })
			return &extension.InputResult{Action: "handled"}, <-accepted
		})
	})
	mustPrompt(t, s, "outer")
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d.String() != "asked outer, asked inner" || strings.Join(inStore(t, s.Store()), " ") != "user:inner assistant:one" {
		t.Errorf("%s; %v", d.String(), inStore(t, s.Store()))
	}
}
