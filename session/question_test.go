package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

func TestACallThatNeedsApprovalWaitsForTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		answer session.Answer
		ran    bool
		result string
	}{
		"yes":               {session.Answer{Yes: true}, true, "done"},
		"no":                {session.Answer{}, false, "not approve"},
		"no, with a reason": {session.Answer{Text: "Use the other tool."}, false, "Use the other tool."},
	} {
		t.Run(name, func(t *testing.T) {
			ran := false
			tool := &agent.Tool{Name: "A", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
				ran = true
				return &agent.ToolResult{Content: ai.TextContent("done")}, nil
			}}
			m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("A", "B"), text("end")}}
			s := open(t, inMemory(), m, session.Options{
				Tools:   []*agent.Tool{tool, noop("B")},
				Approve: func(call *agent.PendingCall) bool { return call.Call.Name == "A" },
			})
			ends := 0
			s.Subscribe(func(ev event.Event) {
				switch ev := ev.(type) {
				case *event.Question:
					if list := s.Questions(); len(list) != 1 || list[0] != ev || ev.ToolName != "A" || ev.Kind != event.QuestionApproval {
						t.Errorf("%+v of %d", ev, len(list))
					}
					if err := s.Answer(ev.ID, c.answer); err != nil {
						t.Error(err)
					}
				case *event.QuestionEnd:
					ends++
				}
			})
			mustPrompt(t, s, "go")
			result := s.Messages()[2].(*ai.ToolResultMessage)
			if ran != c.ran || ends != 1 || !strings.Contains(result.Content.Text(), c.result) {
				t.Errorf("ran: %t, %d ends, result %q", ran, ends, result.Content.Text())
			}
			if err := s.Answer("1", c.answer); !errors.Is(err, session.ErrNoQuestion) {
				t.Errorf("a second answer: %v", err)
			}
		})
	}
}

func TestAnAbortEndsAQuestion(t *testing.T) {
	m := &model{replies: []func(context.Context, *ai.Writer) error{toolCalls("A")}}
	s := open(t, inMemory(), m, session.Options{Tools: []*agent.Tool{noop("A")}, Approve: func(*agent.PendingCall) bool { return true }})
	ctx, cancel := context.WithCancel(t.Context())
	var end *event.QuestionEnd
	s.Subscribe(func(ev event.Event) {
		switch ev := ev.(type) {
		case *event.Question:
			cancel()
		case *event.QuestionEnd:
			end = ev
		}
	})
	if _, err := s.Prompt(ctx, session.Prompt{Text: "go"}); !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt: %v", err)
	}
	if end == nil || end.Answered || len(s.Questions()) != 0 {
		t.Errorf("%+v, %d questions are open", end, len(s.Questions()))
	}
}
