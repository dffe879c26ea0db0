package session_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
)

// What message_end says has happened is in the usage that its handlers are shown.
func TestAHandlerOfAMessageSeesItInTheUsage(t *testing.T) {
	var d diary
	s := extended(t, &d, &llm{replies: []answerFunc{saying("hello", 70)}}, session.Options{}, func(api *api) {
		extension.On(api, func(_ context.Context, x *extx, e *extension.MessageEnd) (*extension.MessageEndResult, error) {
			usage := x.ContextUsage()
			if usage == nil || usage.Tokens == nil {
				d.add("%s unknown", e.Message.Role())
				return nil, nil
			}
			d.add("%s %t", e.Message.Role(), *usage.Tokens > 0)
			if e.Message.Role() == ai.RoleAssistant {
				d.add("%d", *usage.Tokens)
			}
			return nil, nil
		})
	})
	mustPrompt(t, s, "a question of some words")
	now, err := s.ContextUsage()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("user true, assistant true, %d", *now.Tokens); d.String() != want {
		t.Errorf("%s, want %s", d.String(), want)
	}
}

// A message that triggers nothing comes after the turn and costs no request; one that says
// nothing about that steers.
func TestAMessageThatTriggersNothingCostsNoRequest(t *testing.T) {
	for name, c := range map[string]struct {
		opts     extension.SendOptions
		requests int
		roles    []string
	}{
		"false":           {extension.SendOptions{TriggerTurn: new(false)}, 2, []string{"user", "assistant", "toolResult", "custom", "assistant"}},
		"false, steering": {extension.SendOptions{TriggerTurn: new(false), DeliverAs: extension.Steer}, 2, []string{"user", "assistant", "toolResult", "custom", "assistant"}},
		"absent":          {extension.SendOptions{}, 2, []string{"user", "assistant", "toolResult", "custom", "assistant"}},
		"follow-up":       {extension.SendOptions{DeliverAs: extension.FollowUp}, 3, []string{"user", "assistant", "toolResult", "assistant", "custom", "assistant"}},
	} {
		t.Run(name, func(t *testing.T) {
			var d diary
			p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("one", 10), saying("two", 10)}}
			s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{toolReturning("look", func() string { return "seen" })}}, func(api *api) {
				extension.On(api, func(_ context.Context, x *extx, e *extension.ToolExecutionEnd) (extension.None, error) {
					return extension.None{}, api.SendMessage(&extension.CustomMessage{CustomType: "note", Content: extension.Content{Text: "a note"}}, c.opts)
				})
			})
			mustPrompt(t, s, "go")
			var roles []string
			for _, m := range s.Messages() {
				roles = append(roles, m.Role())
			}
			if asked, _ := p.counts(); asked != c.requests || !slices.Equal(roles, c.roles) {
				t.Errorf("%d requests, transcript %v", asked, roles)
			}
			carried := slices.ContainsFunc(p.asked[1].Context.Messages, func(m ai.Message) bool {
				u, ok := m.(*ai.UserMessage)
				return ok && u.Content.Text() == "a note"
			})
			if steers := name == "absent"; carried != steers {
				t.Errorf("the second request carries the message: %t", carried)
			}
		})
	}
}

// Messages that are queued while an idle session is compacted are sent when that has ended,
// whichever way; a plain prompt is refused.
func TestMessagesThatAreQueuedDuringACompactionAreSent(t *testing.T) {
	for name, end := range map[string]func(*session.Session, chan struct{}){
		"it succeeds":   func(_ *session.Session, gate chan struct{}) { close(gate) },
		"it is aborted": func(s *session.Session, _ chan struct{}) { s.AbortCompaction() },
	} {
		for how, queue := range map[string]func(*session.Session) error{
			"steer":     func(s *session.Session) error { return s.Queue(session.Prompt{Text: "later"}, session.Steer) },
			"follow-up": func(s *session.Session) error { return s.Queue(session.Prompt{Text: "later"}, session.FollowUp) },
			"a prompt that may wait": func(s *session.Session) error {
				_, err := s.Start(session.Prompt{Text: "later", WhileBusy: session.FollowUp})
				return err
			},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					gate := make(chan struct{})
					p := &llm{
						replies: []answerFunc{saying("one", 10), saying("two", 10), saying("three", 10)},
						summary: []answerFunc{func(ctx context.Context, w *ai.Writer) error { return held("the notes", gate)(ctx, w) }},
					}
					s := openOver(t, inMemory(), p, session.Options{Compaction: keeping(5)})
					mustPrompt(t, s, "first question")
					mustPrompt(t, s, "second question")
					if _, err := s.StartCompaction(""); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if _, err := s.Start(session.Prompt{Text: "refused"}); err == nil {
						t.Error("a plain prompt was accepted")
					}
					if err := queue(s); err != nil {
						t.Fatal(err)
					}
					end(s, gate)
					synctest.Wait()
					if err := s.Wait(t.Context()); err != nil {
						t.Fatal(err)
					}
					messages := s.Messages()
					last, ok := messages[len(messages)-1].(*ai.AssistantMessage)
					if !ok || last.Content.Text() != "three" || s.State().Pending != 0 {
						t.Errorf("the transcript ends with a %s, %d messages wait", messages[len(messages)-1].Role(), s.State().Pending)
					}
				})
			})
		}
	}
}

// A model or a level that is chosen in a run counts from its next request on, with the level
// clamped to the model.
func TestAChoiceInARunCountsFromTheNextRequest(t *testing.T) {
	other := *labModel
	other.ID, other.Reasoning = "other", false
	for name, choose := range map[string]func(*session.Session) error{
		"the model": func(s *session.Session) error { return s.SetModel(&other) },
		"the level": func(s *session.Session) error { return s.SetThinking(ai.ThinkingHigh) },
	} {
		t.Run(name, func(t *testing.T) {
			m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("A"), text("done")}}
			var s *session.Session
			tool := &agent.Tool{Name: "A", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
				return &agent.ToolResult{Content: ai.TextContent("ok")}, choose(s)
			}}
			s = open(t, inMemory(), m, session.Options{Tools: []*agent.Tool{tool}})
			mustPrompt(t, s, "go")
			now, second := s.State(), m.requests[1]
			if second.Model != now.Model || second.Options.Thinking != now.Thinking {
				t.Errorf("the second request asks %s at %q; chosen are %s and %q", second.Model.ID, second.Options.Thinking, now.Model.ID, now.Thinking)
			}
			if answer := s.LastAnswer(); answer.Model != now.Model.ID {
				t.Errorf("the answer is of %s", answer.Model)
			}
		})
	}
}
